//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
import NIOSSL
import NIOTLS

/// The program's end of a stream. It reads only on demand, and distinguishes a complete stream from a truncated one.
///
/// It stands behind the gate, once there is one, and is used on the event loop of its channel only.
package final class StreamHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// The protection of the stream.
    package enum Phase {
        case plain
        /// The handshake, during which the gate lets nothing pass.
        case handshake
        case secure
    }

    /// The data that a reader waits for.
    package enum Wanted {
        case octets
        /// Octets up to and including the next line feed.
        case line(limit: Int)
    }

    private(set) package var phase = Phase.plain
    /// Received octets that were not asked for yet, at most the amount that one turn of the event loop reads.
    private var received = ByteBuffer()
    private var reader: (promise: EventLoopPromise<ByteBuffer?>, wanted: Wanted)?
    /// The end of the stream, or `nil` while more data may come.
    private var end: Result<Void, any Error>?
    private var holdsRead = false
    private var isClosing = false
    private var isOutputFinished = false
    private var context: ChannelHandlerContext?

    /// `true` to read data over TLS before the program asks, as much as one turn reads. A reader that returns at once then costs no
    /// system calls to pause and resume reading.
    private let readsAhead: Bool

    init(readsAhead: Bool = false) { self.readsAhead = readsAhead }

    package func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.finish(.failure(SecureStreamError(.closed)))
        self.context = nil
    }

    // MARK: Inbound

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isClosing, self.end == nil else { return }
        // During the handshake the gate lets nothing pass.
        guard self.phase != .handshake else { return self.fail(SecureStreamError(.injectedOctets)) }
        var octets = self.unwrapInboundIn(data)
        if self.received.readableBytes == 0 { self.received = octets } else { self.received.writeBuffer(&octets) }
        self.serve()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted: self.phase = .secure
        // Over TLS, both events come only after a close_notify, or after the error about its absence.
        case ChannelEvent.inputClosed, TLSUserEvent.shutdownCompleted: self.finish(.success(()))
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) { self.fail(self.streamError(error)) }

    package func channelInactive(context: ChannelHandlerContext) {
        self.finish(self.phase == .plain ? .success(()) : .failure(SecureStreamError(.truncated)))
        context.fireChannelInactive()
    }

    // MARK: Outbound

    /// Holds back the channel's request for more data, which it makes after each read, until the program asks.
    package func read(context: ChannelHandlerContext) {
        let isAhead = self.readsAhead && self.phase == .secure && self.received.readableBytes == 0
        if self.phase == .handshake || self.isClosing || self.reader != nil || isAhead {
            context.read()
        } else {
            self.holdsRead = true
        }
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if case .all = mode { self.abandon(context) }
        context.close(mode: mode, promise: promise)
    }

    /// Drops further data from the peer, but keeps reading, because its close_notify may follow.
    private func abandon(_ context: ChannelHandlerContext) {
        self.isClosing = true
        // While half-closure is allowed, NIOSSL ends its shutdown by its timeout and not at the peer's close_notify.
        try? context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
        self.received.clear()
        self.finish(.failure(SecureStreamError(.closed)))
        self.releaseRead()
    }
}

// MARK: - Requests of the program

extension StreamHandler {
    func next(_ wanted: Wanted, in phase: Phase, _ promise: EventLoopPromise<ByteBuffer?>) {
        do {
            try self.check(phase)
            guard self.reader == nil else { throw SecureStreamError(.alreadyReading) }
            self.reader = (promise, wanted)
            self.serve()
        } catch {
            promise.fail(error)
        }
    }

    /// Ends the wait of one reader. Received octets stay for the next.
    func cancel(_ promise: EventLoopPromise<ByteBuffer?>) {
        guard self.reader?.promise.futureResult == promise.futureResult else { return }
        self.reader = nil
        promise.fail(CancellationError())
    }

    func write(_ octets: ByteBuffer, in phase: Phase, _ promise: EventLoopPromise<Void>) {
        do {
            let context = try self.writableContext(phase)
            context.writeAndFlush(self.wrapOutboundOut(octets), promise: promise)
        } catch {
            promise.fail(error)
        }
    }

    func finishWriting(in phase: Phase, _ promise: EventLoopPromise<Void>) {
        do {
            let context = try self.writableContext(phase)
            self.isOutputFinished = true
            context.close(mode: .output, promise: promise)
        } catch {
            promise.fail(error)
        }
    }

    /// Begins TLS after the plain part of the protocol. Unread octets end the connection.
    ///
    /// - Parameter addGate: Adds the gate, or a server's TLS handler, in front of this handler.
    package func beginHandshake(_ addGate: (ChannelPipeline.SynchronousOperations) throws -> Void) throws {
        let context = try self.writableContext(.plain)
        guard self.reader == nil else { throw SecureStreamError(.alreadyReading) }
        guard self.received.readableBytes == 0 else {
            context.pipeline.close(promise: nil)
            throw SecureStreamError(.injectedOctets)
        }
        guard context.channel.isActive, self.end == nil else { throw ChannelError.eof }
        self.phase = .handshake
        try addGate(context.pipeline.syncOperations)
        self.releaseRead()
    }

    private func writableContext(_ phase: Phase) throws(SecureStreamError) -> ChannelHandlerContext {
        try self.check(phase)
        guard let context, !self.isClosing, !self.isOutputFinished else { throw SecureStreamError(.closed) }
        return context
    }

    private func check(_ phase: Phase) throws(SecureStreamError) {
        guard phase == self.phase else { throw SecureStreamError(phase == .plain ? .upgraded : .notAccepted) }
    }
}

// MARK: - Serving the reader

extension StreamHandler {
    private func serve() {
        guard let reader else { return }
        do {
            if let octets = try self.take(reader.wanted) {
                self.reader = nil
                reader.promise.succeed(octets)
            } else if let end {
                self.reader = nil
                reader.promise.completeWith(end.map { nil })
            } else {
                self.releaseRead()
            }
        } catch {
            self.reader = nil
            reader.promise.fail(error)
        }
    }

    /// Returns the data that the reader waits for, or `nil` if more must come.
    private func take(_ wanted: Wanted) throws(SecureStreamError) -> ByteBuffer? {
        guard self.received.readableBytes > 0 else { return nil }
        switch wanted {
        case .octets:
            defer { self.received = ByteBuffer() }
            return self.received
        case .line(let limit):
            let view = self.received.readableBytesView
            guard let feed = view.prefix(limit).firstIndex(of: UInt8(ascii: "\n")) else {
                guard view.count < limit else { throw SecureStreamError(.lineTooLong) }
                if case .success? = self.end { throw SecureStreamError(.truncated) }
                return nil
            }
            return self.received.readSlice(length: view.distance(from: view.startIndex, to: feed) + 1)
        }
    }

    private func releaseRead() {
        guard self.holdsRead, let context else { return }
        self.holdsRead = false
        context.read()
    }

    private func finish(_ end: Result<Void, any Error>) {
        guard self.end == nil else { return }
        self.end = end
        self.serve()
    }

    private func fail(_ error: any Error) {
        self.finish(.failure(error))
        // In a later turn, because the TLS handler may be in the middle of its work.
        guard let channel = self.context?.channel else { return }
        channel.eventLoop.execute { channel.close(promise: nil) }
    }

    /// Returns the error to report. A connection that was reset also ended without close_notify.
    private func streamError(_ error: any Error) -> any Error {
        switch error {
        case NIOSSLError.uncleanShutdown: SecureStreamError(.truncated)
        case is IOError where self.phase == .secure: SecureStreamError(.truncated, cause: error)
        case is ServerTrustGateError: error
        default: SecureStreamError(.failed, cause: error)
        }
    }
}
