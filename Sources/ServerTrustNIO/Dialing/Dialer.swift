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

/// The way to a server: name resolution, addresses, a proxy, and the exchange before TLS.
package struct Dialer: Sendable {
    private let eventLoop: any EventLoop
    /// The time for resolving and connecting, apart from any later step.
    private let connectTimeout: TimeAmount

    /// The deadline for the whole outcome, or `nil` if the later steps have limits of their own.
    package var deadline: NIODeadline?
    /// The known addresses without a port, or `nil` to resolve the name.
    package var addresses: [SocketAddress]?
    package var names = NameResolver.system
    /// Returns `true` if an address, with its port, may be connected to. `nil` allows every address.
    package var isAllowed: (@Sendable (SocketAddress) -> Bool)?
    /// `true` if a server may close its direction of a connection.
    package var allowsHalfClosure = false
    package var resets = false
    /// The proxy, or `nil` if there is none. A proxy resolves names itself.
    package var proxy: Proxy?
    /// Begins TLS with an `https` proxy on a connection, and evaluates the proxy.
    package var securesProxy: (@Sendable (any Channel, Proxy) -> EventLoopFuture<Void>)?
    /// The server's protocol before TLS, or `nil` if TLS comes first.
    package var startTLS: StartTLSProtocol?
    /// The ClientHello to try on a server that must speak first and stays silent. Empty to try none.
    package var trialHello: [UInt8] = []
    package var onConnect: @Sendable (any Channel) -> Void = { _ in }
    /// Prepares each channel before it is connected.
    package var prepare: @Sendable (any Channel) -> EventLoopFuture<Void> = { $0.eventLoop.makeSucceededVoidFuture() }

    /// Creates a dialer.
    ///
    /// - Parameters:
    ///   - eventLoop: The event loop of the connections.
    ///   - connectTimeout: The time for resolving and connecting.
    package init(on eventLoop: any EventLoop, connectTimeout: TimeAmount) {
        self.eventLoop = eventLoop
        self.connectTimeout = connectTimeout
    }

    /// Returns `true` if connections can be made on the event loop, which must be one of NIOPosix.
    package static func isPossible(on eventLoop: any EventLoop) -> Bool {
        ClientBootstrap(validatingGroup: eventLoop) != nil
    }

    // MARK: An outcome

    /// Connects and runs a closure on the connection. If that fails, it closes the connection.
    ///
    /// A connection that is established after the end is closed as well. Cancelling the task ends everything.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - keepsConnection: `true` to keep the connection open after the closure succeeds. Otherwise it is closed in every case.
    ///   - body: The closure, which runs on the event loop before anything is read.
    /// - Throws: `ConnectionFailure` if there is no connection or the deadline has passed, `CancellationError`, or the error of
    ///   `body`.
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
            // The end of the outcome may have closed it.
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

    /// Connects to a server, through the proxy if there is one, to the point where TLS may begin.
    ///
    /// - Returns: The channel. No octet of TLS has been read from it. The error is a `ConnectionFailure`.
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
                // The system may connect elsewhere than to the given address: 0.0.0.0 is the machine itself.
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

    /// Returns the failure to report for a failure to connect. With a proxy it is the proxy's, except for a timeout or a limit of
    /// this machine, which says nothing about the proxy.
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
    /// Closes the connection with a TCP reset. No data is left to send, and a reset frees the local port at once. A scan makes more
    /// connections than there are ports.
    package func reset() {
        (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
        self.close(promise: nil)
    }
}
