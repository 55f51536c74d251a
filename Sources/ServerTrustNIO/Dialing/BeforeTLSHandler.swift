//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import TLSWire

/// The handler that conducts the exchange before TLS and then leaves the channel.
final class BeforeTLSHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var preamble: Preamble
    private var promise: EventLoopPromise<any Channel>?
    /// The ClientHello to try on a silent server. Empty to try none.
    private let hello: [UInt8]
    private var hasTried = false
    private var hasHeard = false
    private var context: ChannelHandlerContext?

    private init(_ preamble: Preamble, hello: [UInt8], _ promise: EventLoopPromise<any Channel>) {
        self.preamble = preamble
        self.hello = hello
        self.promise = promise
    }

    /// Conducts the exchange before TLS on a connected channel. Call it on the event loop.
    ///
    /// If the server must speak first and stays silent, it is sent a ClientHello shortly before the deadline. A server that expects
    /// TLS at once answers that.
    ///
    /// - Parameters:
    ///   - preamble: The exchange.
    ///   - channel: The channel.
    ///   - deadline: The deadline for the exchange.
    ///   - hello: The ClientHello.
    /// - Returns: The channel once TLS may begin on it. The error is a `ConnectionFailure`, and the channel is then closed.
    static func run(
        _ preamble: Preamble, on channel: any Channel, until deadline: NIODeadline, hello: [UInt8]
    ) -> EventLoopFuture<any Channel> {
        let promise = channel.eventLoop.makePromise(of: (any Channel).self)
        let handler = BeforeTLSHandler(preamble, hello: hello, promise)
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
        } catch {
            promise.fail(preamble.failure(.closed))
        }
        let eventLoop = channel.eventLoop.assumeIsolated()
        let rest = deadline - .now()
        // The last fifth of the time, so that a server that greets slowly is not disturbed.
        let trial = eventLoop.scheduleTask(deadline: deadline - .nanoseconds(rest.nanoseconds / 5)) {
            handler.tryTLS()
        }
        let end = eventLoop.scheduleTask(deadline: deadline) {
            handler.fail(handler.preamble.failure(.timedOut(.silent)))
        }
        promise.futureResult.whenComplete { _ in
            trial.cancel()
            end.cancel()
        }
        promise.futureResult.whenFailure { _ in channel.close(promise: nil) }
        return promise.futureResult
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.send(self.preamble.start(), context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(self.unwrapInboundIn(data).readableBytesView)
        // RFC 8446 §5.1: bytes that begin neither an alert nor a handshake record are a greeting that came too late.
        if !self.hasHeard, self.hasTried, bytes.first.map({ (0x15...0x16).contains($0) }) == false {
            return self.fail(self.preamble.failure(.timedOut(.silent)))
        }
        self.hasHeard = self.hasHeard || self.preamble.awaitsServer
        do {
            self.follow(try self.preamble.receive(bytes), context)
        } catch {
            self.fail(error)
        }
    }

    // No ClientHello of a handshake was sent, so the end of the connection does not answer one.
    func channelInactive(context: ChannelHandlerContext) {
        self.fail(self.preamble.failure(.closed))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.fail(self.preamble.failure(ConnectionFailure(connecting: error) == .reset ? .reset : .closed))
    }

    private func tryTLS() {
        guard !self.hasHeard, !self.hello.isEmpty, self.preamble.awaitsServer, let context = self.context else {
            return
        }
        self.hasTried = true
        self.send(self.hello, context)
    }

    private func follow(_ step: Preamble.Step, _ context: ChannelHandlerContext) {
        switch step {
        case .send(let bytes): self.send(bytes, context)
        case .ready(let bytes):
            self.send(bytes, context)
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
            let promise = self.promise
            self.promise = nil
            promise?.succeed(context.channel)
        }
    }

    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        guard !bytes.isEmpty else { return }
        context.writeAndFlush(self.wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }

    private func fail(_ failure: ConnectionFailure) {
        let promise = self.promise
        self.promise = nil
        promise?.fail(failure)
    }
}
