//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes

extension RequestHead {
    /// `true` if the connection can be used for another request (RFC 9112 §9.3).
    public var keepsConnection: Bool {
        guard !self.fields.has("close", in: .connection) else { return false }
        return self.minorVersion > 0 || self.fields.has("keep-alive", in: .connection)
    }

    /// `true` if the client waits for status 100 before it sends content (RFC 9110 §10.1.1).
    public var expectsContinue: Bool { self.minorVersion > 0 && self.fields.contains(.expect) }

    /// Returns the framing of the content. A length that two readers on the way could read differently is an error.
    func framing() throws(HTTPRequestError) -> MessageFraming {
        let found = FramingFields(self.fields)
        guard found.hostCount == 1 || found.hostCount == 0 && self.minorVersion == 0 else { throw .host }
        guard !found.isDisguised else { throw .framing }
        guard found.expectations.isEmpty || found.expectations.map({ $0.lowercased() }) == ["100-continue"] else {
            throw .expectation
        }
        let (codings, lengths) = (found.codings, found.lengths)
        // CONNECT and TRACE have no content (RFC 9110 §9.3.6 and §9.3.8).
        if self.method == .connect || self.method == .trace {
            guard codings.isEmpty, lengths.isEmpty else { throw .framing }
            return .none
        }
        guard codings.isEmpty else {
            // A server that knows only HTTP/1.0 ignores the coding (RFC 9112 §6.1).
            guard lengths.isEmpty, codings.count == 1, self.minorVersion > 0 else { throw .framing }
            guard codings[0].lowercased() == "chunked" else { throw .transferCoding }
            return .chunked
        }
        guard let text = lengths.first else { return .none }
        guard lengths.count == 1 else { throw .framing }
        // 18 digits fit an Int, and no request is larger.
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = Int(text)
        else { throw .message(.contentLength) }
        return .length(length)
    }

}

/// The host and framing fields of a head, found in one pass.
private struct FramingFields {
    var hostCount = 0
    var expectations: [String] = []
    var codings: [String] = []
    var lengths: [String] = []
    /// `true` if a name could be mistaken for a framing field by gateways such as those of CGI.
    var isDisguised = false

    init(_ fields: HTTPFields) {
        for field in fields {
            let name = field.name.canonicalName
            switch name {
            case "host": self.hostCount += 1
            case "expect": self.expectations.append(field.value)
            case "transfer-encoding": self.codings.append(field.value)
            case "content-length": self.lengths.append(field.value)
            default: self.isDisguised = self.isDisguised || Self.isDisguised(name)
            }
        }
    }

    private static func isDisguised(_ name: String) -> Bool {
        guard name.utf8.contains(UInt8(ascii: "_")) else { return false }
        return ["content-length", "transfer-encoding"].contains(name.replacing("_", with: "-"))
    }
}

extension HTTPFields {
    /// The protocols of an Upgrade field (RFC 9110 §7.8), in lower case. Empty if one of them would have to be read on the way:
    /// another version of HTTP, or TLS instead of the TLS that was judged.
    package var protocols: [String] {
        let names = self.elements(of: .upgrade)
        let isRead = names.contains { name in ["h2", "h3", "http/", "tls/"].contains { name.hasPrefix($0) } }
        return isRead ? [] : names
    }

    /// Returns `true` if the server agrees to one or more of these protocols and to no other.
    package func agrees(to protocols: [String]) -> Bool {
        let agreed = self.elements(of: .upgrade)
        return !agreed.isEmpty && agreed.allSatisfy(protocols.contains)
    }

    /// Sets the fields that request a protocol or agree to one.
    package mutating func upgrade(to text: String) {
        // Connection would also have to list TE (RFC 9110 §10.1.4).
        (self[.connection], self[.te]) = ("Upgrade", nil)
        self[.upgrade] = text
    }
}

extension HTTPField.Name {
    /// The Host field, which HTTPTypes keeps apart from other fields. The name is a valid token, so the value after ?? is never
    /// used.
    package static let hostName = HTTPField.Name("Host") ?? .connection
}
