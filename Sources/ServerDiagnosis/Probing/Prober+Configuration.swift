//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
public import ServerTrustNIO
import TLSProbe
public import TLSWire

extension Prober {
    /// How to ask servers, and how much of their time and of this machine's to take.
    public struct Configuration: Sendable {
        /// The time that each connection has, for connecting, what is said before TLS, and the answer.
        public var timeout = Duration.seconds(5)
        /// The time that each server has in all, however many connections it is asked with and whatever it sends.
        ///
        /// `ServerDiagnoser` keeps to it with everything that one server leads to: its page, the servers that it redirects to,
        /// and the second answers. Only the time in which other names keep the look-ups busy is not counted.
        public var timeoutPerHost = Duration.seconds(120)
        /// How many connections one server has to put up with at the same time.
        public var connectionsPerHost = 3
        /// How many connections are open at the same time, to all servers together.
        public var maximumConnections = 256
        /// How many connections are opened in a second, to all servers together; `nil` for as many as there can be.
        public var connectionsPerSecond: Double?
        /// How often an unclear answer is asked for again; with 0, no closed connection is ever a refusal.
        public var retries = 1
        /// The name for server name indication in place of the endpoint's; an empty one sends none.
        public var serverName: String?
        /// The protocols that ALPN offers; none where something else than HTTP is spoken.
        public var applicationProtocols = ["h2", "http/1.1"]

        /// The protocol that is spoken before TLS; `nil` where TLS comes first.
        public var startTLS: StartTLSProtocol?
        /// The proxy that connections go through; `nil` for none.
        public var proxy: Proxy?
        /// The rules that a proxy of `https` is judged by; `nil` for Apple's.
        public var proxyTrust: TrustConfiguration?

        /// The identities of the client, the preferred one first, for servers that ask for a certificate.
        ///
        /// The prober itself shows none. What judges a server shows one, once the server is trusted, and says what became
        /// of it; see `ClientIdentityUse`.
        public var identities: [TLSIdentity] = []

        /// What looks names up.
        package var resolver = NameResolver.system
        /// What looking up the name of the one server that is asked came to, where that was done already; `nil` where not. All
        /// connections go to its addresses.
        package var lookup: NameLookupOutcome?

        /// The defaults.
        public init() {}
    }
}

extension Prober.Configuration {
    /// Gives a server what is left of the time of another, which it is asked about for.
    mutating func endHost(at end: ContinuousClock.Instant) {
        self.timeoutPerHost = max(.zero, ContinuousClock.now.duration(to: end))
    }

    /// The same with times that can be counted with: at least a millisecond for a connection, at most a day, and at
    /// most a year for a server.
    var bounded: Self {
        var configuration = self
        configuration.timeout = min(max(self.timeout, .milliseconds(1)), .seconds(86_400))
        configuration.timeoutPerHost = min(max(self.timeoutPerHost, .zero), .seconds(31_536_000))
        return configuration
    }
}
