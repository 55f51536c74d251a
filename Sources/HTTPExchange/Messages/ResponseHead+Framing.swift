//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

extension ResponseHead {
    /// Returns the framing of the content (RFC 9112 §6.3).
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - upgrades: `true` if the request asked for another protocol, whose octets follow status 101 (RFC 9110 §7.8).
    func framing(method: HTTPRequest.Method, upgrades: Bool) throws(HTTPMessageError) -> MessageFraming {
        // Both framing fields are meaningless at the start of a tunnel, and a client must ignore them (RFC 9110 §9.3.6).
        guard !self.opensTunnel(method) else { return .none }
        // A wrong length is an error even in a response without content, because another reader on the way may rely on it.
        let length = try self.contentLength()
        if upgrades, self.status == 101 { return .untilClose }
        guard method != .head, ![101, 204, 304].contains(self.status) else { return .none }
        if try self.isChunked() { return .chunked }
        return length.map(MessageFraming.length) ?? .untilClose
    }

    /// Returns `true` if the connection can be used for another request (RFC 9112 §9.3).
    func keepsConnection(_ framing: MessageFraming, method: HTTPRequest.Method) -> Bool {
        guard framing != .untilClose, self.status != 101, !self.opensTunnel(method) else { return false }
        // Either case may be an attempt at request smuggling (RFC 9112 §6.1 and §6.3).
        let hasCoding = self.fields.contains(.transferEncoding)
        if hasCoding, self.minorVersion == 0 || self.fields.contains(.contentLength) { return false }
        guard !self.has("close", in: .connection) else { return false }
        return self.minorVersion > 0 || self.has("keep-alive", in: .connection)
    }

    /// Returns `true` if the response opens a tunnel. After a refusal, a proxy can be asked again on the same connection (RFC 9110
    /// §9.3.6).
    private func opensTunnel(_ method: HTTPRequest.Method) -> Bool {
        method == .connect && (200..<300).contains(self.status)
    }

    /// Returns the length on which all fields and all their elements agree, or `nil` if there is none.
    package func contentLength() throws(HTTPMessageError) -> Int? {
        var found: Int?
        for field in self.fields where field.name == .contentLength {
            for element in field.value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                let digits = Substring(element).trimmingBlanks()
                guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(digits),
                    found == nil || found == length
                else { throw .contentLength }
                found = length
            }
        }
        return found
    }

    /// Returns `true` if the transfer coding is chunked. `identity`, which RFC 7230 removed, is ignored.
    private func isChunked() throws(HTTPMessageError) -> Bool {
        guard self.fields.contains(.transferEncoding) else { return false }
        var codings: [String] = []
        for value in self.fields[values: .transferEncoding] {
            for element in value.split(separator: ",") where !element.trimmingBlanks().isEmpty {
                let coding = element.trimmingBlanks().lowercased()
                if coding != "identity" { codings.append(coding) }
            }
        }
        guard codings.isEmpty || codings == ["chunked"] else { throw .transferCoding }
        return !codings.isEmpty
    }
}
