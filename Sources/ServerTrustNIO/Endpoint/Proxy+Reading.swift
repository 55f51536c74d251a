//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
public import TLSWire

extension Proxy {
    /// A proxy.
    ///
    /// - Parameters:
    ///   - scheme: The protocol.
    ///   - host: The host.
    ///   - port: The port; `nil` for the scheme's own.
    ///   - credentials: The user and the password; `nil` without them.
    public init(_ scheme: Scheme, host: Host, port: Int? = nil, credentials: Credentials? = nil) {
        self.init(scheme, at: host.text, port: port ?? scheme.defaultPort, credentials: credentials)
    }

    /// Reads a proxy by curl's grammar.
    ///
    /// Where curl's libraries read a host in ways of their own, as `127.1` or `local%68ost`, the text is refused: hosts are read
    /// by one grammar. Broken escapes, control characters, port 0, zones of addresses and Unix sockets are refused as well.
    ///
    /// - Parameter text: `[scheme://][user[:password]@]host[:port]`, with `http` for a missing scheme, and with 1080, or 443 for
    ///   `https`, for a missing port. A user and a password may have escapes. A path, a query and a fragment are ignored.
    /// - Throws: ``ProxyError``, which has no part of the text.
    public init(_ text: String) throws(ProxyError) {
        let written = AuthorityURL.splitScheme(text)?.scheme
        // A colon without a port stands behind the host of a URL alone: otherwise it ends a misspelled scheme.
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
        // curl takes the path for that of a Unix socket.
        guard !scheme.isSOCKS || url.authority.host.text != "localhost" || url.rest.utf8.count <= 1 else { throw .path }
        self.init(
            scheme, host: url.authority.host, port: url.authority.port,
            credentials: try Self.credentials(url.authority.userInformation, in: scheme))
    }

    /// The user and the password of user information; `nil` where both are empty.
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
    /// A scheme that curl knows, in lower case.
    fileprivate init?(curl text: String) { self.init(rawValue: text == "socks" ? "socks4" : text) }
}

/// A reason why text is no proxy.
public enum ProxyError: Error, Sendable, Hashable, CaseIterable {
    /// The scheme is not the name of a protocol of proxies.
    case scheme
    /// The host is missing or cannot be one.
    case host
    /// The port is not a number from 1 to 65535.
    case port
    /// The user or the password has a broken escape, a control character or a length that the protocol has no form for.
    case credentials
    /// The text behind the port has a blank or a control character, or is the path of a Unix socket.
    case path

    /// The rest of a sentence about the text.
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
