//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import ServerTrust
import ServerTrustTesting
import Synchronization
import Testing

@testable import ServerTrustNIO

/// A server on 127.0.0.1 that follows a script, in plain or over TLS.
struct StreamTestServer {
    /// One connection of a client.
    struct Client: Sendable {
        let channel: any Channel
        let inbound: NIOAsyncChannelInboundStream<ByteBuffer>
        let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

        func write(_ text: String) async throws { try await self.outbound.write(ByteBuffer(string: text)) }

        /// Ends its half, and waits for the end of the client's, for scripts that read nothing.
        func finish() async throws {
            self.outbound.finish()
            for try await _ in self.inbound {}
        }

        /// Writes plain text and begins TLS behind it, in one turn of the event loop.
        func beginTLS(after text: String, _ chain: [TestCertificate]) async throws {
            let (channel, context) = (self.channel, try StreamTestServer.context(chain))
            try await channel.eventLoop.submit {
                channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
                try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context), position: .first)
            }.get()
        }
    }

    typealias Script = @Sendable (Client) async throws -> Void

    /// Listens for as long as the body runs.
    ///
    /// - Parameters:
    ///   - chain: Its certificates; `nil` to begin in plain.
    ///   - script: What it does with a client, before it closes.
    static func with<R>(
        _ chain: [TestCertificate]?, script: @escaping Script, _ body: (Int) async throws -> R
    ) async throws -> R {
        let context = try chain.map { try Self.context($0) }
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let ready = channel.eventLoop.makePromise(of: Void.self)
                    if let context {
                        try channel.pipeline.syncOperations.addHandlers([
                            NIOSSLServerHandler(context: context), HandshakeWaiter(ready),
                        ])
                    } else {
                        ready.succeed()
                    }
                    let asynchronous = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
                    Task {
                        try? await asynchronous.executeThenClose { inbound, outbound in
                            try await ready.futureResult.get()
                            try await script(Client(channel: channel, inbound: inbound, outbound: outbound))
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<R, any Error>
        do {
            result = .success(try await body(try #require(listener.localAddress?.port)))
        } catch {
            result = .failure(error)
        }
        try await listener.close()
        return try result.get()
    }

    private static func context(_ chain: [TestCertificate]) throws -> NIOSSLContext {
        try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: try chain.map { .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der)) },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(chain[0].privateKey.pem.utf8), format: .pem)))
        )
    }
}

/// Tells when the handshake is over, before which NIOSSL's server must not be told to close its half.
private final class HandshakeWaiter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let ready: EventLoopPromise<Void>

    init(_ ready: EventLoopPromise<Void>) {
        self.ready = ready
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { self.ready.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.ready.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}

/// A relay on 127.0.0.1 that hands on some octets of the server's, and then closes.
struct TruncatingRelay {
    let port: Int
    private let log: Log

    /// The octets that servers sent.
    var octets: Int { self.log.state.withLock { $0.octets } }
    /// Whether there were octets that were not handed on.
    var hasCut: Bool { self.log.state.withLock { $0.hasCut } }

    static func with<R>(
        _ target: Int, after limit: Int = .max, _ body: (TruncatingRelay) async throws -> R
    ) async throws -> R {
        let log = Log()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop).channelOption(.autoRead, value: false)
                    .connect(host: "127.0.0.1", port: target)
                    .flatMapThrowing { server in
                        try client.pipeline.syncOperations.addHandler(CuttingEnd(to: server, limit: .max, log: nil))
                        try server.pipeline.syncOperations.addHandler(CuttingEnd(to: client, limit: limit, log: log))
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<R, any Error>
        do {
            result = .success(
                try await body(TruncatingRelay(port: try #require(listener.localAddress?.port), log: log)))
        } catch {
            result = .failure(error)
        }
        try await listener.close()
        return try result.get()
    }

    fileprivate final class Log: Sendable {
        let state = Mutex((octets: 0, hasCut: false))
    }
}

private final class CuttingEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let log: TruncatingRelay.Log?
    private var left: Int

    init(to other: any Channel, limit: Int, log: TruncatingRelay.Log?) {
        self.other = other
        self.left = limit
        self.log = log
    }

    func channelActive(context: ChannelHandlerContext) { context.read() }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var octets = self.unwrapInboundIn(data)
        let (count, isCut) = (octets.readableBytes, octets.readableBytes > self.left)
        self.log?.state.withLock { $0 = ($0.octets + count, $0.hasCut || isCut) }
        guard isCut else {
            self.left -= count
            let channel = context.channel
            self.other.writeAndFlush(octets).whenComplete { _ in channel.read() }
            return
        }
        let (channel, other) = (context.channel, self.other)
        other.writeAndFlush(octets.readSlice(length: self.left) ?? ByteBuffer()).whenComplete { _ in
            other.close(promise: nil)
            channel.close(promise: nil)
        }
        self.left = 0
    }

    func channelInactive(context: ChannelHandlerContext) { self.other.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

enum StreamFixture {
    static let host = ATSTestClient.host

    /// A gate that leaves chains to trust alone.
    static func gate(
        anchors: TrustAnchors? = nil, _ change: (inout ServerTrustSettings) -> Void = { _ in }
    ) throws -> ServerTrustGate {
        var settings = ServerTrustSettings(
            trust: TrustConfiguration(anchors: try anchors ?? ATSFixture.authority.get().anchors),
            transportSecurity: .withoutAppTransportSecurity)
        settings.handshakeTimeout = .seconds(60)
        // The tests count connections and octets; GateLookTests look.
        settings.looksAtDeliveredEvidence = false
        change(&settings)
        return ServerTrustGate(settings)
    }

    /// A stream to 127.0.0.1 under the server's name.
    static func stream(
        _ port: Int, gate: ServerTrustGate? = nil, validation: SecureStream.Validation = .automatic
    ) async throws -> SecureStream {
        try await SecureStream.connect(
            to: "127.0.0.1", port: port, peerName: Self.host, gate: try gate ?? Self.gate(), validation: validation)
    }

    /// Everything that comes, and how it ends.
    static func rest(of stream: SecureStream) async -> (text: String, error: SecureStreamError?) {
        var text = ""
        do {
            for try await octets in stream.octets { text += String(buffer: octets) }
            return (text, nil)
        } catch {
            return (text, error as? SecureStreamError ?? SecureStreamError(.failed, cause: error))
        }
    }
}
