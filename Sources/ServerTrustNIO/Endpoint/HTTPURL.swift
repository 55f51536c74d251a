//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity
public import ServerTrust

/// A URL of `http` or `https`, split into the parts that a request sends (RFC 3986, RFC 9110 §4.2).
///
/// Hosts are read by the same grammar that certificates are compared by. URLs that different readers would read differently are
/// refused, so that the server that is judged is the server that is connected to. Fragments are dropped and dot segments are
/// resolved.
public struct HTTPURL: Sendable, Hashable {
    /// The protocol of a URL.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// HTTP without TLS.
        case http
        /// HTTP over TLS.
        case https

        /// The port of a URL that names none.
        public var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// A scheme, a host and a port, the scope of a program's credentials and cookies (RFC 6454 §4).
    public struct Origin: Sendable, Hashable {
        /// The protocol.
        public let scheme: Scheme
        /// The DNS name or IP address of the server.
        public let host: Host
        /// The TCP port.
        public let port: Int

        package init(scheme: Scheme, host: Host, port: Int) {
            self.scheme = scheme
            self.host = host
            self.port = port
        }

        package var destination: ATSDestination {
            ATSDestination(self.host, scheme: self.scheme == .http ? .http : .https, port: self.port)
        }
    }

    /// The user name and the password in a URL, with their escapes resolved. They never appear in a description.
    public struct UserInformation: Sendable, Hashable {
        /// The user name.
        public let user: String
        /// The password, which is empty if the URL has none.
        public let password: String
    }

    /// The scheme, host and port of the server.
    public let origin: Origin
    /// The path and the query, beginning with a slash, in ASCII.
    public let target: String
    /// The user name and password, or `nil` if the URL has none.
    public let userInformation: UserInformation?

    /// The protocol.
    public var scheme: Scheme { self.origin.scheme }
    /// The DNS name or IP address of the server.
    public var host: Host { self.origin.host }
    /// The TCP port.
    public var port: Int { self.origin.port }
    /// The path without the query.
    public var path: Substring { self.target.prefix { $0 != "?" } }

    /// The value of the Host field (RFC 9110 §7.2).
    public var authority: String { self.origin.authority }

    /// 256 KiB, more than any server accepts on a request line.
    private static let maximumSize = 256 << 10

    /// Creates a URL with a target that is sent unchanged, as a proxy must (RFC 9110 §7.7).
    package init(_ origin: Origin, target: String, userInformation: UserInformation? = nil) {
        self.origin = origin
        self.target = target
        self.userInformation = userInformation
    }

    /// Parses a URL.
    ///
    /// - Parameter text: The URL with its scheme. Blanks and control characters are refused. Octets outside ASCII in the path and
    ///   the query are escaped.
    /// - Throws: ``HTTPURLError`` with the fault in its description.
    public init(_ text: String) throws(HTTPURLError) {
        guard !text.utf8.contains(UInt8(ascii: " ")) else { throw HTTPURLError(text.utf8, "it has a blank. Write %20") }
        try self.init(octets: Array(text.utf8))
    }

    private init(octets: [UInt8]) throws(HTTPURLError) {
        guard octets.count <= Self.maximumSize else {
            throw HTTPURLError([], "it has more than \(Self.maximumSize) bytes")
        }
        guard !octets.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw HTTPURLError(octets, "it has control characters")
        }
        let parts: AuthorityURL
        let (beginning, rest) = Self.split(octets)
        do { parts = try AuthorityURL(beginning) } catch { throw HTTPURLError(octets, error.description) }
        guard let scheme = Scheme(rawValue: parts.scheme) else {
            throw HTTPURLError(octets, "its scheme is neither http nor https")
        }
        self.origin = Origin(
            scheme: scheme, host: parts.authority.host, port: parts.authority.port ?? scheme.defaultPort)
        self.target = URLTarget.target(of: rest)
        do {
            self.userInformation = try parts.authority.userInformation.map(UserInformation.init)
        } catch {
            throw HTTPURLError(octets, "its user name or password has a control character or a broken escape")
        }
    }

    /// Splits off the scheme and the authority, which are text, from the octets that follow them.
    private static func split(_ octets: [UInt8]) -> (String, ArraySlice<UInt8>) {
        let scheme = octets.firstIndex(of: UInt8(ascii: ":")) ?? octets.endIndex
        let start = octets.index(scheme, offsetBy: 3, limitedBy: octets.endIndex) ?? octets.endIndex
        let end = octets[start...].firstIndex { "/?#".utf8.contains($0) } ?? octets.endIndex
        return (String(decoding: octets[..<end], as: UTF8.self), octets[end...])
    }

    /// Resolves a reference against this URL (RFC 3986 §5.2), such as the value of a Location field.
    ///
    /// - Parameter reference: The octets of the reference. Blanks are escaped.
    /// - Throws: ``HTTPURLError`` if the result is not a valid URL of `http` or `https`.
    public func resolving(_ reference: some Sequence<UInt8>) throws(HTTPURLError) -> HTTPURL {
        let octets = Array(reference)
        guard !octets.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw HTTPURLError(octets, "it has control characters")
        }
        let beginning = octets.prefix { !"/?#".utf8.contains($0) }
        if beginning.contains(UInt8(ascii: ":")) { return try HTTPURL(octets: octets) }
        if octets.starts(with: "//".utf8) { return try HTTPURL(octets: "\(self.scheme.rawValue):".utf8 + octets) }
        let base: Substring =
            switch octets.first {
            case nil, UInt8(ascii: "#"): self.target[...]
            case UInt8(ascii: "/"): ""
            case UInt8(ascii: "?"): self.path
            default: self.path.lastIndex(of: "/").map { self.path[...$0] } ?? "/"
            }
        return HTTPURL(self.origin, target: URLTarget.target(of: (base.utf8 + octets)[...]))
    }
}

extension HTTPURL.UserInformation {
    init(_ text: Substring) throws(HTTPURLError) {
        // Text that cannot be a credential is refused here, because the request would otherwise be sent without one.
        guard let (user, password) = Authority.userAndPassword(text) else {
            throw HTTPURLError([], "its user name cannot be read")
        }
        self.user = user
        self.password = password
    }
}

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without the user name and password.
    public var description: String { "\(self.scheme.rawValue)://\(self.authority)\(self.target)" }

    /// The URL without the user name and password.
    public var debugDescription: String { self.description }

    /// A mirror without the user name and password.
    public var customMirror: Mirror { Mirror(self, children: ["url": self.description]) }
}

extension HTTPURL.UserInformation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder that reveals neither the name nor the password.
    public var description: String { "(hidden)" }

    /// A placeholder that reveals neither the name nor the password.
    public var debugDescription: String { self.description }

    /// A mirror without children, so that dumps reveal nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPURL.Origin: CustomStringConvertible {
    /// The origin as text, such as `https://example.com:8443`.
    public var description: String { "\(self.scheme.rawValue)://\(self.authority)" }

    /// The host, and the port if it is not the scheme's default.
    package var authority: String {
        self.port == self.scheme.defaultPort ? self.host.textInURL : "\(self.host.textInURL):\(self.port)"
    }
}

/// The error for text that is not a URL of `http` or `https`.
///
/// It is safe to show and to log: the text in it has no user name, password or control characters.
public struct HTTPURLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The beginning of the text, without user name and password and without control characters.
    public let text: String
    /// The fault, as the rest of a sentence about the text.
    public let reason: String

    package init(_ octets: some Sequence<UInt8>, _ reason: String) {
        let shown = octets.prefix(200).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }
        // The text before the last '@' may contain a password, wherever that stands. Only a fragment is never part of the
        // authority.
        let url = Self.withoutFragment(shown)
        let rest = url.lastIndex(of: UInt8(ascii: "@")).map { url[url.index(after: $0)...] } ?? url
        self.text = String(decoding: rest, as: UTF8.self)
        self.reason = reason
    }

    /// Returns the octets without a fragment that contains an `@`. If the text before the `#` has a colon or no valid host, the `#`
    /// may belong to a password, and all octets are returned.
    private static func withoutFragment(_ octets: [UInt8]) -> ArraySlice<UInt8> {
        let url = octets.prefix { $0 != UInt8(ascii: "#") }
        guard octets[url.endIndex...].contains(UInt8(ascii: "@")) else { return octets[...] }
        let text = String(decoding: url, as: UTF8.self)
        let authority = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        let host = authority.prefix { !"/?".contains($0) }
        let mayBePassword = host.contains(":") && host.endIndex == authority.endIndex
        return mayBePassword || (try? Authority(host)) == nil ? octets[...] : url
    }

    /// The text and the fault.
    public var description: String { "“\(self.text)” cannot be loaded: \(self.reason)" }
}
