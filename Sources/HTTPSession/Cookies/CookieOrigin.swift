//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// The request that sets cookies or is sent with them, as far as cookies depend on it: its host, its path and its security.
public struct CookieOrigin: Sendable, Hashable {
    /// The host of the URL.
    public let host: Host
    /// The path of the URL without query and fragment.
    public let path: String
    /// `true` if Secure cookies may be sent and set.
    ///
    /// This is the case for TLS, and without TLS for `localhost`, `127.0.0.1` and `::1`, on which no other machine can listen. RFC
    /// 6265bis §5.7 leaves the choice to the client, and curl and browsers choose the same.
    public let isSecure: Bool

    /// Creates the origin of a request.
    ///
    /// - Parameters:
    ///   - scheme: The scheme of the URL, such as `https`, in upper or lower case.
    ///   - host: The host of the URL.
    ///   - path: The path of the URL. A query and a fragment are removed.
    public init(scheme: String, host: Host, path: String) {
        self.host = host
        self.path = String(path.prefix { $0 != "?" && $0 != "#" })
        self.isSecure = ["https", "wss"].contains(scheme.lowercased()) || Self.loopbacks.contains(host.text)
    }

    private static let loopbacks: Set<String> = ["localhost", "127.0.0.1", "::1"]

    /// The path for cookies without one (RFC 6265bis §5.1.4).
    var defaultPath: String {
        guard self.path.utf8.first == UInt8(ascii: "/"), let slash = self.path.utf8.lastIndex(of: UInt8(ascii: "/")),
            slash > self.path.startIndex
        else { return "/" }
        return String(self.path[..<slash])
    }

    /// Returns `true` if the host equals a domain or, for names, is one of its subdomains (RFC 6265bis §5.1.3).
    func domainMatches(_ domain: String) -> Bool { Self.domainMatches(self.host, domain) }

    static func domainMatches(_ host: Host, _ domain: String) -> Bool {
        host.text == domain || !host.isAddress && host.text.hasSuffix(".\(domain)")
    }

    /// Returns `true` if the path equals the path of a cookie or is below it (RFC 6265bis §5.1.4).
    func pathMatches(_ path: String) -> Bool { Self.path(self.path.isEmpty ? "/" : self.path, matches: path) }

    static func path(_ path: String, matches cookiePath: String) -> Bool {
        let (path, prefix) = (path.utf8, cookiePath.utf8)
        guard path.starts(with: prefix) else { return false }
        return path.count == prefix.count || prefix.last == UInt8(ascii: "/")
            || path.dropFirst(prefix.count).first == UInt8(ascii: "/")
    }
}
