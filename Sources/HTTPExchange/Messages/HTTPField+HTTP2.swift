//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes

/// What is malformed about a field of HTTP/2, in a request or in a response (RFC 9113 §8.2).
package enum HTTP2FieldFault: Error, Sendable, Hashable {
    /// A name in capitals, or that is no token (§8.2.1).
    case name
    /// A value with NUL, CR or LF, or with blanks at its ends (§8.2.1).
    case value
    /// A field about the connection (§8.2.2).
    case connection
}

extension HTTPField {
    /// A field as it came over HTTP/2. The names of pseudo-header fields are no tokens, and so not among them.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    package init(http2 name: String, value: String) throws(HTTP2FieldFault) {
        guard !name.utf8.contains(where: { (0x41...0x5A).contains($0) }), let field = HTTPField.Name(name) else {
            throw .name
        }
        guard !Self.connectionFields.contains(name), name != "te" || value == "trailers" else { throw .connection }
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        guard !value.utf8.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }),
            !(value.utf8.first.map(isBlank) ?? false), !(value.utf8.last.map(isBlank) ?? false)
        else { throw .value }
        self.init(name: field, value: value)
    }

    /// Those that say something about a connection of HTTP/1.1 (§8.2.2).
    private static let connectionFields: Set<String> = [
        "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade",
    ]
}
