//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import NIOCore
import NIOPosix
import ServerTrust
import ServerTrustNIO

/// Opens connections: to a server, or through a proxy, and always through the gate.
struct Connector: Sendable {
    let key: ConnectionKey
    let eventLoop: any EventLoop
    /// The URL that the connection is for, for errors.
    let url: HTTPURL
    let limits: Exchange.Limits
    /// Whether requests without TLS need no permission of the gate.
    let allowsPlainHTTP: Bool
    let userAgent: String?
    /// The end of everything.
    let deadline: NIODeadline
    /// Whether an address may be connected to; `nil` for every address.
    var allowsAddress: (@Sendable (SocketAddress) -> Bool)?

    /// Connects.
    ///
    /// - Throws: ``HTTPSessionError``
    func connect(
        _ proxyAuthentication: SharedAuthenticator?, answering asked: ProxyClosed? = nil
    ) async throws -> HTTPConnection {
        // What is refused in any case is refused before there is a connection.
        try self.check()
        guard let proxy = self.key.proxy else { return try await self.connectDirectly() }
        if proxy.isSOCKS { return try await self.connect(throughSOCKS: proxy) }
        let connection = try await self.connect(to: proxy)
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
        // A proxy with TLS can be refused on the way to a server without TLS.
        guard url.scheme == .http, error.destination.scheme == .http else { return HTTPSessionError(error, at: url) }
        return HTTPSessionError(
            .plainHTTP, .appTransportSecurityRequiresSecureConnection, url: url,
            reason: "Requests without TLS are not allowed.",
            remedy: "Use https, or an exception of App Transport Security for this host.", cause: error)
    }

    // MARK: Without a proxy

    private func connectDirectly() async throws -> HTTPConnection {
        let host = self.key.route?.host ?? self.key.origin.host
        return try await self.open(host, port: self.key.route?.port ?? self.key.origin.port) { channel in
            self.secure(channel, for: self.key.origin)
        }
    }

    /// Adds the gate and the reader of responses to a channel that octets pass to a server.
    func secure(_ channel: any Channel, for origin: HTTPURL.Origin) -> EventLoopFuture<HTTPConnection> {
        let outcome = channel.eventLoop.makePromise(of: GatedConnection.self)
        let connection = outcome.futureResult.flatMapThrowing { try self.connection($0, on: channel) }
        do {
            if origin.scheme == .https || !self.allowsPlainHTTP && origin == self.key.origin {
                try channel.pipeline.syncOperations.addServerTrustHandlers(
                    origin == self.key.origin ? self.key.trust.gate : self.key.trust.anonymous.http1.gate,
                    for: origin.destination, outcome: outcome)
            } else {
                outcome.succeed(GatedConnection(withoutTLS: origin.destination))
            }
        } catch {
            outcome.fail(error)
        }
        return connection
    }

    /// Adds what speaks the protocol that was agreed on, before anything is read of it.
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

    // MARK: Through a proxy

    private func connect(to proxy: ProxyHop) async throws -> HTTPConnection {
        try await self.open(proxy.host, port: proxy.port) { channel in self.secure(channel, for: proxy.origin) }
    }

    private func connect(throughSOCKS proxy: ProxyHop) async throws -> HTTPConnection {
        try await self.open(proxy.host, port: proxy.port) { channel in
            SOCKSHandler.negotiate(with: proxy, to: self.key, on: channel).flatMap {
                self.secure(channel, for: self.key.origin)
            }
        }
    }

    // MARK: TCP

    /// Connects over IPv4 or IPv6, whichever answers first (RFC 8305), and has the rest done on the event loop before anything is
    /// read.
    private func open(
        _ host: Host, port: Int,
        _ prepare: @escaping @Sendable (any Channel) -> EventLoopFuture<HTTPConnection>
    ) async throws -> HTTPConnection {
        let eventLoop = self.eventLoop
        let outcome = eventLoop.makePromise(of: HTTPConnection.self)
        let connected = ClientBootstrap(group: eventLoop)
            .connectTimeout(max(self.deadline - .now(), .milliseconds(1)))
            .resolver(self.resolver)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: host.text, port: port)
        let timer = eventLoop.scheduleTask(deadline: self.deadline) {
            outcome.fail(HTTPSessionError.timedOut(self.url, "Connecting"))
        }
        connected
            .flatMapErrorThrowing { throw self.error($0, host: host, port: port) }
            .flatMap(prepare).cascade(to: outcome)
        outcome.futureResult.whenComplete { result in
            timer.cancel()
            // Also a connection that comes up after a cancellation is closed.
            if case .failure = result { connected.whenSuccess { $0.close(promise: nil) } }
        }
        return try await self.value(of: outcome)
    }

    private var resolver: any Resolver & Sendable {
        let isAllowed = self.allowsAddress ?? { _ in true }
        guard !self.key.addresses.isEmpty else { return BootstrapResolver(on: self.eventLoop, allowing: isAllowed) }
        return KnownAddresses(self.key.socketAddresses, on: self.eventLoop, allowing: isAllowed)
    }

    /// What a connection comes to; cancelling the task ends the attempt.
    private func value(of outcome: EventLoopPromise<HTTPConnection>) async throws -> HTTPConnection {
        do {
            return try await withTaskCancellationHandler {
                try await outcome.futureResult.get()
            } onCancel: {
                outcome.fail(HTTPSessionError.cancelled(self.url))
            }
        } catch let error as ServerTrustGateError {
            throw Self.refusal(error, at: self.url)
        } catch let error as HTTPSessionError {
            throw error
        } catch {
            throw HTTPSessionError(
                .connection, .cannotConnectToHost, url: self.url,
                reason: "The connection failed: \(TransportErrorText.text(of: error)).", remedy: "Try again.",
                cause: error)
        }
    }

    private func error(_ error: any Error, host: Host, port: Int) -> HTTPSessionError {
        if let dns = error as? NIOConnectionError, let cause = dns.dnsAError ?? dns.dnsAAAAError,
            cause is ForbiddenAddressError
        {
            return HTTPSessionError(
                .connection, .cannotConnectToHost, url: self.url,
                reason: "\(host) has an address to which connections are not allowed.", cause: cause)
        }
        do {
            let endpoint = try TLSEndpoint(host: host, port: port)
            let timeout = Duration.nanoseconds(max(0, (self.deadline - .now()).nanoseconds))
            let failure = TLSConnectionError(connecting: endpoint, timeout: timeout, error: error)
            return HTTPSessionError(failure, at: self.url, proxy: self.key.proxy)
        } catch {
            return HTTPSessionError(.url, .badURL, url: self.url, reason: "\(error)")
        }
    }
}

extension HTTPSessionError {
    /// Why there is no connection.
    fileprivate init(_ error: TLSConnectionError, at url: HTTPURL, proxy: ProxyHop?) {
        let code: URLErrorCode =
            switch error.code {
            case .resolutionFailed: .cannotFindHost
            case .timedOut: .timedOut
            default: .cannotConnectToHost
            }
        let place = proxy.map { "The proxy \($0) cannot be reached: \(error.reason)".asSentence }
        self.init(
            code == .timedOut ? .timeout : proxy == nil ? .connection : .proxy, code, url: url,
            reason: place ?? error.reason.asSentence, remedy: error.advice.asSentence, cause: error)
    }
}
