//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import Logging
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustNIO
import Synchronization

/// The state that all requests of a session share.
final class SessionCore: Sendable {
    let configuration: HTTPSessionConfiguration
    let authenticators = AuthenticatorStore()
    private let scope: TrustScope
    /// The origins that support HTTP/2 but require HTTP/1.1.
    private let http1Origins = Mutex(Set<HTTPURL.Origin>())
    /// The span of the request that the current task processes.
    @TaskLocal static var span: RequestSpan?

    init(_ configuration: HTTPSessionConfiguration) {
        var configuration = configuration
        configuration.trust.tls.applicationProtocols =
            configuration.offersHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
        if configuration.proxies.isUsed, !configuration.fetchesPastProxies { configuration.trust.fetching = nil }
        self.configuration = configuration
        self.scope = TrustScope(configuration.trust)
    }

    /// Returns the required properties of a connection for a URL.
    ///
    /// - Parameters:
    ///   - isAtOrigin: `true` if the program itself named the server, which may then receive the client certificate.
    ///   - overHTTP1: `true` if the request requires HTTP/1.1.
    ///   - changesProtocol: `true` if octets of another protocol follow, which a proxy cannot read.
    /// - Throws: ``HTTPSessionError`` for a malformed proxy.
    func key(
        for url: HTTPURL, isAtOrigin: Bool, overHTTP1: Bool = false, changesProtocol: Bool = false
    ) throws(HTTPSessionError) -> ConnectionKey {
        let proxy: ProxyHop?
        do { proxy = try self.configuration.proxies.hop(for: url.origin) } catch {
            throw HTTPSessionError(.proxy, .badURL, url: url, reason: "\(error)", cause: error)
        }
        let route = self.configuration.routes.route(to: url.origin)
        // A proxy that reads requests would connect to the server in their URLs.
        let isTunnel = proxy.map {
            !$0.isSOCKS
                && (url.scheme == .https || self.configuration.proxies.tunnelsPlainHTTP || route != nil
                    || changesProtocol)
        }
        let host = proxy?.host ?? route?.host ?? url.host
        let scope = self.scope(for: url.origin, isAtOrigin: isAtOrigin)
        return ConnectionKey(
            origin: url.origin, destination: url.origin.destination, route: route,
            addresses: self.configuration.routes.addresses(of: host, port: proxy?.port ?? route?.port ?? url.port),
            proxy: proxy, isTunnel: isTunnel ?? false, trust: overHTTP1 ? scope.http1 : scope)
    }

    private func scope(for origin: HTTPURL.Origin, isAtOrigin: Bool) -> TrustScope {
        let scope = isAtOrigin ? self.scope : self.scope.anonymous
        guard scope.offersHTTP2, self.http1Origins.withLock({ $0.contains(origin) }) else { return scope }
        return scope.http1
    }

    /// Makes requests to a server use HTTP/1.1 from now on, as the server requires (RFC 9113 §7).
    func requireHTTP1(at origin: HTTPURL.Origin) {
        self.http1Origins.withLock { origins in
            if origins.count >= Self.originLimit { origins.removeAll() }
            origins.insert(origin)
        }
    }

    private static let originLimit = 1_000

    /// Returns a connection that the gate has accepted.
    ///
    /// - Parameter eventLoop: The preferred event loop of the connection, or `nil` to use any.
    func connection(
        for key: ConnectionKey, _ url: HTTPURL, until deadline: NIODeadline?, on eventLoop: (any EventLoop)?
    ) async throws -> (HTTPConnection, isReused: Bool) {
        let timeout = Self.bounded(self.configuration.timeouts.connect)
        let waitingEnd = deadline ?? .distantFuture
        do {
            return try await self.configuration.pool.connection(
                for: key, until: waitingEnd, on: eventLoop
            ) { eventLoop in
                self.report(.connecting(key.origin, proxy: key.proxy?.proxy))
                let connection = try await self.open(key, url, on: eventLoop, until: min(waitingEnd, .now() + timeout))
                self.report(.connected(connection.report))
                return connection
            }
        } catch {
            let error = self.sessionError(error, at: url)
            self.report(.failed(error))
            throw error
        }
    }

    func open(
        _ key: ConnectionKey, _ url: HTTPURL, on eventLoop: any EventLoop, until deadline: NIODeadline
    ) async throws -> HTTPConnection {
        let authentication = key.proxy.flatMap { proxy in
            proxy.credential.map { self.authenticators.authenticator(for: proxy.origin, isProxy: true, $0) }
        }
        let connector = Connector(
            key: key, eventLoop: eventLoop, url: url, limits: self.limits,
            allowsPlainHTTP: self.configuration.dangerouslyAllowsPlainHTTP,
            userAgent: self.configuration.userAgent, deadline: deadline, resolver: self.configuration.resolver,
            allowsAddress: self.configuration.allowsAddress, addressTimeout: self.configuration.timeouts.address)
        var asked: ProxyClosed?
        while true {
            do {
                return try await connector.connect(authentication, answering: asked)
            } catch let error as ProxyClosed {
                // The authenticator limits the number of answers to a proxy.
                asked = error
            }
        }
    }

    private var limits: Exchange.Limits {
        var limits = Exchange.Limits()
        limits.reader.headSize = max(1, self.configuration.limits.headSize)
        let timeouts = self.configuration.timeouts
        limits.headTimeout = Self.bounded(timeouts.head)
        limits.idleTimeout = Self.bounded(timeouts.idle)
        limits.silence = Self.bounded(timeouts.silence)
        return limits
    }

    static func bounded(_ time: Duration) -> TimeAmount {
        TimeAmount(min(max(time, .milliseconds(1)), .seconds(86_400)))
    }

    func sessionError(_ error: any Error, at url: HTTPURL) -> HTTPSessionError {
        switch error {
        case let error as HTTPSessionError: error
        case is CancellationError: .cancelled(url)
        // A server behind a tunnel is evaluated after the connection to the proxy is open.
        case let error as ServerTrustGateError: Connector.refusal(error, at: url)
        case is PoolTimeout: .timedOut(url, "Waiting for a connection")
        case let error as HTTPExchangeError: HTTPSessionError(error, at: url)
        default:
            HTTPSessionError(
                .connection, .cannotConnectToHost, url: url,
                reason: "There is no connection: \(TransportErrorText.text(of: error)).",
                remedy: "Try again.", cause: error)
        }
    }

    /// Reports an event, which is created only if there is an observer, a logger or a span.
    func report(_ event: @autoclosure () -> HTTPSessionEvent) {
        let span = self.configuration.instrument == nil ? nil : Self.span
        guard self.configuration.observer != nil || self.configuration.logger != nil || span != nil else { return }
        let event = event()
        self.configuration.observer?.session(event)
        span?.span.session(event)
        self.configuration.logger?.debug("\(event)")
    }
}
