//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ArgumentParser
import FleetScan
import ServerDiagnosisNIO
import ServerReports
import ServerTrust
import ServerTrustNIO
public import TLSProbe

/// The options of every command that asks servers for facts.
struct ProbeOptions: ParsableArguments {
    @Option(
        name: .customLong("connect-to"),
        help: ArgumentHelp(
            "Connect to this address in place of the host's own.",
            discussion: "The host is still asked for (SNI) and checked.", valueName: "address"),
        transform: ConnectionOptions.address
    )
    var connectAddress: String?

    @Option(
        name: .customLong("sni"),
        help: ArgumentHelp(
            "Ask for this name in place of the host; \"\" asks for none. The certificate is still to be for the host.",
            valueName: "name"),
        transform: { (text: String) throws -> String in
            if !text.isEmpty { try text.checkServerName() }
            return text
        })
    var serverName: String?

    @Option(
        name: .customLong("timeout"),
        help: ArgumentHelp("The seconds that each connection may take. (default: 5)", valueName: "seconds"),
        transform: ConnectionOptions.duration
    )
    var timeout = Duration.seconds(5)

    @Option(
        name: .customLong("total-timeout"),
        help: ArgumentHelp(
            "The time of each server in all, whatever it sends and however many connections it takes. (default: 120)",
            valueName: "seconds"),
        transform: ConnectionOptions.duration
    )
    var totalTimeout: Duration?

    @Option(
        name: .customLong("starttls"),
        help: "The protocol that is spoken before TLS; its port is the default then.")
    var startTLS: StartTLSProtocol?

    @Option(
        name: .customLong("proxy"),
        help: ArgumentHelp(
            "Connect through a proxy: http://[user:password@]host:port, or socks5://…",
            discussion: "Names are looked up by the proxy.", valueName: "url"),
        transform: { (text: String) throws -> ProxyURL in try ProxyURL(text) })
    var proxy: ProxyURL?

    @Flag(
        name: .customLong("one-address"),
        help: ArgumentHelp(
            "Ask one address of each name: the first that answers.",
            discussion: "Without, each address of a name is asked, up to "
                + "\(ServerDiagnoser.Configuration.defaultMaximumAddresses), and the worst verdict decides."))
    var asksOneAddress = false

    /// The options that were given, as far as that can be told.
    var given: [String] {
        [
            ("--connect-to", self.connectAddress != nil), ("--sni", self.serverName != nil),
            ("--starttls", self.startTLS != nil), ("--proxy", self.proxy != nil),
            ("--total-timeout", self.totalTimeout != nil), ("--one-address", self.asksOneAddress),
        ].filter(\.1).map(\.0)
    }

    /// The endpoint that a person wrote as a target.
    ///
    /// - Throws: `TLSEndpointError`, whose description says what to write instead.
    func endpoint(_ text: String) throws -> TLSEndpoint {
        try TLSEndpoint(
            parsing: text, connectAddress: self.connectAddress,
            defaultPort: self.startTLS?.defaultPort ?? TLSEndpoint.defaultPort)
    }

    /// How many addresses of each name are asked.
    var maximumAddresses: Int {
        self.asksOneAddress ? 1 : ServerDiagnoser.Configuration.defaultMaximumAddresses
    }

    /// How it asks.
    var configuration: Prober.Configuration {
        var configuration = Prober.Configuration()
        configuration.timeout = self.timeout
        configuration.timeoutPerHost = self.totalTimeout ?? configuration.timeoutPerHost
        configuration.serverName = self.serverName
        configuration.startTLS = self.startTLS
        configuration.proxy = self.proxy
        return configuration
    }
}

extension StartTLSProtocol: ExpressibleByArgument {}

extension ProbePlan: ExpressibleByArgument {}
