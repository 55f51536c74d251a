//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where a load goes: what App Transport Security looks at of a URL.
public struct ATSDestination: Sendable, Hashable {
    /// Whether the load is over TLS.
    public enum Scheme: String, Sendable, Hashable {
        /// With TLS.
        case https
        /// Without.
        case http
    }

    /// How it is loaded.
    public var scheme: Scheme
    /// The host as it is written: a name, or an address without brackets. Exceptions are looked up by this very text, case
    /// and a dot at the end included.
    public let host: String
    /// The host as an address; `nil` for a name. A zone, as in `fe80::1%eth0`, is left out.
    public let address: IPAddress?
    /// The port, which no rule looks at.
    public let port: Int
    /// Whether it counts as local; `nil` leaves it to the policy. Apple's network stack decides it by means that are not
    /// public.
    public var isLocal: Bool?

    /// A destination.
    ///
    /// - Parameters:
    ///   - host: A name, or an address with brackets or without.
    ///   - scheme: How it is loaded.
    ///   - port: The port; `nil` for the scheme's.
    ///   - isLocal: Whether it counts as local; `nil` leaves it to the policy.
    public init(host: String, scheme: Scheme = .https, port: Int? = nil, isLocal: Bool? = nil) {
        let isBracketed = host.first == "[" && host.last == "]" && host.utf8.count > 2
        self.host = isBracketed ? String(host.dropFirst().dropLast()) : host
        let zone = self.host.firstIndex(of: "%") ?? self.host.endIndex
        // A zone is part of an IPv6 address alone.
        let address = IPAddress(String(self.host[..<zone]))
        self.address = zone == self.host.endIndex || address?.isIPv6 == true ? address : nil
        self.scheme = scheme
        self.port = port ?? (scheme == .https ? 443 : 80)
        self.isLocal = isLocal
    }

    /// The destination of a URL.
    ///
    /// - Parameter url: A URL with http or https and a host; without a scheme, https is meant.
    /// - Throws: ``ATSDestinationError`` for other text.
    public init(url: String) throws(ATSDestinationError) {
        let text = url.contains("://") ? url : "https://" + url
        guard url.utf8.count <= 8_192, let components = URLComponents(string: text), let scheme = components.scheme
        else {
            throw ATSDestinationError(url, "it is no URL")
        }
        guard let scheme = Scheme(rawValue: scheme.lowercased()) else {
            throw ATSDestinationError(url, "App Transport Security is about http and https only")
        }
        guard let host = components.host, !host.isEmpty else { throw ATSDestinationError(url, "it has no host") }
        guard components.port.map({ (1...65_535).contains($0) }) ?? true else {
            throw ATSDestinationError(url, "a port is between 1 and 65535")
        }
        self.init(host: host, scheme: scheme, port: components.port)
    }
}

/// Text that is no destination, and what to write instead.
public struct ATSDestinationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text.
    public let text: String
    /// What is wrong with it.
    public let reason: String

    init(_ text: String, _ reason: String) {
        self.text = text
        self.reason = reason
    }

    /// What is wrong and what to do, for a person.
    public var description: String { "\"\(self.text)\": \(self.reason); write https://HOST or http://HOST" }
}
