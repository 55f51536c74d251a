//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPSession
package import ServerReports
package import ServerTrust
package import ServerTrustNIO

/// The configuration of a proxy: its trust, the servers that it connects to, and the limits for clients.
package struct InterceptingProxyConfiguration: Sendable {
    /// The root that signs the proxy's certificates. The proxy presents one for the server of each tunnel.
    package var root: LocalRoot

    package var trust: ServerTrustSettings

    /// `true` if requests without TLS are sent even if ``trust`` does not allow them.
    ///
    /// An exception of App Transport Security allows them without this property.
    ///
    /// - Warning: An attacker on the network can read and change such requests and responses.
    package var dangerouslyAllowsPlainHTTP = false

    /// The address to listen on. It must belong to the loopback interface, unless ``dangerouslyListensBeyondThisMachine`` is set.
    package var address = "127.0.0.1"

    /// A listening socket in place of ``address`` and ``port``, for example from systemd, or `nil`. The proxy closes it.
    package var listeningSocket: CInt?

    /// `true` if the proxy may listen on an address that other machines can reach. It then needs a ``credential`` with a password
    /// of 12 characters or more.
    ///
    /// - Warning: The credential, and requests without TLS, cross the network unprotected.
    package var dangerouslyListensBeyondThisMachine = false

    /// The credential that programs must send to use the proxy, or `nil` if they need none.
    package var credential: ClientCredential?

    /// The spelling of remedies for the program that contains the proxy, by their codes.
    package var spelling = RemedySpelling.none

    /// The client certificates by host. A certificate is sent only to its host, if the server requests one and is trusted.
    package var identities: [Host: TLSIdentity] = [:]

    /// The handler that answers authentication challenges of servers (Basic, Digest) for programs. With `nil`, programs
    /// receive the challenges.
    ///
    /// It is called for requests without content that have no credential of their own and were not sent by a page of another site.
    ///
    /// - Warning: Every program that uses the proxy acts with these credentials.
    package var challenges: (any ChallengeHandler)?

    /// The port to listen on. With 0, the system chooses one.
    package var port = 0

    package var allowedPorts: Set<Int> = [80, 443, 8_443]

    /// `true` if the proxy connects to addresses of this machine: loopback, link-local, and those of its interfaces.
    ///
    /// - Warning: Programs that use the proxy can then reach services that are meant for this machine only.
    package var dangerouslyAllowsLocalAddresses = false

    package var routes = ConnectionRoutes()

    /// The upstream proxies, none by default.
    ///
    /// Connections to them follow the same rules as connections to servers: an address of this machine requires
    /// ``dangerouslyAllowsLocalAddresses``. An upstream proxy resolves names itself, so that the addresses of servers behind it
    /// are not known.
    package var proxies = ProxyPolicy()

    /// The timeouts of connections to servers.
    ///
    /// Clients have timeouts of their own, and a request ends when its client cancels it. By default a server may take five minutes
    /// to begin a response, and an hour between two pieces of it.
    package var timeouts: HTTPSessionConfiguration.Timeouts = {
        var timeouts = HTTPSessionConfiguration.Timeouts()
        (timeouts.head, timeouts.idle) = (.seconds(300), .seconds(3_600))
        return timeouts
    }()

    package var limits = Limits()

    /// The observer of connections and requests, or `nil` if there is none.
    package var observer: (any InterceptingProxyObserver)?

    /// Creates a configuration with safe defaults.
    ///
    /// - Parameters:
    ///   - root: The root that signs the proxy's certificates.
    ///   - trust: The settings of trust and policy for every connection to a server.
    package init(root: LocalRoot, trust: ServerTrustSettings) { (self.root, self.trust) = (root, trust) }

    /// The limits for clients.
    package struct Limits: Sendable, Hashable {
        /// The maximum number of client connections. Further ones are answered with status 503.
        package var connections = 1_024
        /// The maximum number of connections to one server.
        package var connectionsPerServer = 64
        /// The maximum size of a request's head in octets.
        package var headSize = 64 << 10
        /// The maximum number of fields of a request.
        package var fieldCount = 200
        /// The maximum number of concurrent requests on an HTTP/2 connection.
        package var requestsPerConnection = 100
        /// The maximum number of cached certificates.
        package var certificates = 256
        /// The time limit from the first octet of a request to the end of its head, and for a TLS handshake.
        package var headTime = Duration.seconds(20)
        /// The time limit without a request, or with a client that neither sends nor receives content.
        package var idleTime = Duration.seconds(120)
        /// The time limit without an octet from a client that uses another protocol, such as WebSocket.
        package var upgradedIdleTime = Duration.seconds(3_600)
        /// The time limit for requests in progress when the proxy stops.
        package var stopTime = Duration.seconds(10)

        package init() {}
    }
}

/// An error for a proxy that cannot be started.
package struct InterceptingProxyError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
