//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// LDAP's StartTLS (RFC 4511 §4.14).
struct LDAPNegotiation: Negotiation {
    /// Returns message 1: an extended request, [APPLICATION 23], with the name of the operation in [0].
    mutating func opening() -> [UInt8] {
        let name = Array("1.3.6.1.4.1.1466.20037".utf8)
        let request = [0x77, UInt8(name.count) + 2, 0x80, UInt8(name.count)] + name
        return [0x30, UInt8(request.count) + 3, 0x02, 0x01, 0x01] + request
    }

    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep {
        guard let header = try BERHeader(input.rest, tag: 0x30) else { return .incomplete }
        guard header.contentLength <= NegotiationInput.pieceLimit else {
            throw .tooMuch(limit: NegotiationInput.pieceLimit)
        }
        let length = header.length + header.contentLength
        guard input.rest.count >= length else { return .incomplete }
        var message = input.rest.prefix(length).dropFirst(header.length)
        input.drop(length)
        return try Self.answer(&message)
    }

    /// Reads an extended response, [APPLICATION 24]: a result code, a name and a text. Further fields are ignored.
    private static func answer(_ message: inout ArraySlice<UInt8>) throws(NegotiationError) -> NegotiationStep {
        guard let number = Self.take(0x02, &message), var response = Self.take(0x78, &message),
            let codes = Self.take(0x0A, &response), codes.count == 1, let code = codes.first,
            Self.take(0x04, &response) != nil, let text = Self.take(0x04, &response)
        else { throw .unexpected("") }
        // Number 0 is an unsolicited notice, by which a server ends the connection (RFC 4511 §4.4).
        let isAnswer = Array(number) == [1]
        guard isAnswer || Array(number) == [0] else { throw .unexpected("") }
        switch code {
        case 0 where isAnswer: return .ready
        // protocolError: the operation is not supported (RFC 4511 §4.12).
        case 2 where isAnswer: throw .notOffered
        default: throw .rejected("result code \(code) \(String(printable: text))")
        }
    }

    /// Consumes the first element and returns its content, or returns `nil` if it has another tag or is not complete.
    private static func take(_ tag: UInt8, _ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let header = try? BERHeader(bytes, tag: tag) else { return nil }
        let rest = bytes.dropFirst(header.length)
        guard rest.count >= header.contentLength else { return nil }
        bytes = rest.dropFirst(header.contentLength)
        return rest.prefix(header.contentLength)
    }
}

/// The header of a BER element: a tag of one byte and a length. LDAP requires definite lengths (RFC 4511 §5.1).
private struct BERHeader {
    let length: Int
    let contentLength: Int

    init?(_ bytes: ArraySlice<UInt8>, tag: UInt8) throws(NegotiationError) {
        guard let first = bytes.first else { return nil }
        guard first == tag else { throw .unexpected("") }
        guard let short = bytes.dropFirst().first else { return nil }
        guard short >= 0x80 else {
            self.length = 2
            self.contentLength = Int(short)
            return
        }
        let count = Int(short & 0x7F)
        guard (1...4).contains(count) else { throw .unexpected("") }
        let digits = bytes.dropFirst(2).prefix(count)
        guard digits.count == count else { return nil }
        self.length = 2 + count
        self.contentLength = Int(digits.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
}
