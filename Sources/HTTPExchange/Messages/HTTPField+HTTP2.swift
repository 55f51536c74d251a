//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes

extension HTTPField {
    /// Creates a field received over HTTP/2 (RFC 9113 §8.2). The names of pseudo-header fields are not tokens, so they are refused
    /// here.
    init(
        http2 name: String, value: String, _ strictness: MessageReader.Strictness
    ) throws(HTTP2MessageFault) {
        guard !name.utf8.contains(where: { (0x41...0x5A).contains($0) }), let field = HTTPField.Name(name) else {
            throw .name
        }
        guard !Self.connectionFields.contains(name), name != "te" || value == "trailers" else { throw .connection }
        // Octets that HTTP/1.1 forbids would otherwise reach a server in a line (RFC 9112 §2.2).
        let isForbidden = strictness == .proxy ? MessageLine.isForbiddenToProxies : MessageLine.endsValue
        guard !value.utf8.contains(where: isForbidden), !Self.hasBlankEnds(value) else { throw .value }
        self.init(name: field, value: value)
    }

    /// Returns `true` if a value begins or ends with a blank, which HTTP/2 forbids (RFC 9113 §8.2.1).
    static func hasBlankEnds(_ value: String) -> Bool {
        let blanks: [UInt8?] = [0x20, 0x09]
        return blanks.contains(value.utf8.first) || blanks.contains(value.utf8.last)
    }

    /// The names of fields that are specific to a connection of HTTP/1.1 (RFC 9113 §8.2.2).
    package static let connectionFields: Set<String> = [
        "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade",
    ]
}
