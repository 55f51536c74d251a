//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
public import Logging
package import NIOCore
public import ServerTrust
public import ServerTrustNIO

/// The configuration of a session: its trust, its connections, and its limits.
///
/// The defaults are safe: Apple's complete verdict, App Transport Security without exceptions, and no requests without TLS.
///
/// ```swift
/// var configuration = HTTPSessionConfiguration()
/// configuration.timeouts.total = .seconds(30)
/// let session = HTTPSession(configuration)
/// ```
public struct HTTPSessionConfiguration: Sendable {
    /// The settings of trust and policy for every connection: anchors, pins, App Transport Security, and the client certificate.
    public var trust: ServerTrustSettings

    /// `true` if requests without TLS are sent even if ``trust`` does not allow them.
    ///
    /// An exception of App Transport Security allows them without this property.
    ///
    /// - Warning: An attacker on the network can read and change such requests and responses.
    public var dangerouslyAllowsPlainHTTP = false

    /// The proxies, none by default. `ProxyPolicy(environment:)` reads those of a process.
    public var proxies = ProxyPolicy()

    /// `true` if evidence that ``trust`` allows to be fetched is fetched even if a proxy is configured.
    ///
    /// This machine then connects directly to the URLs in certificates. By default nothing is fetched if a proxy is configured
    /// for any host.
    public var fetchesPastProxies = false

    /// The routes that replace the addresses of DNS.
    public var routes = ConnectionRoutes()

    package var resolver = NameResolver.system

    /// A closure that returns `true` if connections to an address and port are allowed. `nil` allows all addresses.
    package var allowsAddress: (@Sendable (SocketAddress) -> Bool)?

    /// The storage for cookies, or `nil` to store and send none.
    public var cookies: HTTPCookieStorage?

    /// The handler for authentication challenges to requests without a credential, or `nil` if there is none.
    public var challenges: (any ChallengeHandler)?

    /// The storage of credentials that are proposed to ``challenges``, or `nil` if there is none.
    public var credentialStorage: (any CredentialStorage)?

    /// The fields that are added to every request that neither sets nor omits them.
    ///
    /// Authorization, Cookie and Host are sent only to the origin of the request's URL, like those of the request.
    public var additionalFields: HTTPFields = [:]

    /// The value of the User-Agent field, or `nil` to send none.
    public var userAgent: String? = PackageVersion.userAgent

    /// `true` if compressed content (gzip, deflate) is requested and decoded.
    public var decodesContent = true

    /// `true` if HTTP/2 is offered to servers, which then choose between it and HTTP/1.1 (ALPN, RFC 7301).
    public var offersHTTP2 = true

    /// The timeouts of connections and requests.
    public var timeouts = Timeouts()

    /// The limits on responses and repeated requests.
    public var limits = Limits()

    /// The connection pool, which several sessions may share. Only sessions with equal ``trust`` share connections.
    public var pool: HTTPConnectionPool

    /// The observer of the session's events, or `nil` if there is none.
    public var observer: (any HTTPSessionObserver)?

    /// The instrument that traces each request from its start to its end, or `nil` if there is none.
    public var instrument: (any HTTPSessionInstrument)?

    /// The logger for a line about each event, at level debug and without secrets, or `nil` if there is none.
    public var logger: Logger?

    /// Creates a configuration with safe defaults.
    ///
    /// - Parameters:
    ///   - trust: The settings of trust and policy.
    ///   - pool: The connection pool. By default the session has its own.
    public init(trust: ServerTrustSettings, pool: HTTPConnectionPool = HTTPConnectionPool()) {
        self.trust = trust
        self.pool = pool
    }

    /// Creates a configuration with safe defaults.
    ///
    /// - Parameters:
    ///   - trust: The trust configuration. The default is Apple's complete verdict, and fetches issuers that servers do not send.
    ///   - serverTrust: The pins and rules of hosts, for example a `ServerTrustManager`, or `nil` if there is none.
    ///   - transportSecurity: The rules of App Transport Security.
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
    /// The timeouts of a session.
    public struct Timeouts: Sendable, Hashable {
        /// The timeout for opening a connection, including DNS, TCP, the proxy and TLS.
        public var connect = Duration.seconds(30)
        /// The part of ``connect`` for DNS and TCP, or `nil` for no separate limit.
        package var address: Duration?
        /// The timeout from the end of the request to the end of the response's head.
        public var head = Duration.seconds(60)
        /// The timeout without any content.
        public var idle = Duration.seconds(60)
        /// The time without data on an HTTP/2 connection after which a PING is sent, and within which the server must then respond.
        public var silence = Duration.seconds(15)
        /// The timeout of a whole request, including redirects and challenges, or `nil` if there is none.
        public var total: Duration?
        /// The time to wait for 100 (Continue) before large content is sent (RFC 9110 §10.1.1).
        public var expectation = Duration.seconds(1)

        /// Creates the default timeouts.
        public init() {}
    }

    /// The limits of a session.
    public struct Limits: Sendable, Hashable {
        /// The maximum size of a response's head in octets, including all informational responses before it.
        public var headSize = 300 << 10
        /// The maximum size of the decoded content that ``HTTPSession/data(for:)`` collects, in octets.
        public var dataSize = 64 << 20
        /// The maximum ratio of decoded to received size for decoded content of more than 1 MiB.
        public var decodingRatio = 1_100
        /// The maximum number of octets that are read from a discarded response to reuse its connection.
        public var discardedSize = 1 << 20
        /// The maximum number of times that a request is sent again, because a reused connection was closed or the server did not
        /// process the request.
        public var retries = 2

        /// Creates the default limits.
        public init() {}
    }
}
