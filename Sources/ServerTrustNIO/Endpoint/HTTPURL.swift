//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity
public import ServerTrust

/// A URL of `http` or `https`, taken apart as it is sent (RFC 3986, RFC 9110 §4.2).
///
/// Hosts are read by the grammar that certificates are compared by. What readers of URLs take in different ways is refused, so
/// that no server is judged in place of the one that is connected to. Fragments are dropped, dots of paths are resolved.
public struct HTTPURL: Sendable, Hashable {
    /// How the server is spoken to.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// Without TLS.
        case http
        /// With TLS.
        case https

        /// The port where no port is written.
        public var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// A scheme, a host and a port: what credentials and cookies of a program are for (RFC 6454 §4).
    public struct Origin: Sendable, Hashable {
        /// How the server is spoken to.
        public let scheme: Scheme
        /// The name or address.
        public let host: Host
        /// The port.
        public let port: Int

        /// An origin of its parts.
        package init(scheme: Scheme, host: Host, port: Int) {
            self.scheme = scheme
            self.host = host
            self.port = port
        }

        /// The origin as App Transport Security looks it up.
        package var destination: ATSDestination {
            ATSDestination(self.host, scheme: self.scheme == .http ? .http : .https, port: self.port)
        }
    }

    /// The name or password that stands in the URL, with its escapes resolved. It is never part of a description.
    public struct UserInformation: Sendable, Hashable {
        /// The name.
        public let user: String
        /// The password; empty where the URL has none.
        public let password: String
    }

    /// Where the server is.
    public let origin: Origin
    /// The path and the query, beginning with a slash, in ASCII.
    public let target: String
    /// Who asks; `nil` where the URL does not say.
    public let userInformation: UserInformation?

    /// How the server is spoken to.
    public var scheme: Scheme { self.origin.scheme }
    /// The name or address.
    public var host: Host { self.origin.host }
    /// The port.
    public var port: Int { self.origin.port }
    /// The path without the query.
    public var path: Substring { self.target.prefix { $0 != "?" } }

    /// The value of the Host field (RFC 9110 §7.2).
    public var authority: String { self.origin.authority }

    /// More than any server takes on a request line.
    private static let maximumSize = 256 << 10

    /// A URL whose target is sent as it is: a proxy does not change it (RFC 9110 §7.7).
    package init(_ origin: Origin, target: String, userInformation: UserInformation? = nil) {
        self.origin = origin
        self.target = target
        self.userInformation = userInformation
    }

    /// Reads a URL.
    ///
    /// - Parameter text: The URL, with its scheme. Blanks and control characters are refused; octets beyond ASCII in the path
    ///   and the query are escaped.
    /// - Throws: ``HTTPURLError``, which says what is wrong.
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

    /// The scheme and the authority, which are text, and the octets that follow them.
    private static func split(_ octets: [UInt8]) -> (String, ArraySlice<UInt8>) {
        let scheme = octets.firstIndex(of: UInt8(ascii: ":")) ?? octets.endIndex
        let start = octets.index(scheme, offsetBy: 3, limitedBy: octets.endIndex) ?? octets.endIndex
        let end = octets[start...].firstIndex { "/?#".utf8.contains($0) } ?? octets.endIndex
        return (String(decoding: octets[..<end], as: UTF8.self), octets[end...])
    }

    /// Where a reference leads (RFC 3986 §5.2), such as the value of a Location field.
    ///
    /// - Parameter reference: Its octets. Blanks are escaped.
    /// - Throws: ``HTTPURLError``
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
        // What no credential can have is refused here: the request would go without one.
        guard let (user, password) = Authority.userAndPassword(text) else {
            throw HTTPURLError([], "its user name cannot be read")
        }
        self.user = user
        self.password = password
    }
}

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without who asks.
    public var description: String { "\(self.scheme.rawValue)://\(self.authority)\(self.target)" }

    /// The URL without who asks.
    public var debugDescription: String { self.description }

    /// The URL without who asks.
    public var customMirror: Mirror { Mirror(self, children: ["url": self.description]) }
}

extension HTTPURL.UserInformation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// That there is some.
    public var description: String { "(hidden)" }

    /// That there is some.
    public var debugDescription: String { self.description }

    /// No part of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPURL.Origin: CustomStringConvertible {
    /// Such as `https://example.com:8443`.
    public var description: String { "\(self.scheme.rawValue)://\(self.authority)" }

    /// The host, with the port where it is not that of the scheme.
    package var authority: String {
        self.port == self.scheme.defaultPort ? self.host.textInURL : "\(self.host.textInURL):\(self.port)"
    }
}

/// Text that is not a URL of `http` or `https`, and what is wrong with it.
public struct HTTPURLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The beginning of the text, without who asks and without control characters.
    public let text: String
    /// What is wrong, as the rest of a sentence about the text.
    public let reason: String

    package init(_ octets: some Sequence<UInt8>, _ reason: String) {
        let shown = octets.prefix(200).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }
        // What stands before the last '@' may hold a password, wherever it stands; but no fragment belongs to the authority.
        let url = Self.withoutFragment(shown)
        let rest = url.lastIndex(of: UInt8(ascii: "@")).map { url[url.index(after: $0)...] } ?? url
        self.text = String(decoding: rest, as: UTF8.self)
        self.reason = reason
    }

    /// The octets before the fragment. A number sign may be meant for a password's, where a colon or no host stands before it.
    private static func withoutFragment(_ octets: [UInt8]) -> ArraySlice<UInt8> {
        let url = octets.prefix { $0 != UInt8(ascii: "#") }
        guard octets[url.endIndex...].contains(UInt8(ascii: "@")) else { return octets[...] }
        let text = String(decoding: url, as: UTF8.self)
        let authority = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        let host = authority.prefix { !"/?".contains($0) }
        let mayBePassword = host.contains(":") && host.endIndex == authority.endIndex
        return mayBePassword || (try? Authority(host)) == nil ? octets[...] : url
    }

    /// The text, and what is wrong with it.
    public var description: String { "“\(self.text)” cannot be loaded: \(self.reason)" }
}
