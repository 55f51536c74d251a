//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
public import ServerTrustNIO
import TLSProbe
public import TLSWire

extension Prober {
    /// The settings of a ``Prober``: the way to probe servers, and limits on their time and this machine's.
    ///
    /// The limits ``maximumConnections`` and ``connectionsPerSecond`` apply to all servers of a prober together.
    public struct Configuration: Sendable {
        /// The time for each connection, including the exchange before TLS and the answer.
        public var timeout = Duration.seconds(5)
        /// The time for each server, whatever the number of connections.
        ///
        /// `ServerDiagnoser` applies it to everything about one server: its page, the targets of its redirects, and the second
        /// probe. Only the time in which other names keep the resolver busy is not counted.
        public var timeoutPerHost = Duration.seconds(120)
        /// The maximum number of simultaneous connections to one server.
        public var connectionsPerHost = 3
        /// The maximum number of simultaneous connections to all servers together.
        public var maximumConnections = 256
        /// The maximum number of new connections to all servers in one second, or `nil` for no limit.
        public var connectionsPerSecond: Double?
        /// The number of retries after an unclear answer. With 0, a closed connection never counts as a refusal.
        public var retries = 1
        /// The name for server name indication instead of the endpoint's, or an empty string to send none.
        public var serverName: String?
        /// The application protocols to offer by ALPN. With STARTTLS none are offered.
        public var applicationProtocols = ["h2", "http/1.1"]

        /// The protocol before TLS, or `nil` if TLS comes first.
        public var startTLS: StartTLSProtocol?
        /// The proxy, or `nil` for none.
        public var proxy: Proxy?
        /// The rules for the evaluation of an `https` proxy, or `nil` for Apple's.
        public var proxyTrust: TrustConfiguration?

        /// The client's identities, the preferred one first, for servers that request a certificate.
        ///
        /// The prober itself presents none. A `ServerDiagnoser` presents one once the server is trusted, and reports the result as
        /// `ClientIdentityUse`.
        public var identities: [TLSIdentity] = []

        package var resolver = NameResolver.system
        /// The result of resolving the name of the one server, or `nil` if it is not resolved yet. All connections go to its
        /// addresses.
        package var lookup: NameLookupOutcome?

        /// Creates a configuration with the defaults.
        public init() {}
    }
}

extension Prober.Configuration {
    /// Limits the time for a server to the rest of a time that began earlier.
    mutating func endHost(at end: ContinuousClock.Instant) {
        self.timeoutPerHost = max(.zero, ContinuousClock.now.duration(to: end))
    }

    /// The configuration with times in a safe range: for a connection from a millisecond to a day, and for a server at most a year.
    var bounded: Self {
        var configuration = self
        configuration.timeout = min(max(self.timeout, .milliseconds(1)), .seconds(86_400))
        configuration.timeoutPerHost = min(max(self.timeoutPerHost, .zero), .seconds(31_536_000))
        return configuration
    }
}
