//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust

/// A place to send a request to: an `http` or `https` URL taken apart and checked.
package struct HTTPLocation: Hashable, Sendable {
    /// How the place is spoken to.
    package enum Scheme: String, Sendable, CaseIterable {
        case http
        case https

        var defaultPort: Int { self == .http ? 80 : 443 }
    }

    package let scheme: Scheme
    package let host: Host
    package let port: Int
    /// The path and query, beginning with a slash.
    package let target: String

    private static let maximumSize = 2_048

    /// Reads a URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - schemes: The schemes it may have; by default `http` alone, as certificates are to name.
    /// - Throws: ``ResourceError`` for another scheme, credentials, an impossible host or port, and anything that is not
    ///   printable ASCII: what is sent as a request line must be one line.
    package init(_ url: String, schemes: [Scheme] = [.http]) throws(ResourceError) {
        guard url.utf8.count <= Self.maximumSize, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ResourceError(.invalidURL, "the URL is too long or has characters URLs do not have")
        }
        let written = AuthorityURL.splitScheme(url)?.scheme
        guard let scheme = schemes.first(where: { $0.rawValue == written }) else {
            throw ResourceError(
                .invalidURL, "the URL is not one of \(schemes.map(\.rawValue).joined(separator: " or "))")
        }
        let parts: AuthorityURL
        do { parts = try AuthorityURL(url) } catch { throw ResourceError(.invalidURL, error.description) }
        guard parts.authority.userInformation == nil else {
            throw ResourceError(.invalidURL, "the URL has a user name in it")
        }
        (self.scheme, self.host) = (scheme, parts.authority.host)
        self.port = parts.authority.port ?? scheme.defaultPort
        let target = parts.rest.utf8.prefix { $0 != UInt8(ascii: "#") }
        self.target = target.first == UInt8(ascii: "/") ? String(Substring(target)) : "/\(Substring(target))"
    }

    /// The location a redirect of `http` points to: an absolute URL of the same, or an absolute path on the same server.
    func resolving(_ reference: String) throws(ResourceError) -> HTTPLocation {
        if reference.hasPrefix("//") { return try HTTPLocation("http:" + reference) }
        if reference.hasPrefix("/") { return try HTTPLocation("http://" + self.authority + reference) }
        return try HTTPLocation(reference)
    }

    /// The location a redirect points to, whatever form it has (RFC 3986 §5.2); without the dots of relative paths being
    /// resolved, which servers do as well.
    package func following(_ reference: String) throws(ResourceError) -> HTTPLocation {
        let isAbsolute = reference.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.contains(":")
        let base = "\(self.scheme)://\(self.authority)"
        let url =
            if isAbsolute { reference } else if reference.hasPrefix("//") {
                "\(self.scheme):\(reference)"
            } else if reference.hasPrefix("/") {
                base + reference
            } else { base + self.path(to: reference) + reference }
        return try HTTPLocation(url, schemes: HTTPLocation.Scheme.allCases)
    }

    /// What of the path and query comes before a relative reference: of a query the whole path, of a fragment and of nothing
    /// the query too, and of anything else the path up to its last slash.
    private func path(to reference: String) -> String {
        let path = self.target.prefix { $0 != "?" }
        switch reference.first {
        case nil, "#": return self.target
        case "?": return String(path)
        default: return path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
        }
    }

    /// The value of the Host field.
    var authority: String {
        let host = self.host.textInURL
        return self.port == self.scheme.defaultPort ? host : "\(host):\(self.port)"
    }
}
