//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
public import Logging
package import NIOCore
public import ServerTrust
public import ServerTrustNIO

/// What a session trusts, how it connects, and how much of servers' time and octets it puts up with.
public struct HTTPSessionConfiguration: Sendable {
    /// What is trusted and enforced on every connection: anchors, pins, App Transport Security, the program's own identity.
    public var trust: ServerTrustSettings

    /// Whether requests without TLS are sent although ``trust`` does not say so: App Transport Security with an exception lets
    /// them pass by itself.
    ///
    /// - Warning: Everyone on the way can read and change such requests and responses.
    public var dangerouslyAllowsPlainHTTP = false

    /// The proxies. None by default; `ProxyPolicy.environment(_:)` reads those of a process.
    public var proxies = ProxyPolicy()

    /// Whether what ``trust`` lets be fetched is fetched although there is a proxy: this machine then connects past it, to where
    /// certificates say. By default nothing is fetched where there is a proxy for some hosts.
    public var fetchesPastProxies = false

    /// Where to connect to in place of what DNS says.
    public var routes = ConnectionRoutes()

    /// The resolver of names.
    package var resolver = NameResolver.system

    /// Whether an address, with its port, may be connected to, whatever name it was found by; `nil` for every address.
    package var allowsAddress: (@Sendable (SocketAddress) -> Bool)?

    /// The cookies; `nil` keeps and sends none.
    public var cookies: HTTPCookieStorage?

    /// Answers challenges for credentials that no request brings along; `nil` for none.
    public var challenges: (any ChallengeHandler)?

    /// Credentials that are proposed where a server asks; `nil` for none.
    public var credentialStorage: (any CredentialStorage)?

    /// Fields that every request has which neither sets nor omits them. Authorization, Cookie and Host among them are for the origin
    /// of the request's URL alone, as those of the request are.
    public var additionalFields: HTTPFields = [:]

    /// The value of the User-Agent field; `nil` sends none.
    public var userAgent: String? = "swift-server-trust"

    /// Whether compressed content (gzip, deflate) is asked for and decoded.
    public var decodesContent = true

    /// Whether HTTP/2 is offered to servers, which then choose between it and HTTP/1.1 (ALPN, RFC 7301).
    public var offersHTTP2 = true

    /// The times.
    public var timeouts = Timeouts()

    /// The limits.
    public var limits = Limits()

    /// The connections, which sessions may share: those of equal ``trust`` alone serve each other's requests.
    public var pool: HTTPConnectionPool

    /// Hears what a session does; `nil` for none.
    public var observer: (any HTTPSessionObserver)?

    /// Follows each request from its beginning to its end, for metrics and distributed tracing; `nil` for none.
    public var instrument: (any HTTPSessionInstrument)?

    /// Gets a line for each event, at level debug, without anything secret; `nil` for none.
    public var logger: Logger?

    /// A configuration with safe defaults for the rest.
    ///
    /// - Parameters:
    ///   - trust: What is trusted and enforced.
    ///   - pool: The connections; by default the session has its own.
    public init(trust: ServerTrustSettings, pool: HTTPConnectionPool = HTTPConnectionPool()) {
        self.trust = trust
        self.pool = pool
    }

    /// A configuration with safe defaults for the rest.
    ///
    /// - Parameters:
    ///   - trust: What is trusted, and the rules; by default Apple's whole verdict, with issuers fetched that servers do not
    ///     send.
    ///   - serverTrust: Pins and rules for hosts: a `ServerTrustManager`, say; `nil` for none.
    ///   - transportSecurity: Whether App Transport Security holds.
    public init(
        trust: TrustConfiguration = .apple.fetchingIssuers(), serverTrust: (any ServerTrustEvaluating)? = nil,
        transportSecurity: TransportSecurity = .strict
    ) {
        var settings = ServerTrustSettings(trust: trust, transportSecurity: transportSecurity)
        settings.evaluator = serverTrust
        self.init(trust: settings)
    }
}

extension HTTPSessionConfiguration {
    /// How long something may take.
    public struct Timeouts: Sendable, Hashable {
        /// Connecting: DNS, TCP, the proxy and TLS together.
        public var connect = Duration.seconds(30)
        /// The part of ``connect`` that DNS and TCP may take; `nil` for all of it.
        package var address: Duration?
        /// From the end of the request to the end of the head of the response.
        public var head = Duration.seconds(60)
        /// Without any content.
        public var idle = Duration.seconds(60)
        /// The time that a connection of HTTP/2 is silent before its server is asked whether it is there, and that it has to
        /// answer then.
        public var silence = Duration.seconds(15)
        /// All of a request, with redirects and challenges; `nil` for as long as it takes.
        public var total: Duration?
        /// The time that a server has to say 100 before large content is sent (RFC 9110 §10.1.1).
        public var expectation = Duration.seconds(1)

        /// The defaults.
        public init() {}
    }

    /// How much is taken.
    public struct Limits: Sendable, Hashable {
        /// The octets of a head, with all informational responses before it.
        public var headSize = 300 << 10
        /// The octets of content that ``HTTPSession/data(for:)`` collects, decoded.
        public var dataSize = 64 << 20
        /// How many times as large as what was sent decoded content may be, once it has more than 1 MiB.
        public var decodingRatio = 1_100
        /// The octets of content that are read of a response that is not delivered, to use its connection again.
        public var discardedSize = 1 << 20
        /// How often one request is sent again because a connection was closed that an earlier request had used.
        public var retries = 2

        /// The defaults.
        public init() {}
    }
}
