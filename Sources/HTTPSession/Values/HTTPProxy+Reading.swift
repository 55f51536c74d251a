//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPAuthentication
import ServerTrust

extension HTTPProxy {
    /// Reads a proxy as people write it.
    ///
    /// - Parameters:
    ///   - text: `[scheme://][user:password@]host[:port]`, with `http` where no scheme is written. User and password may have
    ///     escapes. What follows the port is ignored, as a path is.
    ///   - schemes: How user and password may be shown.
    ///   - sendsBasicUnasked: Whether Basic is sent at once.
    /// - Throws: ``HTTPProxyError``, whose text has no password in it.
    public init(
        _ text: String, schemes: HTTPAuthenticationSchemes = [.basic, .digest], sendsBasicUnasked: Bool = false
    ) throws(HTTPProxyError) {
        let parts: AuthorityURL
        do {
            parts = try AuthorityURL(text.contains("://") ? text : "http://" + text)
        } catch {
            throw HTTPProxyError(reason: error.description)
        }
        guard let scheme = Scheme(rawValue: parts.scheme) else {
            throw HTTPProxyError(reason: "its scheme has to be http, https, socks5 or socks5h")
        }
        var credential: HTTPRequestCredential?
        if let text = parts.authority.userInformation {
            guard let information = try? HTTPURL.UserInformation(text),
                let shown = try? HTTPCredential(user: information.user, password: information.password)
            else { throw HTTPProxyError(reason: "its user or password has a control character or a broken escape") }
            credential = HTTPRequestCredential(shown, schemes: schemes, sendsBasicUnasked: sendsBasicUnasked)
        }
        self.init(
            scheme, host: parts.authority.host, port: parts.authority.port ?? scheme.defaultPort, credential: credential
        )
    }
}

/// Text that is no proxy.
public struct HTTPProxyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, as the rest of a sentence about the text.
    public let reason: String

    /// What is wrong, and what to write.
    public var description: String { "The proxy cannot be used: \(self.reason). Write http://host:port." }
}

extension ProxyPolicy {
    /// The proxies that a process is told in its environment: `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`, of which all but
    /// the first may be in capitals. A web server sets `HTTP_PROXY` to a field that its client chooses. A variable that is empty is
    /// not there.
    ///
    /// - Parameters:
    ///   - environment: The environment.
    ///   - schemes: How user and password may be shown.
    ///   - sendsBasicUnasked: Whether Basic is sent at once.
    /// - Throws: ``HTTPProxyError``. Where there are exceptions, a malformed proxy fails the requests that would pass it alone.
    public init(
        environment: [String: String], schemes: HTTPAuthenticationSchemes = [.basic, .digest],
        sendsBasicUnasked: Bool = false
    ) throws(HTTPProxyError) {
        self.init()
        self.exceptions = ProxyExceptions(environment: environment)
        let all = ["all_proxy", "ALL_PROXY"]
        for (scheme, names) in [
            (HTTPURL.Scheme.http, ["http_proxy"] + all), (.https, ["https_proxy", "HTTPS_PROXY"] + all),
        ] {
            guard let text = environment.firstValue(of: names) else { continue }
            do throws(HTTPProxyError) {
                let proxy = try HTTPProxy(text, schemes: schemes, sendsBasicUnasked: sendsBasicUnasked)
                if scheme == .http { self.http = proxy } else { self.https = proxy }
            } catch {
                guard !self.exceptions.isEmpty else { throw error }
                self.malformed[scheme] = error
            }
        }
    }
}

extension ProxyExceptions {
    /// The list that a process is told in its environment: `no_proxy`, or `NO_PROXY`.
    ///
    /// - Parameter environment: The environment.
    public init(environment: [String: String]) {
        self.init(environment.firstValue(of: ["no_proxy", "NO_PROXY"]) ?? "")
    }
}

extension [String: String] {
    /// The first of several variables that is there and not empty.
    fileprivate func firstValue(of names: [String]) -> String? {
        names.lazy.compactMap { self[$0] }.first { !$0.isEmpty }
    }
}
