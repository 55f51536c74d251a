//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust
import ServerTrustNIO
import Synchronization
import TLSProbe
import TLSWire

/// The connections of a probe to one server. They go to one address, a few at a time, until the server's time is up.
final class HostExchange: ProbeExchange {
    /// The name for server name indication, or `nil` to send none.
    let serverName: String?

    let endpoint: TLSEndpoint
    private let configuration: Prober.Configuration
    private let traffic: Traffic
    private let permits: Permits
    private let proxyTLS: ProxyTLS?
    private let eventLoop: any EventLoop
    private let state: Mutex<State>

    private struct State {
        /// The end of the server's time.
        var end: ContinuousClock.Instant
        var addresses: [SocketAddress]?
        /// The address of the first connection. All other connections use it, because the machines behind one name may differ.
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
        let isSecure = configuration.proxy?.scheme == .https
        self.proxyTLS =
            isSecure ? ProxyTLS(trust: configuration.proxyTrust ?? .apple, timeout: self.configuration.timeout) : nil
        self.state = Mutex(State(end: .now + self.configuration.timeoutPerHost))
        // Every ClientHello and handshake sends the same name, or they may reach different servers. An address is not sent (RFC
        // 6066 §3).
        let name = configuration.serverName.map { try? Host($0) } ?? endpoint.host
        self.serverName = name?.serverNameIndication
    }

    /// The server's address once there was a connection to it. `nil` through a proxy.
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

    func answer(to bytes: [UInt8]) async -> Result<[UInt8], ConnectionFailure> {
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

    /// Completes a handshake with a TLS library and the widest offer, including old versions, so that they can be reported.
    ///
    /// - Throws: `ConnectionFailure` if there is no connection, `TLSConnectionError` if there is no chain.
    func presentedChain(offering protocols: [String]) async throws -> PresentedChain {
        try await self.presentedChain { timeout in
            var configuration = TLSConnection.Configuration()
            (configuration.timeout, configuration.applicationProtocols) = (timeout, protocols)
            return configuration
        }
    }

    func completedHandshake(offering offer: HandshakeOffer) async -> HandshakeResult {
        do {
            return HandshakeResult(
                try await self.presentedChain { TLSConnection.Configuration(offer, timeout: $0) })
        } catch {
            return HandshakeResult(failure: error as? ConnectionFailure ?? ConnectionFailure(handshaking: error))
        }
    }

    private func presentedChain(_ offer: (Duration) -> TLSConnection.Configuration) async throws -> PresentedChain {
        try await self.withDialer { dialer in
            try await TLSConnection.presentedChain(
                of: self.endpoint, configuration: offer(self.timeout), serverName: self.serverName, through: dialer)
        }
    }

    /// Opens a connection on which TLS may begin, and closes it when the closure's result is complete.
    ///
    /// - Parameter body: The closure, called on the event loop with the deadline of the connection.
    /// - Throws: `ConnectionFailure` if there is no connection, or the error of `body`.
    func withConnection(
        _ body: @escaping @Sendable (any Channel, NIODeadline) -> EventLoopFuture<Void>
    ) async throws {
        try await self.withDialer { dialer in
            var dialer = dialer
            dialer.allowsHalfClosure = true
            let deadline = NIODeadline.now() + TimeAmount(self.timeout)
            try await dialer.run(to: self.endpoint, keepsConnection: false) { body($0, deadline) }
        }
    }

    /// Runs a closure with a dialer, after waiting for permission to connect.
    private func withDialer<Value: Sendable>(_ body: (Dialer) async throws -> Value) async throws -> Value {
        if let failure = await self.enter() { throw failure }
        defer { self.leave() }
        do {
            return try await body(self.dialer())
        } catch let failure as ConnectionFailure {
            throw self.throughProxy(failure)
        }
    }
}

// MARK: - Connections

extension HostExchange {
    /// Returns a dialer to the server, or to its known address.
    ///
    /// - Parameter onConnect: Called with each channel before anything is sent on it, so that it can be closed in time.
    private func dialer(_ onConnect: @escaping @Sendable (any Channel) -> Void = { _ in }) -> Dialer {
        var dialer = Dialer(on: self.eventLoop, connectTimeout: TimeAmount(self.timeout))
        dialer.addresses = self.state.withLock { state in state.found.map { [$0] } ?? state.addresses ?? [] }
        (dialer.proxy, dialer.startTLS) = (self.configuration.proxy, self.configuration.startTLS)
        dialer.trialHello = self.configuration.startTLS == nil ? [] : Self.trialHello
        dialer.securesProxy = self.proxyTLS?.secure
        dialer.resets = true
        dialer.onConnect = { channel in
            self.state.withLock { $0.found = $0.found ?? channel.remoteAddress }
            onConnect(channel)
        }
        return dialer
    }

    private static var trialHello: [UInt8] {
        var chance = SystemRandomNumberGenerator()
        return HandshakeOffer(everythingAfter: .apple)
            .opening(using: &chance, verifiedBy: CertificateKeyVerifier()).hello.encoded()
    }

    /// Sends the bytes of a receiver, and completes the promise with its answer.
    private func exchange<R: Receiver & SendableMetatype>(_ receiver: R) -> EventLoopPromise<R.Answer> {
        let promise = self.eventLoop.makePromise(of: R.Answer.self)
        self.eventLoop.execute { self.begin(receiver, promise) }
        return promise
    }

    /// Connects and sends. Call it on the event loop.
    private func begin<R: Receiver & SendableMetatype>(_ receiver: R, _ promise: EventLoopPromise<R.Answer>) {
        let handler = ReceiverHandler(receiver, promise)
        let eventLoop = self.eventLoop.assumeIsolated()
        let timeout = eventLoop.scheduleTask(in: TimeAmount(self.timeout)) {
            handler.timeOut()
        }
        let isolated = NIOLoopBound(handler, eventLoop: self.eventLoop)
        let connected = self.dialer { isolated.value.connected($0) }.dial(self.endpoint)
        connected.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel): handler.begin(on: channel)
            case .failure(let error):
                handler.fail((error as? ConnectionFailure).map { self.throughProxy($0) } ?? .closed)
            }
        }
        promise.futureResult.whenComplete { _ in
            timeout.cancel()
            isolated.value.disconnect()
        }
    }

    /// Returns the failure to report. Through a proxy, a failure to resolve or to connect is the proxy's. Without a file descriptor
    /// the probe did not take place.
    private func throughProxy(_ failure: ConnectionFailure) -> ConnectionFailure {
        if failure == .starved { return .cancelled }
        guard let proxy = self.configuration.proxy, failure.isWithoutConnection else { return failure }
        if case .proxy = failure { return failure }
        return .proxy(ProxyRefusal(proxy, .unreachable(failure.message)))
    }

    private func withPermission<Answer: Sendable>(
        _ start: () -> EventLoopPromise<Answer>, orElse: (ConnectionFailure) -> Answer
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

    /// Waits for permission to connect. Returns the failure if it is refused.
    private func enter() async -> ConnectionFailure? {
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
        let failure: ConnectionFailure? = Task.isCancelled ? .cancelled : ContinuousClock.now >= end ? .exhausted : nil
        if failure != nil { self.leave() }
        return failure
    }

    /// The time for one connection, limited by the rest of the server's time.
    private var timeout: Duration {
        let rest = self.state.withLock { ContinuousClock.now.duration(to: $0.end) }
        return max(.milliseconds(1), min(self.configuration.timeout, rest))
    }

    private var target: (host: String, port: Int) {
        self.configuration.proxy.map { ($0.host, $0.port) } ?? (self.endpoint.connectName, self.endpoint.port)
    }

    /// Resolves the name unless its addresses are known. Returns the failure if there is no address. A failed name is resolved
    /// again by the next connection.
    private func resolve() async -> ConnectionFailure? {
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
        // The wait for threads that other names kept busy does not count as this server's time.
        self.state.withLock { $0.end += answer.waited }
        return answer.outcome
    }

    private func leave() {
        self.traffic.leave()
        self.permits.release()
    }
}
