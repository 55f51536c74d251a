//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import ServerTrust
import ServerTrustNIO
import Synchronization
import TLSWire

extension DoorScene {
    /// The error of a connection through the gate; `nil` where it is let through.
    func gated(_ target: DoorTarget) async -> (any Error)? {
        await Self.error {
            let destination = try ATSDestination(url: target.url)
            let gated = try await ServerTrustGate(self.settings(for: target))
                .connect(to: destination, connectAddress: "127.0.0.1", connectTimeout: .seconds(60))
            try? await gated.channel.close()
        }
    }

    /// The error of a stream; `nil` where it is open.
    func streamed(_ target: DoorTarget) async -> (any Error)? {
        await Self.error {
            let destination = try ATSDestination(url: target.url)
            let stream = try await SecureStream.connect(
                to: "127.0.0.1", port: target.port, peerName: destination.host,
                gate: ServerTrustGate(self.settings(for: target)), connectTimeout: .seconds(60))
            await stream.close()
        }
    }

    /// The error of a request; `nil` where a response comes.
    func loaded(_ target: DoorTarget) async -> (any Error)? {
        await Self.error {
            _ = try await self.session(for: target).data(from: target.url)
        }
    }

    /// The failure of a chain; `nil` where it is trusted.
    func judged(_ target: DoorTarget) async -> (any Error)? {
        await Self.error {
            let configuration = try self.settings(for: target).trust
            let result = try Trust(pem: target.pem, host: target.name, configuration: configuration).evaluate()
            if let failure = result.failure { throw failure }
        }
    }

    /// The error of a connection by a bootstrap; `nil` where the handshake completes.
    func bootstrapped(_ target: DoorTarget) async -> (any Error)? {
        await Self.error {
            if let error = await Self.bootstrapped(target, by: ServerTrustGate(try self.settings(for: target))) {
                throw error
            }
        }
    }

    /// The error of a connection by a bootstrap and a gate; `nil` where the handshake completes.
    static func bootstrapped(_ target: DoorTarget, by gate: ServerTrustGate) async -> (any Error)? {
        await Self.error {
            let destination = try ATSDestination(url: target.url)
            let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
            let outcome = eventLoop.makePromise(of: Void.self)
            let initializer = gate.initializer(for: destination) { channel in
                try channel.pipeline.syncOperations.addHandler(HandshakeEnd(outcome))
            }
            do {
                let channel = try await ClientBootstrap(group: eventLoop).channelInitializer(initializer)
                    .connect(host: "127.0.0.1", port: target.port).get()
                defer { channel.close(promise: nil) }
                try await outcome.futureResult.get()
            } catch {
                outcome.fail(error)
                throw error
            }
        }
    }

    private static func error(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }
}

// MARK: - The callback for other clients

extension DoorScene {
    /// The error of a handshake by a TLS handler of another library's; `nil` where it completes.
    func calledBack(_ target: DoorTarget) async -> (any Error)? {
        await Self.error {
            let destination = try ATSDestination(url: target.url)
            let gate = ServerTrustGate(try self.settings(for: target))
            let refusal = Mutex<ServerTrustGateError?>(nil)
            let wasAsked = Mutex(false)
            let callback = try gate.customVerificationCallback(for: destination) { error in
                refusal.withLock { $0 = error }
            }
            let judge: @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResult>) -> Void = {
                wasAsked.withLock { $0 = true }
                callback($0, $1)
            }
            let context = try NIOSSLContext(configuration: gate.tlsConfiguration(for: destination))
            do {
                try await Self.handshake(target, Self.serverName(destination), context, judge)
            } catch {
                if let refusal = refusal.withLock({ $0 }) { throw refusal }
                // The callback let the server through, which then ended the handshake: NIOSSL tells of it, and not the gate.
                guard wasAsked.withLock({ $0 }), let alert = TLSAlertDescription(receivedIn: error) else { throw error }
                throw HandshakeEndedByServer(alert: alert)
            }
        }
    }

    /// The name to ask for; `nil` for an address, which has none (RFC 6066 §3).
    private static func serverName(_ destination: ATSDestination) -> String? {
        let isAddress = (try? SocketAddress(ipAddress: destination.host, port: 0)) != nil
        return isAddress ? nil : destination.host
    }

    private static func handshake(
        _ target: DoorTarget, _ name: String?, _ context: NIOSSLContext,
        _ callback: @escaping @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResult>) -> Void
    ) async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        let outcome = eventLoop.makePromise(of: Void.self)
        let timeout = eventLoop.scheduleTask(in: .seconds(60)) {
            outcome.fail(ChannelError.connectTimeout(.seconds(60)))
        }
        let channel = try await ClientBootstrap(group: eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(
                        context: context, serverHostname: name, customVerificationCallback: callback)
                    try channel.pipeline.syncOperations.addHandlers([tls, HandshakeEnd(outcome)])
                }
            }
            .connect(host: "127.0.0.1", port: target.port).get()
        defer {
            timeout.cancel()
            channel.close(promise: nil)
        }
        try await outcome.futureResult.get()
    }
}

/// A server that was let through ended the handshake with an alert.
struct HandshakeEndedByServer: Error {
    let alert: TLSAlertDescription
}

/// Waits for the end of a handshake.
private final class HandshakeEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let outcome: EventLoopPromise<Void>

    init(_ outcome: EventLoopPromise<Void>) { self.outcome = outcome }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { self.outcome.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { self.fail(error, context) }

    func channelInactive(context: ChannelHandlerContext) { self.fail(ChannelError.eof, context) }

    /// The refusal is told on the event loop, after the callback.
    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        let outcome = self.outcome
        context.eventLoop.execute { outcome.fail(error) }
    }
}
