//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import NIOCore
import ServerTrust
import ServerTrustNIO
import TLSWire

/// A connector that opens connections to a server, directly or through a proxy, and always through the gate.
struct Connector: Sendable {
    let key: ConnectionKey
    let eventLoop: any EventLoop
    let url: HTTPURL
    let limits: Exchange.Limits
    /// `true` if requests without TLS need no permission of the gate.
    let allowsPlainHTTP: Bool
    let userAgent: String?
    let deadline: NIODeadline
    let resolver: NameResolver
    /// Returns `true` if connections to an address are allowed. If it is `nil`, all addresses are allowed.
    var allowsAddress: (@Sendable (SocketAddress) -> Bool)?
    /// The timeout for name lookup and TCP connection, or `nil` for the deadline only.
    var addressTimeout: Duration?

    /// Opens a connection.
    ///
    /// - Throws: ``HTTPSessionError`` if the server is refused or cannot be reached.
    func connect(
        _ proxyAuthentication: SharedAuthenticator?, answering asked: ProxyClosed? = nil
    ) async throws -> HTTPConnection {
        // A server that is refused in any case is refused before there is a connection.
        try self.check()
        guard let proxy = self.key.proxy else { return try await self.connectDirectly() }
        if proxy.isSOCKS { return try await self.connectDirectly() }
        let connection = try await self.open(proxy.host, port: proxy.port, for: proxy.origin)
        guard self.key.isTunnel else { return connection }
        let tunnel = ProxyTunnel(connector: self, proxy: proxy, authentication: proxyAuthentication, asked: asked)
        return try await tunnel.open(on: connection)
    }

    private var destination: ATSDestination { self.key.destination }

    private func check() throws {
        guard self.key.origin.scheme == .https || !self.allowsPlainHTTP else { return }
        do {
            try self.key.trust.gate.check(self.destination)
        } catch {
            throw Self.refusal(error, at: self.url)
        }
    }

    static func refusal(_ error: ServerTrustGateError, at url: HTTPURL) -> HTTPSessionError {
        // A TLS proxy may be refused on the way to a server without TLS.
        guard url.scheme == .http, error.destination.scheme == .http else { return HTTPSessionError(error, at: url) }
        return HTTPSessionError(
            .plainHTTP, .appTransportSecurityRequiresSecureConnection, url: url,
            reason: "Requests without TLS are not allowed.",
            remedy: "Use https, or an exception of App Transport Security for this host.", cause: error)
    }

    // MARK: A connection

    /// Connects to the server, through a SOCKS proxy if there is one.
    private func connectDirectly() async throws -> HTTPConnection {
        let host = self.key.route?.host ?? self.key.origin.host
        return try await self.open(
            host, port: self.key.route?.port ?? self.key.origin.port, for: self.key.origin,
            zone: self.key.route?.zone)
    }

    /// Adds the gate and the HTTP handlers to a channel that leads to a server.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - origin: The server.
    ///   - way: The way to open further connections to the server for inspection.
    func secure(
        _ channel: any Channel, for origin: HTTPURL.Origin, looking way: LookingWay = .none
    ) -> EventLoopFuture<HTTPConnection> {
        let outcome = channel.eventLoop.makePromise(of: GatedConnection.self)
        let connection = outcome.futureResult.flatMapThrowing { try self.connection($0, on: channel) }
        do {
            if origin.scheme == .https || !self.allowsPlainHTTP && origin == self.key.origin {
                try channel.pipeline.syncOperations.addServerTrustHandlers(
                    origin == self.key.origin ? self.key.trust.gate : self.key.trust.anonymous.http1.gate,
                    for: origin.destination, outcome: outcome, looking: way)
            } else {
                outcome.succeed(GatedConnection(withoutTLS: origin.destination))
            }
        } catch {
            outcome.fail(error)
        }
        return connection
    }

    /// Adds the handlers of the negotiated protocol before anything is read from the channel.
    private func connection(_ gated: GatedConnection, on channel: any Channel) throws -> HTTPConnection {
        let pipeline = channel.pipeline.syncOperations
        let version: HTTPConnection.Version
        if gated.applicationProtocol == "h2" {
            version = .http2(
                NIOLoopBound(try pipeline.addHTTP2Handlers(limits: self.limits), eventLoop: channel.eventLoop))
        } else {
            let handler = HTTP1Handler(limits: self.limits)
            try pipeline.addHandler(handler)
            version = .http1(NIOLoopBound(handler, eventLoop: channel.eventLoop))
        }
        let report = ConnectionReport(gated: gated, remoteAddress: channel.remoteAddress, proxy: self.key.proxy)
        return HTTPConnection(self.key, report, channel: channel, version: version)
    }

    // MARK: The way

    private func open(
        _ host: Host, port: Int, for origin: HTTPURL.Origin, zone: String? = nil
    ) async throws -> HTTPConnection {
        do {
            let address = zone.map { "\(host.text)%\($0)" }
            let endpoint = try TLSEndpoint(host: host.text, port: port, connectAddress: address)
            let dialer = self.dialer
            if origin == self.key.origin {
                await self.key.trust.gate.look(at: origin.destination, through: dialer, to: endpoint)
            }
            return try await dialer.run(to: endpoint) { channel in
                self.secure(channel, for: origin, looking: .same(dialer, endpoint))
            }
        } catch let error as ServerTrustGateError {
            throw Self.refusal(error, at: self.url)
        } catch let error as ConnectionFailure {
            throw self.error(error, host: host, port: port)
        } catch is CancellationError {
            throw HTTPSessionError.cancelled(self.url)
        } catch let error as TLSEndpointError {
            throw HTTPSessionError(.url, .badURL, url: self.url, reason: "\(error)")
        } catch {
            throw HTTPSessionError(
                .connection, .cannotConnectToHost, url: self.url,
                reason: "The connection failed: \(TransportErrorText.text(of: error)).", remedy: "Try again.",
                cause: error)
        }
    }

    private var dialer: Dialer {
        let rest = max(self.deadline - .now(), .milliseconds(1))
        let timeout = self.addressTimeout.map { min(TimeAmount(bounding: $0), rest) }
        var dialer = Dialer(on: self.eventLoop, connectTimeout: timeout ?? rest)
        dialer.deadline = self.deadline
        dialer.names = self.resolver
        dialer.isAllowed = self.allowsAddress
        dialer.addresses = self.key.addresses.isEmpty ? nil : self.key.socketAddresses
        dialer.proxy = self.key.proxy.flatMap { $0.isSOCKS ? $0.withCredential : nil }
        return dialer
    }

    private func error(_ failure: ConnectionFailure, host: Host, port: Int) -> HTTPSessionError {
        switch failure {
        case .timedOut: return .timedOut(self.url, "Connecting")
        case .forbiddenAddress:
            return HTTPSessionError(
                .connection, .cannotConnectToHost, url: self.url,
                reason: "\(host) has an address to which connections are not allowed.", cause: failure)
        case .proxy(let refusal):
            return HTTPSessionError(
                .proxy, .cannotConnectToHost, url: self.url, reason: "\(refusal)", remedy: refusal.advice,
                cause: failure)
        default: return HTTPSessionError(failure, at: self.url, proxy: self.key.proxy)
        }
    }
}

extension HTTPSessionError {
    /// `true` if the host has an address to which connections are not allowed.
    package var isOfForbiddenAddress: Bool { (self.cause as? ConnectionFailure) == .forbiddenAddress }

    fileprivate init(_ failure: ConnectionFailure, at url: HTTPURL, proxy: ProxyHop?) {
        let code: URLErrorCode =
            switch failure {
            case .hostNotFound, .lookupFailed: .cannotFindHost
            default: .cannotConnectToHost
            }
        let place = proxy.map { "The proxy \($0) cannot be reached: \(failure.message)" }
        self.init(
            proxy == nil ? .connection : .proxy, code, url: url,
            reason: place ?? failure.message, remedy: failure.remedy, cause: failure)
    }
}
