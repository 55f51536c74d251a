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

/// A search for the redirects of a server's page, which requests the page as a load would.
///
/// Over TLS it requests pages only from servers with a trusted chain. Over plain HTTP it requests pages only from the host itself,
/// because any attacker on the network path can answer in the server's place. A redirect to plain HTTP at another host is reported
/// and not followed.
struct RedirectSearch: Sendable {
    private let configuration: HTTPSessionConfiguration
    /// `true` if the first server requests a client certificate and there is none.
    private let asksForCertificate: Bool

    private static let maximumRedirects = 5
    private static let maximumHeaderSize = 64 << 10

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - trust: The anchors and the rules.
    ///   - timeout: The time for each connection.
    ///   - allowsLocalAddresses: `true` to follow redirects to other hosts at addresses that are not public, such as those of this
    ///     machine and its network.
    ///   - resolver: The resolver of other hosts.
    ///   - identity: The client's identity, for the first server only.
    ///   - asksForCertificate: `true` if the first server requests a client certificate.
    init(
        trust: TrustConfiguration, timeout: Duration, allowsLocalAddresses: Bool, resolver: NameResolver = .system,
        identity: TLSIdentity? = nil, asksForCertificate: Bool = false
    ) {
        var everything = ATSDictionary()
        everything.allowsArbitraryLoads = true
        var settings = ServerTrustSettings(
            trust: trust, transportSecurity: .appTransportSecurity(ATSPolicy(everything)))
        settings.handshakeTimeout = timeout
        // The prober has already seen the delivered evidence of each server.
        settings.looksAtDeliveredEvidence = false
        // A session presents the identity only to the server of the request's own URL.
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

    /// Requests a page and follows its redirects.
    ///
    /// - Parameters:
    ///   - url: The URL of the page, with the scheme https.
    ///   - connectAddress: The address or name to connect to instead of the host. Other hosts are connected to directly.
    ///   - end: The end of the search, whatever its progress.
    func trace(
        _ url: String, connectAddress: String? = nil, until end: ContinuousClock.Instant
    ) async -> RedirectTrace {
        let steps = RedirectSteps(limit: Self.maximumRedirects)
        do {
            let page = try HTTPURL(named: url, schemes: [.https])
            let session = try self.session(for: page, connectAddress: connectAddress)
            // The content of the page is dropped unread, and the connection is closed.
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

    /// Returns the allowed addresses of another host, or `nil` if all are allowed. The caller must connect to these addresses,
    /// because a second query could return others.
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

/// The trace of a running search.
final class RedirectSteps: Sendable {
    private let state = Mutex(RedirectTrace())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
        self.change { $0.connections = 1 }
    }

    var trace: RedirectTrace { self.state.withLock { $0 } }

    func change(_ body: (inout RedirectTrace) -> Void) { self.state.withLock { body(&$0) } }

    /// Records a redirect. Returns `true` if it may be followed.
    func follows(_ destination: HTTPURL, from host: Host) -> Bool {
        self.state.withLock { trace in
            trace.isRedirected = true
            trace.destinations.append(destination.origin.destination)
            if destination.userInformation != nil {
                // A session would send the user name, but pages are requested anonymously.
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
    /// `true` if a reachable server refused the handshake of a load. Pages are requested over HTTP/1.1 only. A server that speaks
    /// only HTTP/2 refuses that (RFC 7301 §3.2) but accepts a load, which offers both.
    fileprivate var isOfHandshake: Bool {
        guard case .connectionFailed(let failure)? = self.verdict.primary?.reason else { return false }
        return !failure.isWithoutServer && failure != .alert(.noApplicationProtocol)
    }
}
