//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ArgumentParser
import FleetScan
import ServerDiagnosis
import ServerTrustNIO
import TLSProbe
public import TLSWire

/// The options for reaching servers, shared by all commands that connect.
struct ConnectingOptions: ParsableArguments {
    @Option(
        name: .customLong("connect-to"),
        help: ArgumentHelp(
            "Connect to this address in place of the host's own.",
            discussion: "The host is still asked for (SNI) and checked. For one machine behind a load balancer, or a "
                + "server that is not in DNS yet.",
            valueName: "address"
        ),
        transform: ConnectingOptions.address
    )
    var connectAddress: String?

    @Option(
        name: .customLong("sni"),
        help: ArgumentHelp(
            "Ask for this name in place of the host. \"\" asks for no name. The certificate is still to be for the host.",
            valueName: "name"),
        transform: { (text: String) throws -> String in
            if !text.isEmpty { try text.checkServerName() }
            return text
        })
    var serverName: String?

    @Option(
        name: .customLong("starttls"),
        help: ArgumentHelp(
            "The protocol that is spoken before TLS. Its port is the default then.",
            discussion: "A server that was reached and offers no TLS in it fails (exit code 1). A reply that refuses "
                + "this moment, such as 454 of SMTP, decides nothing (exit code 2)."))
    var startTLS: StartTLSProtocol?

    @Option(
        name: .customLong("proxy"),
        help: ArgumentHelp(
            "Connect through a proxy: [http|https|socks4|socks5://][user:password@]host[:port].",
            discussion: "Names are looked up by the proxy. An empty one connects directly.", valueName: "url"),
        transform: GivenProxy.init)
    var givenProxy: GivenProxy?

    @Flag(
        name: .customLong("one-address"),
        help: ArgumentHelp(
            "Ask one address of each name: the first that answers.",
            discussion: "Without, each address of a name is asked, up to "
                + "\(ServerDiagnoser.Configuration.defaultMaximumAddresses), and the worst verdict decides."))
    var asksOneAddress = false

    @OptionGroup(title: "Client certificate")
    var identity: IdentityArguments

    var given: [String] {
        [
            ("--connect-to", self.connectAddress != nil), ("--sni", self.serverName != nil),
            ("--starttls", self.startTLS != nil), ("--proxy", self.givenProxy != nil),
            ("--one-address", self.asksOneAddress),
        ].filter(\.1).map(\.0) + self.identity.given
    }

    /// The proxy, or `nil` for a direct connection.
    var proxy: Proxy? { self.givenProxy?.proxy }

    /// The port of a server that is named without one.
    var defaultPort: Int { self.startTLS?.defaultPort ?? TLSEndpoint.defaultPort }

    var maximumAddresses: Int {
        self.asksOneAddress ? 1 : ServerDiagnoser.Configuration.defaultMaximumAddresses
    }

    /// Parses the name of a server.
    ///
    /// - Throws: `TLSEndpointError` with a description of the correct form.
    func endpoint(_ text: String) throws -> TLSEndpoint {
        try TLSEndpoint(parsing: text, connectAddress: self.connectAddress, defaultPort: self.defaultPort)
    }

    /// Returns the settings for connections.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for each connection.
    ///   - total: The time limit for each server, or `nil` for the default.
    /// - Throws: ``CommandError`` if the client's certificate or key cannot be read.
    func configuration(timeout: Duration, total: Duration? = nil) throws(CommandError) -> Prober.Configuration {
        var configuration = Prober.Configuration()
        configuration.timeout = timeout
        configuration.timeoutPerHost = total ?? configuration.timeoutPerHost
        configuration.serverName = self.serverName
        configuration.startTLS = self.startTLS
        configuration.proxy = self.proxy
        configuration.identities = try self.identity.identities()
        return configuration
    }

    private static func address(_ text: String) throws -> String {
        do {
            _ = try TLSEndpoint(host: "example.com", connectAddress: text)
            return text
        } catch {
            throw CommandError("give an IP address or a name without a port. The port is the target's: HOST:PORT")
        }
    }
}

/// The value of a proxy option.
struct GivenProxy: Sendable {
    /// The proxy, or `nil` for an empty option, which means a direct connection.
    let proxy: Proxy?

    /// Parses the value of an option.
    ///
    /// - Throws: `ProxyError` for a malformed proxy.
    init(_ text: String) throws { self.proxy = text.isEmpty ? nil : try Proxy(text) }
}

extension StartTLSProtocol: ExpressibleByArgument {}
