//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
public import TLSWire

extension Proxy {
    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - scheme: The protocol.
    ///   - host: The host.
    ///   - port: The port, or `nil` for the scheme's default.
    ///   - credentials: The user name and password, or `nil` to send none.
    public init(_ scheme: Scheme, host: Host, port: Int? = nil, credentials: Credentials? = nil) {
        self.init(scheme, at: host.text, port: port ?? scheme.defaultPort, credentials: credentials)
    }

    /// Parses a proxy by curl's grammar.
    ///
    /// Hosts are read by one grammar. A host that only curl's own libraries can read, such as `127.1` or `local%68ost`, is refused.
    /// Broken escapes, control characters, port 0, address zones and Unix sockets are refused as well.
    ///
    /// - Parameter text: `[scheme://][user[:password]@]host[:port]`. The default scheme is `http`. The default port is 1080, or 443
    ///   for `https`. The user name and password may have escapes. A path, a query and a fragment are ignored.
    /// - Throws: ``ProxyError``, which contains no part of the text.
    public init(_ text: String) throws(ProxyError) {
        let written = AuthorityURL.splitScheme(text)?.scheme
        // A colon without a port is allowed after the host of a URL only. Elsewhere it ends a misspelled scheme.
        let authority = text.utf8.prefix { !"/?#".utf8.contains($0) }
        guard written != nil || authority.last != UInt8(ascii: ":") else {
            throw text.contains("://") ? .scheme : .port
        }
        let url: AuthorityURL
        do { url = try AuthorityURL(written == nil ? "http://" + text : text) } catch {
            throw error == .authority(.port) ? .port : .host
        }
        guard let scheme = Scheme(curl: url.scheme) else { throw .scheme }
        guard !url.rest.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { throw .path }
        // curl takes the path for a Unix socket's.
        guard !scheme.isSOCKS || url.authority.host.text != "localhost" || url.rest.utf8.count <= 1 else { throw .path }
        self.init(
            scheme, host: url.authority.host, port: url.authority.port,
            credentials: try Self.credentials(url.authority.userInformation, in: scheme))
    }

    /// Returns the user name and password, or `nil` if both are empty.
    private static func credentials(_ text: Substring?, in scheme: Scheme) throws(ProxyError) -> Credentials? {
        guard let text else { return nil }
        guard let (user, password) = Authority.userAndPassword(text) else { throw .credentials }
        guard !user.isEmpty || !password.isEmpty else { return nil }
        let credentials = Credentials(user: user, password: password)
        guard credentials.isUsable(in: scheme) else { throw .credentials }
        return credentials
    }
}

extension Proxy.Scheme {
    /// Creates the scheme for curl's name in lower case.
    fileprivate init?(curl text: String) { self.init(rawValue: text == "socks" ? "socks4" : text) }
}

/// The errors for text that is not a proxy.
///
/// They contain no part of the text, which may include a password.
public enum ProxyError: Error, Sendable, Hashable, CaseIterable {
    /// The scheme is not a proxy protocol.
    case scheme
    /// The host is missing or invalid.
    case host
    /// The port is not a number from 1 to 65535.
    case port
    /// The user name or password has a broken escape, a control character, or a length that the protocol cannot send.
    case credentials
    /// The text after the port has a blank or a control character, or names a Unix socket.
    case path

    /// The fault, as the rest of a sentence about the text.
    private var reason: String {
        switch self {
        case .scheme: "its scheme is not one of \(Proxy.Scheme.allCases.map(\.rawValue).joined(separator: ", "))"
        case .host: "its host is not a name or an address, or an address of IPv6 without brackets"
        case .port: "its port is not a number from 1 to 65535"
        case .credentials:
            "its user or password has a broken escape, a control character or a length that cannot be sent"
        case .path: "what stands behind the port has a blank, or names a Unix socket"
        }
    }
}

extension ProxyError: CustomStringConvertible {
    /// The fault and the remedy.
    public var description: String { "The proxy cannot be used: \(self.reason). Write http://host:port." }
}
