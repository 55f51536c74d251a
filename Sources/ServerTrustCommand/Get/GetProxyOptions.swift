//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import HTTPSession
import ServerTrust

/// The options for proxies, with curl's names.
struct GetProxyOptions: ParsableArguments {
    @Option(
        name: [.customShort("x"), .customLong("proxy")], parsing: .unconditional,
        help: ArgumentHelp(
            "The proxy: [http|https|socks4|socks5://][user:password@]host[:port]. An empty one connects directly.",
            valueName: "url"),
        transform: GivenProxy.init)
    var proxy: GivenProxy?

    @Flag(
        name: [.customShort("p"), .customLong("proxytunnel")],
        help: "Ask the proxy for a tunnel (CONNECT) for http, too.")
    var tunnels = false

    @Option(
        name: [.customShort("U"), .customLong("proxy-user")], parsing: .unconditional,
        help: ArgumentHelp("User and password for the proxy.", valueName: "user:password"))
    var user: String?

    @Flag(name: .customLong("proxy-basic"), help: "Show them by Basic, at once.")
    var isBasic = false

    @Flag(name: .customLong("proxy-digest"), help: "Show them by Digest alone, once the proxy asks.")
    var isDigest = false

    @Flag(name: .customLong("proxy-anyauth"), help: "Show them as the proxy asks.")
    var isAny = false

    @Option(
        name: .customLong("noproxy"), parsing: .unconditional,
        help: ArgumentHelp(
            "Hosts without a proxy: names, addresses, blocks, separated by commas, or * for all.", valueName: "list"))
    var exceptions: String?

    private var scheme: GetAuthenticationOptions.UserScheme {
        if self.isAny { return .any }
        if self.isDigest { return self.isBasic ? .any : .digest }
        return .basic
    }

    /// Returns the proxies of the options or of the environment.
    func policy(_ environment: [String: String]) throws -> ProxyPolicy {
        // The exceptions of the option replace those of the variables, so that a malformed proxy in a variable may remain unused.
        var named = self.proxy == nil ? environment : [:]
        if let exceptions { (named["no_proxy"], named["NO_PROXY"]) = (exceptions, nil) }
        var policy = try self.proxy?.proxy.map { ProxyPolicy($0) } ?? ProxyPolicy(environment: named)
        policy.schemes = self.scheme.schemes
        policy.sendsBasicUnasked = self.scheme == .basic
        policy.credential = try self.user.map { try GetAuthenticationOptions.credential($0, self.scheme) }
        policy.exceptions =
            self.exceptions.map { ProxyExceptions($0) } ?? ProxyExceptions(environment: environment)
        if self.exceptions != nil, let block = policy.exceptions.invalidBlocks.first {
            throw CommandError("--noproxy: \(block) is no block of addresses. Write one such as 10.0.0.0/8")
        }
        policy.tunnelsPlainHTTP = self.tunnels
        return policy
    }
}
