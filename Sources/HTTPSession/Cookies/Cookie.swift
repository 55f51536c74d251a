//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// A cookie as it is kept (RFC 6265bis §5.7).
///
/// Its description, its debug description and its reflection do not hold its value.
public struct Cookie: Sendable, Hashable {
    /// What the server says about requests from other sites. It is kept, and changes nothing: requests of a program belong to
    /// no other site.
    public enum SameSite: String, Sendable, Hashable {
        /// Requests of the same site alone.
        case strict = "Strict"
        /// The same site, and navigation.
        case lax = "Lax"
        /// All requests.
        case none = "None"
    }

    /// The octets of the name. Empty where a server gives none and the jar accepts that.
    public let name: [UInt8]
    /// The octets of the value.
    public let value: [UInt8]
    /// The domain in ASCII and lower case, without a dot before it, or the address.
    public let domain: String
    /// Whether it is for the domain alone and not for names below it.
    public let isHostOnly: Bool
    /// The path, which begins with a slash.
    public let path: String
    /// Whether it is sent inside TLS alone.
    public let isSecure: Bool
    /// Whether scripts must not see it.
    public let isHTTPOnly: Bool
    /// What the server says about requests from other sites; `nil` where it says nothing.
    public let sameSite: SameSite?
    /// When it ends; `nil` for a cookie of the session.
    public let expires: Timestamp?

    /// The most octets of name and value together (RFC 6265bis §5.6, step 6).
    static let maximumOctets = 4_096

    /// `name=value`, or the value of a cookie without a name, as requests have it.
    var pair: [UInt8] { self.name.isEmpty ? self.value : self.name + [UInt8(ascii: "=")] + self.value }

    func isExpired(at time: Timestamp) -> Bool { self.expires.map { $0 <= time } ?? false }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name, the domain and the path, without the value.
    public var description: String {
        "Cookie(\(String(decoding: self.name, as: UTF8.self)), \(self.isHostOnly ? "" : ".")\(self.domain)\(self.path))"
    }

    /// The same as ``description``.
    public var debugDescription: String { self.description }

    /// A reflection without the value.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": self.name, "domain": self.domain, "path": self.path])
    }
}
