//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
import NIOPosix
import ServerTrust
package import TLSWire

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The way to a server: its name, its addresses, the proxy, and the words before TLS.
package struct Dialer: Sendable {
    private let eventLoop: any EventLoop
    /// The time for the name and the connection, which no step of the rest shares.
    private let connectTimeout: TimeAmount

    /// The end of everything up to the outcome; `nil` where the rest has times of its own.
    package var deadline: NIODeadline?
    /// The known addresses, without a port; `nil` for those that the name is found to have.
    package var addresses: [SocketAddress]?
    /// The resolver of names.
    package var names = NameResolver.system
    /// Whether an address, with its port, may be connected to; `nil` for every address.
    package var isAllowed: (@Sendable (SocketAddress) -> Bool)?
    /// Whether a server may end its half of a connection.
    package var allowsHalfClosure = false
    /// Whether connections end without a farewell.
    package var resets = false
    /// The proxy between; `nil` for none. It looks names up.
    package var proxy: Proxy?
    /// Begins TLS with a proxy of `https` on a connection to it, and judges it.
    package var securesProxy: (@Sendable (any Channel, Proxy) -> EventLoopFuture<Void>)?
    /// The protocol of the server before TLS; `nil` for none.
    package var startTLS: StartTLSProtocol?
    /// The hello of TLS for a server that was to speak first and keeps silent; empty for none.
    package var trialHello: [UInt8] = []
    /// Hears of each connection before anything is said on it.
    package var onConnect: @Sendable (any Channel) -> Void = { _ in }
    /// Prepares each channel before it is connected.
    package var prepare: @Sendable (any Channel) -> EventLoopFuture<Void> = { $0.eventLoop.makeSucceededVoidFuture() }

    /// A way to servers.
    ///
    /// - Parameters:
    ///   - eventLoop: The event loop of the connections.
    ///   - connectTimeout: The time for the name and the connection.
    package init(on eventLoop: any EventLoop, connectTimeout: TimeAmount) {
        self.eventLoop = eventLoop
        self.connectTimeout = connectTimeout
    }

    /// Returns true if connections can be made on an event loop, which must be one of NIOPosix.
    package static func isPossible(on eventLoop: any EventLoop) -> Bool {
        ClientBootstrap(validatingGroup: eventLoop) != nil
    }

    // MARK: An outcome

    /// Connects, has something done on the connection, and closes the connection if that fails.
    ///
    /// A connection that comes up after the end is closed as well. Cancelling the task ends everything.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - keepsConnection: Whether the connection outlives what is done; otherwise it is closed in any case.
    ///   - body: What is done, on the event loop and before anything is read.
    /// - Throws: ``ConnectionFailure`` without a connection, or at the deadline; `CancellationError`; what `body` fails with.
    package func run<Value: Sendable>(
        to endpoint: TLSEndpoint, keepsConnection: Bool = true,
        _ body: @escaping @Sendable (any Channel) -> EventLoopFuture<Value>
    ) async throws -> Value {
        let outcome = self.eventLoop.makePromise(of: Value.self)
        let timer = self.deadline.map { deadline in
            self.eventLoop.scheduleTask(deadline: deadline) { outcome.fail(ConnectionFailure.timedOut(.connecting)) }
        }
        var dialer = self
        dialer.onConnect = { channel in
            self.onConnect(channel)
            outcome.futureResult.whenComplete { result in
                if case .success = result, keepsConnection { return }
                self.end(channel)
            }
        }
        dialer.dial(endpoint).flatMap { channel in
            // The end may have closed it.
            guard channel.isActive else {
                return channel.eventLoop.makeFailedFuture(ConnectionFailure.closed)
            }
            return body(channel)
        }.cascade(to: outcome)
        outcome.futureResult.whenComplete { _ in timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await outcome.futureResult.get()
        } onCancel: {
            outcome.fail(CancellationError())
        }
    }

    private func end(_ channel: any Channel) {
        if self.resets { channel.reset() } else { channel.close(promise: nil) }
    }

    // MARK: A connection

    /// Connects to a server, through the proxy, up to where TLS may begin.
    ///
    /// - Returns: The channel, on which nothing was read that is for TLS; the error is a ``ConnectionFailure``.
    package func dial(_ endpoint: TLSEndpoint) -> EventLoopFuture<any Channel> {
        let (proxy, target) = (self.proxy, endpoint.connectTarget)
        let preamble: Preamble?
        do {
            preamble = try Preamble(
                to: ProxyTarget(target.textInURL, address: target.address?.octets, port: endpoint.port),
                through: proxy, startTLS: self.startTLS, serverName: endpoint.host.text)
        } catch {
            return self.eventLoop.makeFailedFuture(error)
        }
        let end = NIODeadline.now() + self.connectTimeout
        let connected = self.connect(to: proxy?.host ?? endpoint.connectName, port: proxy?.port ?? endpoint.port)
        guard let preamble else { return connected }
        return connected.flatMap { self.secure($0, to: proxy) }.flatMap { channel in
            BeforeTLSHandler.run(preamble, on: channel, until: end, hello: self.trialHello)
        }
    }

    private var timeToConnect: TimeAmount {
        self.deadline.map { min(self.connectTimeout, max($0 - .now(), .milliseconds(1))) } ?? self.connectTimeout
    }

    /// Connects by TCP over IPv4 or IPv6, whichever answers first (RFC 8305).
    private func connect(to host: String, port: Int) -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: self.eventLoop)
            .connectTimeout(self.timeToConnect)
            .resolver(self.resolver)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.allowRemoteHalfClosure, value: self.allowsHalfClosure)
            .channelInitializer(self.prepare)
            .connect(host: host, port: port)
            .flatMapThrowing { channel in
                self.onConnect(channel)
                // The system connects where it likes: 0.0.0.0 is the machine itself.
                guard let isAllowed = self.isAllowed else { return channel }
                guard let peer = channel.remoteAddress, isAllowed(peer) else {
                    channel.close(promise: nil)
                    throw ConnectionFailure.forbiddenAddress
                }
                return channel
            }
            .flatMapErrorThrowing { throw self.throughProxy(ConnectionFailure(connecting: $0)) }
    }

    private var resolver: any Resolver & Sendable {
        let isAllowed = self.isAllowed ?? { _ in true }
        guard let addresses else { return BootstrapResolver(self.names, on: self.eventLoop, allowing: isAllowed) }
        return KnownAddresses(addresses, on: self.eventLoop, allowing: isAllowed)
    }

    /// A failure to connect: with a proxy it is the proxy's. That the time is over says nothing about either.
    private func throughProxy(_ failure: ConnectionFailure) -> ConnectionFailure {
        guard let proxy = self.proxy else { return failure }
        switch failure {
        case .timedOut, .starved, .forbiddenAddress, .proxy: return failure
        default: return .proxy(ProxyRefusal(proxy, .unreachable(failure.message)))
        }
    }

    private func secure(_ channel: any Channel, to proxy: Proxy?) -> EventLoopFuture<any Channel> {
        guard let proxy, proxy.scheme == .https else { return channel.eventLoop.makeSucceededFuture(channel) }
        let secured: EventLoopFuture<Void> =
            self.securesProxy?(channel, proxy)
            ?? channel.eventLoop.makeFailedFuture(
                ConnectionFailure.proxy(ProxyRefusal(proxy, .untrusted("nothing judges it here."))))
        return secured.map { channel }.flatMapErrorThrowing { error in
            channel.close(promise: nil)
            throw error
        }
    }
}

extension Channel {
    /// Closes without a farewell. Nothing is left to be said, and a reset frees the port at once, of which there are not enough
    /// for as many connections as a scan makes.
    package func reset() {
        (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
        self.close(promise: nil)
    }
}
