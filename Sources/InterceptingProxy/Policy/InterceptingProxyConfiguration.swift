//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPSession
public import ServerTrust
public import ServerTrustNIO

/// What a proxy trusts, where it connects to, and how much of clients' time and octets it puts up with.
public struct InterceptingProxyConfiguration: Sendable {
    /// The authority that certifies the proxy for programs: the proxy is the server of each tunnel.
    public var root: LocalRoot

    /// What is trusted and enforced on every connection to a server.
    public var trust: ServerTrustSettings

    /// Whether requests without TLS are sent although ``trust`` does not say so: App Transport Security with an exception lets
    /// them pass by itself.
    ///
    /// - Warning: Everyone on the way can read and change such requests and responses.
    public var dangerouslyAllowsPlainHTTP = false

    /// The address to listen at: one of the loopback interface, unless ``dangerouslyListensBeyondThisMachine`` is set.
    public var address = "127.0.0.1"

    /// A socket that listens already, in place of ``address`` and ``port``, such as one of systemd; `nil` for none. The proxy closes it.
    public var listeningSocket: CInt?

    /// Whether the proxy may listen at an address that other machines reach. It needs a ``credential`` then, with a password of 12
    /// characters or more.
    ///
    /// - Warning: The credential, and requests without TLS, go over the network unprotected.
    public var dangerouslyListensBeyondThisMachine = false

    /// What programs must show to use the proxy; `nil` for nothing.
    public var credential: ClientCredential?

    /// The certificates of the client, each for the one host that it is shown to: when the server asks for one, and once it is
    /// trusted.
    public var identities: [Host: TLSIdentity] = [:]

    /// Answers servers that ask for a user and a password (Basic, Digest), in place of programs; `nil` leaves the answer to programs.
    ///
    /// It is asked about requests without content that show no credential of their own, and that no page of another site has sent.
    ///
    /// - Warning: Every program that uses the proxy acts with what it answers.
    public var challenges: (any ChallengeHandler)?

    /// The port to listen at; 0 for one that the system chooses.
    public var port = 0

    /// The ports of servers that are connected to.
    public var allowedPorts: Set<Int> = [80, 443, 8_443]

    /// Whether servers at addresses of this machine are connected to: loopback, link-local, and those of its interfaces.
    ///
    /// - Warning: Programs that use the proxy reach what listens for this machine alone.
    public var dangerouslyAllowsLocalAddresses = false

    /// Where to connect to in place of what DNS says.
    public var routes = ConnectionRoutes()

    /// The proxies on the way to servers; none by default. They are connected to as servers are: at an address of this machine only
    /// with ``dangerouslyAllowsLocalAddresses``. A proxy that is given a name looks it up itself, so that the address of a server
    /// behind it is not known.
    public var proxies = ProxyPolicy()

    /// The times on the way to servers. Clients have their own patience, and what they wait for ends with them: by default a server
    /// has five minutes to begin an answer, and an hour between two pieces of it.
    public var timeouts: HTTPSessionConfiguration.Timeouts = {
        var timeouts = HTTPSessionConfiguration.Timeouts()
        (timeouts.head, timeouts.idle) = (.seconds(300), .seconds(3_600))
        return timeouts
    }()

    /// The limits on the way to clients.
    public var limits = Limits()

    /// Hears of each connection and each request; `nil` for none.
    public var observer: (any InterceptingProxyObserver)?

    /// A configuration with safe defaults for the rest.
    ///
    /// - Parameters:
    ///   - root: The authority that certifies the proxy for programs.
    ///   - trust: What is trusted and enforced on every connection to a server.
    public init(root: LocalRoot, trust: ServerTrustSettings) { (self.root, self.trust) = (root, trust) }

    /// How much a client may take up.
    public struct Limits: Sendable, Hashable {
        /// The connections of clients. One more is answered with status 503.
        public var connections = 1_024
        /// The connections to one server.
        public var connectionsPerServer = 64
        /// The octets of the head of a request.
        public var headSize = 64 << 10
        /// The fields of a request.
        public var fieldCount = 200
        /// The requests at once on a connection of a client that speaks HTTP/2.
        public var requestsPerConnection = 100
        /// The hosts whose certificates are remembered.
        public var certificates = 256
        /// From the first octet of a request to the end of its head; the same for the handshake of TLS.
        public var headTime = Duration.seconds(20)
        /// Without a request, or with a client that neither sends nor takes any content.
        public var idleTime = Duration.seconds(120)
        /// Without an octet from a client that speaks another protocol, such as WebSocket.
        public var upgradedIdleTime = Duration.seconds(3_600)
        /// What requests under way have to end, when the proxy is stopped.
        public var stopTime = Duration.seconds(10)

        /// The defaults.
        public init() {}
    }
}

/// A proxy that cannot be started.
public struct InterceptingProxyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong and what to do.
    public let description: String

    init(_ description: String) { self.description = description }
}
