//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPSession
package import ServerReports
package import ServerTrust
package import ServerTrustNIO

/// What a proxy trusts, where it connects to, and how much of clients' time and octets it puts up with.
package struct InterceptingProxyConfiguration: Sendable {
    /// The authority that certifies the proxy for programs: the proxy is the server of each tunnel.
    package var root: LocalRoot

    /// What is trusted and enforced on every connection to a server.
    package var trust: ServerTrustSettings

    /// Whether requests without TLS are sent although ``trust`` does not say so: App Transport Security with an exception lets
    /// them pass by itself.
    ///
    /// - Warning: Everyone on the way can read and change such requests and responses.
    package var dangerouslyAllowsPlainHTTP = false

    /// The address to listen at: one of the loopback interface, unless ``dangerouslyListensBeyondThisMachine`` is set.
    package var address = "127.0.0.1"

    /// A socket that listens already, in place of ``address`` and ``port``, such as one of systemd; `nil` for none. The proxy closes it.
    package var listeningSocket: CInt?

    /// Whether the proxy may listen at an address that other machines reach. It needs a ``credential`` then, with a password of 12
    /// characters or more.
    ///
    /// - Warning: The credential, and requests without TLS, go over the network unprotected.
    package var dangerouslyListensBeyondThisMachine = false

    /// What programs must show to use the proxy; `nil` for nothing.
    package var credential: ClientCredential?

    /// The words of the program that the proxy is part of, for its remedies, by their codes.
    package var spelling = RemedySpelling.none

    /// The certificates of the client, each for the one host that it is shown to: when the server asks for one, and once it is
    /// trusted.
    package var identities: [Host: TLSIdentity] = [:]

    /// Answers servers that ask for a user and a password (Basic, Digest), in place of programs; `nil` leaves the answer to programs.
    ///
    /// It is asked about requests without content that show no credential of their own, and that no page of another site has sent.
    ///
    /// - Warning: Every program that uses the proxy acts with what it answers.
    package var challenges: (any ChallengeHandler)?

    /// The port to listen at; 0 for one that the system chooses.
    package var port = 0

    /// The ports of servers that are connected to.
    package var allowedPorts: Set<Int> = [80, 443, 8_443]

    /// Whether servers at addresses of this machine are connected to: loopback, link-local, and those of its interfaces.
    ///
    /// - Warning: Programs that use the proxy reach what listens for this machine alone.
    package var dangerouslyAllowsLocalAddresses = false

    /// Where to connect to in place of what DNS says.
    package var routes = ConnectionRoutes()

    /// The proxies on the way to servers; none by default. They are connected to as servers are: at an address of this machine only
    /// with ``dangerouslyAllowsLocalAddresses``. A proxy that is given a name looks it up itself, so that the address of a server
    /// behind it is not known.
    package var proxies = ProxyPolicy()

    /// The times on the way to servers. Clients have their own patience, and what they wait for ends with them: by default a server
    /// has five minutes to begin an answer, and an hour between two pieces of it.
    package var timeouts: HTTPSessionConfiguration.Timeouts = {
        var timeouts = HTTPSessionConfiguration.Timeouts()
        (timeouts.head, timeouts.idle) = (.seconds(300), .seconds(3_600))
        return timeouts
    }()

    /// The limits on the way to clients.
    package var limits = Limits()

    /// Hears of each connection and each request; `nil` for none.
    package var observer: (any InterceptingProxyObserver)?

    /// A configuration with safe defaults for the rest.
    ///
    /// - Parameters:
    ///   - root: The authority that certifies the proxy for programs.
    ///   - trust: What is trusted and enforced on every connection to a server.
    package init(root: LocalRoot, trust: ServerTrustSettings) { (self.root, self.trust) = (root, trust) }

    /// How much a client may take up.
    package struct Limits: Sendable, Hashable {
        /// The connections of clients. One more is answered with status 503.
        package var connections = 1_024
        /// The connections to one server.
        package var connectionsPerServer = 64
        /// The octets of the head of a request.
        package var headSize = 64 << 10
        /// The fields of a request.
        package var fieldCount = 200
        /// The requests at once on a connection of a client that speaks HTTP/2.
        package var requestsPerConnection = 100
        /// The hosts whose certificates are remembered.
        package var certificates = 256
        /// From the first octet of a request to the end of its head; the same for the handshake of TLS.
        package var headTime = Duration.seconds(20)
        /// Without a request, or with a client that neither sends nor takes any content.
        package var idleTime = Duration.seconds(120)
        /// Without an octet from a client that speaks another protocol, such as WebSocket.
        package var upgradedIdleTime = Duration.seconds(3_600)
        /// What requests under way have to end, when the proxy is stopped.
        package var stopTime = Duration.seconds(10)

        /// The defaults.
        package init() {}
    }
}

/// A proxy that cannot be started.
package struct InterceptingProxyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong and what to do.
    package let description: String

    init(_ description: String) { self.description = description }
}
