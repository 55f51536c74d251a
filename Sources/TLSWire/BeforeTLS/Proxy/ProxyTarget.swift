//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The server that a proxy connects to, in a form that is safe to send to a proxy.
///
/// The caller parses hosts. This type only ensures that no character of the text can end a line or a field.
public struct ProxyTarget: Hashable, Sendable {
    /// The server's name, or its address in the form of a URL, with brackets for IPv6 (RFC 3986 §3.2.2).
    public let text: String
    /// The 4 or 16 octets of the address, or `nil` for a name.
    public let address: [UInt8]?
    /// The server's port, from 1 to 65535.
    public let port: UInt16

    /// Creates a target, or returns `nil` if the text, the address or the port cannot be sent to a proxy.
    ///
    /// - Parameters:
    ///   - text: A DNS name in ASCII of at most 253 octets, or an address in the form of a URL.
    ///   - address: The octets of the address in network order, or `nil` for a name.
    ///   - port: The port.
    public init?(_ text: String, address: [UInt8]?, port: Int) {
        let isWritable = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#@\\,".utf8.contains($0) }
        guard let port = UInt16(exactly: port), port > 0, (1...253).contains(text.utf8.count), isWritable else {
            return nil
        }
        switch address?.count {
        case nil: guard !text.utf8.contains(where: ":[]".utf8.contains) else { return nil }
        case 4: break
        case 16: guard text.hasPrefix("["), text.hasSuffix("]") else { return nil }
        default: return nil
        }
        self.text = text
        self.address = address
        self.port = port
    }
}
