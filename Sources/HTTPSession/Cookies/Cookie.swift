//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// A cookie in a jar (RFC 6265bis §5.7).
///
/// Its description, debug description and mirror do not contain its value.
public struct Cookie: Sendable, Hashable {
    /// The SameSite attribute. It is stored but has no effect, because a program's requests do not come from another site.
    public enum SameSite: String, Sendable, Hashable {
        /// Requests from the same site only.
        case strict = "Strict"
        /// Requests from the same site, and top-level navigation.
        case lax = "Lax"
        /// All requests.
        case none = "None"
    }

    /// The octets of the name. Empty if the server gave none and the jar accepts nameless cookies.
    public let name: [UInt8]
    /// The octets of the value.
    public let value: [UInt8]
    /// The domain in ASCII and lower case without a leading dot, or the IP address.
    public let domain: String
    /// `true` if the cookie is for the domain only, without its subdomains.
    public let isHostOnly: Bool
    /// The path, which begins with a slash.
    public let path: String
    /// `true` if the cookie is sent only over TLS.
    public let isSecure: Bool
    /// `true` if the cookie is hidden from scripts.
    public let isHTTPOnly: Bool
    /// The SameSite attribute, or `nil` if it is absent.
    public let sameSite: SameSite?
    /// The time at which the cookie expires, or `nil` for a session cookie.
    public let expires: Timestamp?

    /// The maximum size of name and value together in octets (RFC 6265bis §5.6, step 6).
    static let maximumOctets = 4_096

    /// The text `name=value`, or the value of a nameless cookie, as the Cookie field has it.
    var pair: [UInt8] { self.name.isEmpty ? self.value : self.name + [UInt8(ascii: "=")] + self.value }

    func isExpired(at time: Timestamp) -> Bool { self.expires.map { $0 <= time } ?? false }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name, the domain and the path, without the value.
    public var description: String {
        "Cookie(\(String(decoding: self.name, as: UTF8.self)), \(self.isHostOnly ? "" : ".")\(self.domain)\(self.path))"
    }

    /// The same text as ``description``.
    public var debugDescription: String { self.description }

    /// A mirror without the value.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": self.name, "domain": self.domain, "path": self.path])
    }
}
