//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
import NIOPosix
package import Synchronization
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A TCP server on 127.0.0.1 that misbehaves in a chosen way.
package struct RawServer {
    package enum Behaviour: Sendable {
        case silent
        /// The bytes are sent at once, and nothing after them.
        case greeting([UInt8])
        case answer([UInt8])
        case answerAndClose([UInt8])
        case close
        case reset
        case endless([UInt8])
        /// Endless too, and begun once something was received.
        case endlessAnswer([UInt8])
        case slow([UInt8], every: TimeAmount)
    }

    /// Threads of its own, so that endless writers do not hold up the clients they are meant to annoy.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)

    package let port: Int
    private let listener: any Channel
    private let openConnections: ConnectionCount

    /// Waits until no connection is open any more, or two seconds have passed.
    package func isIdle() async throws -> Bool {
        for _ in 0..<3_000 where self.openConnections.count.withLock({ $0 }) > 0 {
            try await Task.sleep(for: .milliseconds(10))
        }
        return self.openConnections.count.withLock { $0 } == 0
    }

    /// Waits until a connection is open, or ten seconds have passed.
    package func isConnected() async throws -> Bool {
        for _ in 0..<3_000 where self.openConnections.count.withLock({ $0 }) == 0 {
            try await Task.sleep(for: .milliseconds(10))
        }
        return self.openConnections.count.withLock { $0 } > 0
    }

    package static func with<R>(_ behaviour: Behaviour, _ body: (RawServer) async throws -> R) async throws -> R {
        let connections = ConnectionCount()
        let listener = try await ServerBootstrap(group: Self.group)
            .childChannelInitializer { channel in
                connections.count.withLock { $0 += 1 }
                channel.closeFuture.whenComplete { _ in connections.count.withLock { $0 -= 1 } }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RawHandler(behaviour))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let port = try #require(listener.localAddress?.port)
        do {
            let result = try await body(RawServer(port: port, listener: listener, openConnections: connections))
            try await listener.close()
            return result
        } catch {
            try await listener.close()
            throw error
        }
    }
}

package final class ConnectionCount: Sendable {
    package let count = Mutex(0)
}

private final class RawHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let behaviour: RawServer.Behaviour
    private var hasAnswered = false

    init(_ behaviour: RawServer.Behaviour) {
        self.behaviour = behaviour
    }

    func channelActive(context: ChannelHandlerContext) {
        switch self.behaviour {
        case .close:
            context.close(promise: nil)
        case .reset:
            let channel = context.channel
            // Closing without lingering sends RST.
            let isSet = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            isSet?.whenComplete { _ in channel.close(promise: nil) }
        case .endless(let bytes):
            self.writeEndlessly(ByteBuffer(bytes: bytes), context: context)
        case .greeting(let bytes):
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        case .silent, .answer, .answerAndClose, .slow, .endlessAnswer:
            break
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.hasAnswered else {
            return
        }
        self.hasAnswered = true
        switch self.behaviour {
        case .answer(let bytes):
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        case .answerAndClose(let bytes):
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            context.close(promise: nil)
        case .slow(let bytes, let interval):
            self.writeSlowly(bytes[...], every: interval, context: context)
        case .endlessAnswer(let bytes):
            self.writeEndlessly(ByteBuffer(bytes: bytes), context: context)
        case .silent, .greeting, .close, .reset, .endless:
            break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func writeSlowly(_ bytes: ArraySlice<UInt8>, every interval: TimeAmount, context: ChannelHandlerContext) {
        guard let first = bytes.first, context.channel.isActive else {
            return
        }
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: [first])), promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: interval) {
            self.writeSlowly(bytes.dropFirst(), every: interval, context: context)
        }
    }

    private func writeEndlessly(_ bytes: ByteBuffer, context: ChannelHandlerContext) {
        guard context.channel.isActive else {
            return
        }
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess {
            self.writeEndlessly(bytes, context: context)
        }
        context.writeAndFlush(self.wrapOutboundOut(bytes), promise: promise)
    }
}
