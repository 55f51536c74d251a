//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import ServerTrust
import ServerTrustNIO
import Synchronization
import TLSProbe
import TLSWire

/// The way to one server: connections to one of its addresses, a few at a time, until its time is up.
final class HostExchange: ProbeExchange {
    /// The name sent as server name indication; `nil` sends none.
    let serverName: String?

    let endpoint: TLSEndpoint
    private let configuration: Prober.Configuration
    private let traffic: Traffic
    private let permits: Permits
    private let eventLoop: any EventLoop
    private let state: Mutex<State>

    private struct State {
        /// When the time of the server is up.
        var end: ContinuousClock.Instant
        /// What its name was found to be; `nil` before it was looked up.
        var addresses: [SocketAddress]?
        /// The address that the first connection found, which all others go to: machines behind one name may differ.
        var found: SocketAddress?
    }

    init(
        _ endpoint: TLSEndpoint, _ configuration: Prober.Configuration, traffic: Traffic, on loop: any EventLoop
    ) {
        self.endpoint = endpoint
        self.configuration = configuration.bounded
        self.traffic = traffic
        self.permits = Permits(max(1, configuration.connectionsPerHost))
        self.eventLoop = loop
        self.state = Mutex(State(end: .now + self.configuration.timeoutPerHost))
        // One name for hellos and handshakes, or they may meet different servers. An address is not sent (RFC 6066 §3).
        let name = configuration.serverName.map { try? Host($0) } ?? endpoint.host
        self.serverName = name?.serverNameIndication
    }

    /// The server's address, when there was a connection to it; through a proxy it is not known.
    var address: String? {
        self.configuration.proxy != nil ? nil : self.state.withLock { $0.found }?.textWithPort
    }

    func reply(to hello: ClientHello) async -> ProbeReply {
        await self.withPermission {
            self.exchange(FlightReceiver(hello.encoded()))
        } orElse: {
            ProbeReply(failure: $0)
        }
    }

    var signatureVerifier: (any HandshakeSignatureVerifier)? { CertificateKeyVerifier() }

    func answer(to bytes: [UInt8]) async -> Result<[UInt8], ProbeFailure> {
        await self.withPermission {
            self.exchange(FirstBytesReceiver(bytes))
        } orElse: {
            .failure($0)
        }
    }

    func pause(for duration: Duration) async {
        guard duration > .zero else { return }
        try? await Task.sleep(for: duration)
    }

    func handshake(offering offer: HandshakeOffer) async -> HandshakeResult {
        var chance = SystemRandomNumberGenerator()
        let (hello, reader) = offer.opening(using: &chance, verifiedBy: CertificateKeyVerifier())
        return await self.withPermission {
            self.exchange(HandshakeReceiver(hello.encoded(), reader))
        } orElse: {
            HandshakeResult(failure: $0)
        }
    }

    /// Completes a handshake with a library that offers as much as it can, old versions included, so that they can be named.
    ///
    /// - Throws: ``ProbeFailure`` where there is no connection, `TLSConnectionError` where no chain was presented.
    func presentedChain(offering protocols: [String]) async throws -> PresentedChain {
        if let failure = await self.enter() { throw failure }
        let connection = OpenConnection()
        defer {
            connection.close()
            self.leave()
        }
        var configuration = TLSConnection.Configuration()
        (configuration.timeout, configuration.applicationProtocols) = (self.timeout, protocols)
        return try await TLSConnection.presentedChain(
            of: self.endpoint, configuration: configuration, serverName: self.serverName, on: self.eventLoop,
            opening: { _ in self.connect { connection.open($0) } })
    }

    /// Opens a connection that TLS may begin on, for as long as something is done with it.
    ///
    /// - Parameter body: What is done, on the event loop, with the moment at which its time is up.
    /// - Throws: ``ProbeFailure`` where there is no connection; what `body` fails with.
    func withConnection(
        _ body: @escaping @Sendable (any Channel, NIODeadline) -> EventLoopFuture<Void>
    ) async throws {
        if let failure = await self.enter() { throw failure }
        let connection = OpenConnection()
        defer {
            connection.close()
            self.leave()
        }
        let deadline = NIODeadline.now() + TimeAmount(self.timeout)
        let channel = try await self.connect { connection.open($0) }.get()
        try await withTaskCancellationHandler {
            try await channel.setOption(.allowRemoteHalfClosure, value: true).flatMap {
                body(channel, deadline)
            }.get()
        } onCancel: {
            connection.close()
        }
    }

    func completedHandshake(offering offer: HandshakeOffer) async -> HandshakeResult {
        if let failure = await self.enter() { return HandshakeResult(failure: failure) }
        let connection = OpenConnection()
        defer {
            connection.close()
            self.leave()
        }
        do {
            let chain = try await TLSConnection.presentedChain(
                of: self.endpoint,
                configuration: TLSConnection.Configuration(offer, timeout: self.timeout),
                serverName: self.serverName, on: self.eventLoop,
                opening: { _ in self.connect { connection.open($0) } })
            return HandshakeResult(chain)
        } catch {
            let failure = error as? ProbeFailure
            return HandshakeResult(failure: failure ?? ProbeFailure(handshaking: error))
        }
    }

}

// MARK: - Connections

extension HostExchange {
    /// Opens a connection that TLS may begin on, to the address found before if there is one.
    ///
    /// - Parameter onConnect: Is given the channel before anything is said on it, to close it in good time.
    /// - Returns: The channel; the error is a ``ProbeFailure``.
    private func connect(onConnect: @escaping @Sendable (any Channel) -> Void) -> EventLoopFuture<any Channel> {
        let timeout = TimeAmount(self.timeout)
        let deadline = NIODeadline.now() + timeout
        let bootstrap = ClientBootstrap(group: self.eventLoop)
            .connectTimeout(timeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        return self.connect(bootstrap)
            .flatMapErrorThrowing { error in
                throw error.isStarvation ? ProbeFailure.cancelled : self.failure(connecting: error)
            }
            .flatMap { channel in
                onConnect(channel)
                return self.speakBeforeTLS(on: channel, until: deadline)
            }
    }

    private func connect(_ bootstrap: ClientBootstrap) -> EventLoopFuture<any Channel> {
        let (found, addresses) = self.state.withLock { ($0.found, $0.addresses ?? []) }
        if let found { return bootstrap.connect(to: found) }
        let (host, port) = self.target
        return bootstrap.resolver(KnownAddresses(addresses, on: self.eventLoop)).connect(host: host, port: port)
            .map { channel in
                self.state.withLock { $0.found = $0.found ?? channel.remoteAddress }
                return channel
            }
    }

    private func speakBeforeTLS(on channel: any Channel, until deadline: NIODeadline) -> EventLoopFuture<any Channel> {
        do {
            let preamble = try Preamble(
                proxy: self.configuration.proxy, startTLS: self.configuration.startTLS,
                host: self.endpoint.connectTarget,
                port: self.endpoint.port, serverName: self.endpoint.host.text)
            guard let preamble else { return channel.eventLoop.makeSucceededFuture(channel) }
            var chance = SystemRandomNumberGenerator()
            let (hello, _) = HandshakeOffer(everythingAfter: .apple)
                .opening(using: &chance, verifiedBy: CertificateKeyVerifier())
            return PreambleHandler.run(preamble, on: channel, until: deadline, hello: hello.encoded())
        } catch {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(error)
        }
    }

    /// Sends what a receiver has to send, and waits until it has seen enough.
    private func exchange<R: Receiver & SendableMetatype>(_ receiver: R) -> EventLoopPromise<R.Answer> {
        let promise = self.eventLoop.makePromise(of: R.Answer.self)
        self.eventLoop.execute { self.begin(receiver, promise) }
        return promise
    }

    /// Connects and sends. On the event loop.
    private func begin<R: Receiver & SendableMetatype>(_ receiver: R, _ promise: EventLoopPromise<R.Answer>) {
        let handler = ReceiverHandler(receiver, promise)
        let eventLoop = self.eventLoop.assumeIsolated()
        let timeout = eventLoop.scheduleTask(in: TimeAmount(self.timeout)) {
            handler.timeOut()
        }
        let isolated = NIOLoopBound(handler, eventLoop: self.eventLoop)
        let connected = self.connect { isolated.value.connected($0) }
        connected.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel): handler.begin(on: channel)
            case .failure(let error):
                handler.fail(self.failure(connecting: error))
            }
        }
        promise.futureResult.whenComplete { _ in
            timeout.cancel()
            isolated.value.disconnect()
        }
    }

    private func failure(connecting error: any Error) -> ProbeFailure {
        if let failure = error as? ProbeFailure { return failure }
        return self.throughProxy(
            ProbeFailure(TLSConnectionError(connecting: self.endpoint, timeout: .zero, error: error)))
    }

    /// A failure to connect, or to look the name up: through a proxy it is the proxy's.
    private func throughProxy(_ failure: ProbeFailure) -> ProbeFailure {
        guard let proxy = self.configuration.proxy, failure.isWithoutConnection else { return failure }
        return .proxy(ProxyRefusal(proxy, .unreachable(failure.message)))
    }

    private func withPermission<Answer: Sendable>(
        _ start: () -> EventLoopPromise<Answer>, orElse: (ProbeFailure) -> Answer
    ) async -> Answer {
        if let failure = await self.enter() { return orElse(failure) }
        defer { self.leave() }
        let promise = start()
        do {
            return try await withTaskCancellationHandler {
                try await promise.futureResult.get()
            } onCancel: {
                promise.fail(CancellationError())
            }
        } catch {
            return orElse(.cancelled)
        }
    }

    /// Waits for permission to connect; returns why it is refused.
    private func enter() async -> ProbeFailure? {
        guard await self.permits.acquire() else { return .cancelled }
        if let failure = await self.resolve() {
            self.permits.release()
            return failure
        }
        guard await self.traffic.enter() else {
            self.permits.release()
            return .cancelled
        }
        let end = self.state.withLock { $0.end }
        let failure: ProbeFailure? = Task.isCancelled ? .cancelled : ContinuousClock.now >= end ? .exhausted : nil
        if failure != nil { self.leave() }
        return failure
    }

    /// The time of one connection, which ends with that of the server.
    private var timeout: Duration {
        let rest = self.state.withLock { ContinuousClock.now.duration(to: $0.end) }
        return max(.milliseconds(1), min(self.configuration.timeout, rest))
    }

    /// What is connected to: the proxy, or the server.
    private var target: (host: String, port: Int) {
        self.configuration.proxy.map { ($0.host, $0.port) } ?? (self.endpoint.connectName, self.endpoint.port)
    }

    /// Looks the name up, where that was not done; returns why there is no address. A name that failed is asked for again.
    private func resolve() async -> ProbeFailure? {
        let (isKnown, rest) = self.state.withLock { ($0.addresses != nil, ContinuousClock.now.duration(to: $0.end)) }
        guard !isKnown, rest > .zero else { return nil }
        switch await self.lookUp(within: min(self.configuration.timeout, rest)) {
        case .found(let addresses): self.state.withLock { $0.addresses = addresses }
        case .notFound: return self.throughProxy(.hostNotFound)
        case .unanswered: return self.throughProxy(.lookupFailed)
        case .timedOut: return self.throughProxy(.timedOut(.resolving))
        case .busy, .starved, .cancelled: return .cancelled
        }
        return nil
    }

    private func lookUp(within timeout: Duration) async -> NameLookupOutcome {
        if let known = self.configuration.lookup { return known }
        let answer = await self.configuration.resolver.addresses(of: self.target.host, timeout: timeout)
        // Other names kept the threads busy: that time is not this server's.
        self.state.withLock { $0.end += answer.waited }
        return answer.outcome
    }

    private func leave() {
        self.traffic.leave()
        self.permits.release()
    }
}
