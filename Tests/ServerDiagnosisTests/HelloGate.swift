//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import Synchronization
import Testing

/// A box before a server on this machine that looks at hellos before it lets them through.
struct HelloGate {
    /// What becomes of a hello.
    enum Verdict: Sendable {
        case pass
        case drop
        case reset
        case answer([UInt8])
    }

    let port: Int
    private let log: HelloLog

    /// The hellos that came, each with the header of its record.
    var hellos: [[UInt8]] { self.log.hellos.withLock { $0 } }

    /// Runs a gate.
    ///
    /// - Parameters:
    ///   - backend: The port of the server behind it.
    ///   - judge: Says of a hello what becomes of it.
    static func with<R>(
        before backend: Int, _ judge: @escaping @Sendable ([UInt8]) -> Verdict,
        _ body: (HelloGate) async throws -> R
    ) async throws -> R {
        let log = HelloLog()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(GateHandler(backend, judge, log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let outcome: Result<R, any Error>
        do {
            let port = try #require(listener.localAddress?.port)
            outcome = .success(try await body(HelloGate(port: port, log: log)))
        } catch {
            outcome = .failure(error)
        }
        try await listener.close()
        return try outcome.get()
    }
}

private final class HelloLog: Sendable {
    let hellos = Mutex<[[UInt8]]>([])
}

/// The side of the client.
private final class GateHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let backend: Int
    private let judge: @Sendable ([UInt8]) -> HelloGate.Verdict
    private let log: HelloLog
    private var received: [UInt8] = []
    private var isJudged = false
    private var peer: (any Channel)?

    init(_ backend: Int, _ judge: @escaping @Sendable ([UInt8]) -> HelloGate.Verdict, _ log: HelloLog) {
        self.backend = backend
        self.judge = judge
        self.log = log
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(self.unwrapInboundIn(data).readableBytesView)
        if let peer {
            peer.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
            return
        }
        self.received += bytes
        guard !self.isJudged, self.received.count >= 5,
            self.received.count >= 5 + Int(self.received[3]) << 8 + Int(self.received[4])
        else { return }
        self.isJudged = true
        self.log.hellos.withLock { $0.append(self.received) }
        switch self.judge(self.received) {
        case .pass: self.connect(context.channel)
        case .drop: break
        case .answer(let bytes): context.channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        case .reset:
            let channel = context.channel
            // Closing without lingering sends RST.
            let isSet = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            isSet?.whenComplete { _ in channel.close(promise: nil) }
        }
    }

    private func connect(_ front: any Channel) {
        let handler = NIOLoopBound(self, eventLoop: front.eventLoop)
        ClientBootstrap(group: front.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(BackendHandler(front))
                }
            }
            .connect(host: "127.0.0.1", port: self.backend).whenComplete { result in
                guard case .success(let channel) = result else { return front.close(promise: nil) }
                handler.value.peer = channel
                channel.writeAndFlush(ByteBuffer(bytes: handler.value.received), promise: nil)
            }
    }

    func channelInactive(context: ChannelHandlerContext) { self.peer?.close(promise: nil) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// The side of the server.
private final class BackendHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let front: any Channel

    init(_ front: any Channel) { self.front = front }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.front.writeAndFlush(self.unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { self.front.close(promise: nil) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
