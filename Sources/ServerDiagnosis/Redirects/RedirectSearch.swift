//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO
import Synchronization
import TLSWire

/// Asks a server for a page, as a load would, to see where it is redirected to.
///
/// Over TLS only servers whose chain is trusted are asked. Plain HTTP is asked of the host itself, and of no other host: anyone
/// on the way may send a client elsewhere, and such a redirect is reported and not followed.
struct RedirectSearch: Sendable {
    private let configuration: HTTPSessionConfiguration
    /// Whether the server that was named asks for a certificate that there is not.
    private let asksForCertificate: Bool

    private static let maximumRedirects = 5
    private static let maximumHeaderSize = 64 << 10

    /// A search.
    ///
    /// - Parameters:
    ///   - trust: What is trusted, and the rules.
    ///   - timeout: The time of each connection.
    ///   - allowsLocalAddresses: Whether redirects to other hosts are followed to addresses that are not public, such as those
    ///     of this machine and its network.
    ///   - resolver: What looks other hosts up.
    ///   - identity: The identity of the client, for the server that was named alone.
    ///   - asksForCertificate: Whether that server asks for a client certificate.
    init(
        trust: TrustConfiguration, timeout: Duration, allowsLocalAddresses: Bool, resolver: NameResolver = .system,
        identity: TLSIdentity? = nil, asksForCertificate: Bool = false
    ) {
        var everything = ATSDictionary()
        everything.allowsArbitraryLoads = true
        var settings = ServerTrustSettings(
            trust: trust, transportSecurity: .appTransportSecurity(ATSPolicy(everything)))
        settings.handshakeTimeout = timeout
        // The prober sees what each server delivers.
        settings.looksAtDeliveredEvidence = false
        // A session shows it to the server of the request's own URL, and to no other.
        settings.identity = identity
        self.configuration = Self.configuration(
            settings, timeout: timeout, allowsLocalAddresses: allowsLocalAddresses, resolver: resolver)
        self.asksForCertificate = asksForCertificate && identity == nil
    }

    private static func configuration(
        _ settings: ServerTrustSettings, timeout: Duration, allowsLocalAddresses: Bool, resolver: NameResolver
    ) -> HTTPSessionConfiguration {
        var configuration = HTTPSessionConfiguration(trust: settings)
        configuration.dangerouslyAllowsPlainHTTP = true
        configuration.offersHTTP2 = false
        configuration.decodesContent = false
        configuration.resolver = resolver
        configuration.allowsAddress =
            allowsLocalAddresses ? nil : AddressRule(allowsLocalAddresses: false).allows
        configuration.limits.headSize = Self.maximumHeaderSize
        configuration.limits.discardedSize = 0
        (configuration.timeouts.connect, configuration.timeouts.address) = (timeout * 2, timeout)
        (configuration.timeouts.head, configuration.timeouts.idle) = (timeout, timeout)
        return configuration
    }

    /// Asks.
    ///
    /// - Parameters:
    ///   - url: What is loaded, with the scheme https.
    ///   - connectAddress: The address or name to connect to in place of the host; other hosts are connected to by themselves.
    ///   - end: When the search is over, however far it has got.
    func trace(
        _ url: String, connectAddress: String? = nil, until end: ContinuousClock.Instant
    ) async -> RedirectTrace {
        let steps = RedirectSteps(limit: Self.maximumRedirects)
        do {
            let page = try HTTPURL(named: url, schemes: [.https])
            let session = try self.session(for: page, connectAddress: connectAddress)
            // The content of the page is dropped unread, and takes its connection along.
            _ = try await session.bytes(for: Self.request(for: page, steps, until: end))
        } catch {
            steps.change { self.end(&$0, with: error, isOver: Task.isCancelled || ContinuousClock.now >= end) }
        }
        return steps.trace
    }

    private func session(for page: HTTPURL, connectAddress: String?) throws -> HTTPSession {
        guard let connectAddress else { return HTTPSession(self.configuration) }
        let endpoint = try TLSEndpoint(host: page.host.text, port: page.port, connectAddress: connectAddress)
        var configuration = self.configuration
        var route = ConnectionRoute(host: endpoint.connectAddress)
        route.zone = endpoint.zone
        configuration.routes.add(route, forHost: page.host)
        return HTTPSession(configuration)
    }

    private static func request(
        for page: HTTPURL, _ steps: RedirectSteps, until end: ContinuousClock.Instant
    ) -> HTTPSessionRequest {
        var request = HTTPSessionRequest(page)
        request.fields[.connection] = "close"
        request.redirects.maximumCount = .max
        request.redirects.allowsDowngrade = true
        request.followsRedirect = { steps.follows($0.destination, from: page.host) }
        request.timeout = end - .now
        return request
    }

    // MARK: Failures

    private func end(_ trace: inout RedirectTrace, with error: any Error, isOver: Bool) {
        if case .redirect? = (error as? HTTPSessionError)?.kind { trace.isRedirected = true }
        trace.failure =
            isOver
            ? "the time that one server may take was over" : self.text(of: error, isFirst: trace.destinations.isEmpty)
        let refusal = (error as? HTTPSessionError)?.cause as? ServerTrustGateError
        if trace.destinations.isEmpty, !trace.isRedirected, !isOver, refusal?.isOfHandshake == true {
            trace.handshakeFailure = trace.failure
        }
    }

    private func text(of error: any Error, isFirst: Bool) -> String {
        let text = (error as? HTTPSessionError).map(Self.text) ?? TransportErrorText.text(of: error)
        guard self.asksForCertificate, isFirst else { return text }
        return "\(text). The server asks for a client certificate, and none was given"
    }

    /// Returns the cause of an error as a clause.
    private static func text(_ error: HTTPSessionError) -> String {
        if error.isOfForbiddenAddress, let host = error.url?.host { return Self.forbidden(host) }
        switch error.cause {
        case let refusal as ServerTrustGateError: return TransportErrorText.text(of: refusal)
        case let fault as HTTPURLError: return fault.reason
        default: return error.reasonClause
        }
    }

    private static func forbidden(_ host: Host) -> String {
        "\(host) is not at a public address, where redirects are not followed unless local addresses are allowed"
    }

    // MARK: Addresses

    /// The addresses of another host that may be connected to; `nil` for any. They are used as they are: looked up again, the
    /// name may have others.
    func addresses(of host: Host) async throws(ResourceError) -> [SocketAddress]? {
        guard let isAllowed = self.configuration.allowsAddress else { return nil }
        let answer = await self.configuration.resolver.addresses(
            of: host.text, timeout: self.configuration.timeouts.head)
        guard case .found(let addresses) = answer.outcome else {
            throw ResourceError(.unreachable, "the name \(host) could not be resolved")
        }
        let allowed = addresses.filter(isAllowed)
        guard !allowed.isEmpty else { throw ResourceError(.invalidURL, Self.forbidden(host)) }
        return allowed
    }
}

/// The trace of a search that goes on.
final class RedirectSteps: Sendable {
    private let state = Mutex(RedirectTrace())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
        self.change { $0.connections = 1 }
    }

    var trace: RedirectTrace { self.state.withLock { $0 } }

    func change(_ body: (inout RedirectTrace) -> Void) { self.state.withLock { body(&$0) } }

    /// Notes a redirect, and whether it is followed.
    func follows(_ destination: HTTPURL, from host: Host) -> Bool {
        self.state.withLock { trace in
            trace.isRedirected = true
            trace.destinations.append(destination.origin.destination)
            if destination.userInformation != nil {
                // A session would send them, and no page is asked for as a user.
                trace.failure = "the URL has a user name in it"
            } else if destination.scheme == .http, destination.host != host {
                trace.failure = "plain HTTP at another host is not asked for"
            } else if trace.destinations.count > self.limit {
                trace.failure = "it redirects more than \(self.limit) times"
            } else {
                trace.connections += 1
            }
            return trace.failure == nil
        }
    }
}

extension ServerTrustGateError {
    /// Whether a server was there, and no handshake with it came about as a load offers it. Pages are asked for over HTTP/1.1
    /// only: a server of HTTP/2 alone refuses that (RFC 7301 §3.2), and takes a load, which offers both.
    fileprivate var isOfHandshake: Bool {
        guard case .connectionFailed(let failure)? = self.verdict.primary?.reason else { return false }
        return !failure.isBelowTLS && failure != .alert(.noApplicationProtocol)
    }
}
