//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOSSL
import NIOTLS

/// The handler behind the TLS handler that lets nothing pass before the verdict, and nothing at all after a refusal.
///
/// NIOSSL itself holds writes back until the handshake completes. They wait here instead, so that they fail with the verdict, and
/// so that a handshake that completes without a verdict sends nothing.
class GateHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private enum State {
        /// There is no verdict yet.
        case waiting
        /// The server is trusted, and the held writes are being sent first.
        case opening
        case open
        case refused(any Error)
        /// The program closed the connection before there was a verdict.
        case closed
    }

    let handshake: any GatedHandshake

    private let timeout: TimeAmount
    private var state = State.waiting
    private var writes: PendingWrites
    private var timer: NIOScheduledCallback?
    /// The handler's context while there is no verdict, for the timer.
    private var context: ChannelHandlerContext?

    init(_ handshake: any GatedHandshake) {
        self.handshake = handshake
        self.timeout = TimeAmount(bounding: handshake.timeout)
        self.writes = PendingWrites(limit: handshake.maximumPendingBytes)
    }

    // MARK: Inbound

    func handlerAdded(context: ChannelHandlerContext) {
        self.handshake.onAnswer = { self.restartTimer() }
        if context.channel.isActive { self.startTimer(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        self.startTimer(context)
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .waiting = self.state, case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        if let refusal = self.handshake.refusal(on: context, negotiated: negotiated) {
            self.refuse(context, refusal)
        } else {
            self.open(context, event: event)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The TLS handler delivers nothing before the handshake is complete. After a refusal its data is dropped.
        switch self.state {
        case .opening, .open: context.fireChannelRead(data)
        case .waiting, .refused, .closed: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch self.state {
        case .waiting: self.refuse(context, self.handshake.error(for: error))
        // The refusal was reported, and later errors only follow from it.
        case .refused: break
        case .opening, .open, .closed: context.fireErrorCaught(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .waiting = self.state { self.refuse(context, self.handshake.error(for: ChannelError.eof)) }
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if case .waiting = self.state { self.end(with: ChannelError.ioOnClosedChannel) }
        self.handshake.onAnswer = nil
    }

    // MARK: Outbound

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch self.state {
        case .waiting: self.hold(self.unwrapOutboundIn(data), promise, on: context)
        // A write made while the held writes are being sent goes after them.
        case .opening: self.writes.append(.write(data, promise))
        case .open: context.write(data, promise: promise)
        case .closed: promise?.fail(ChannelError.ioOnClosedChannel)
        case .refused(let error): promise?.fail(error)
        }
    }

    func flush(context: ChannelHandlerContext) {
        switch self.state {
        case .waiting: self.writes.flush()
        case .opening:
            self.writes.flush()
            context.flush()
        case .open, .closed, .refused: context.flush()
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch (self.state, mode) {
        case (.waiting, .output), (.opening, .output): self.writes.append(.closeOutput(promise))
        // A connection that is not open yet cannot be half-closed.
        case (.waiting, .input): promise?.fail(ChannelError.operationUnsupported)
        case (.waiting, .all):
            self.end(with: ChannelError.ioOnClosedChannel)
            context.close(mode: mode, promise: promise)
        default: context.close(mode: mode, promise: promise)
        }
    }
}

// MARK: - The verdict

extension GateHandler {
    /// Holds a write. Beyond the limit the connection is refused, because it would otherwise lack a part of the written data.
    private func hold(
        _ data: ByteBuffer, _ promise: EventLoopPromise<Void>?, on context: ChannelHandlerContext
    ) {
        guard !self.writes.append(data, promise) else { return }
        let error = PendingWritesError(limit: self.writes.limit)
        promise?.fail(error)
        self.refuse(context, error)
    }

    private func open(_ context: ChannelHandlerContext, event: Any) {
        self.stopTimer()
        self.state = .opening
        self.handshake.open()
        context.fireUserInboundEventTriggered(event)
        self.releaseWrites(to: context)
        // A listener may have closed the connection.
        if case .opening = self.state { self.state = .open }
    }

    /// Reports the error once and closes the connection.
    private func refuse(_ context: ChannelHandlerContext, _ error: any Error) {
        self.stopTimer()
        self.state = .refused(error)
        self.handshake.fail(error)
        self.failWrites(error)
        context.fireErrorCaught(error)
        // Closes later, because the TLS handler may be about to close itself. Closes from this handler, because a handler of the
        // program's may hold back a close from the channel.
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.execute { context.value.close(promise: nil) }
    }

    /// Ends the wait without an error event, because the program closed the connection or removed the handler.
    private func end(with error: any Error) {
        self.stopTimer()
        self.state = .closed
        self.handshake.fail(error)
        self.failWrites(error)
    }

    /// Sends the held writes one by one, because a listener may add another.
    private func releaseWrites(to context: ChannelHandlerContext) {
        while let (action, isFlushed) = self.writes.popFirst() {
            action.perform(on: context)
            if isFlushed { context.flush() }
        }
    }

    private func failWrites(_ error: any Error) {
        while let (action, _) = self.writes.popFirst() { action.fail(error) }
    }

    private func stopTimer() {
        self.timer?.cancel()
        self.timer = nil
        self.context = nil
    }

    /// Starts the timer again. The program's handler has a time limit of its own, and the rest of the handshake then has its full
    /// time again.
    private func restartTimer() {
        guard let context = self.context, case .waiting = self.state else { return }
        self.timer?.cancel()
        self.timer = nil
        self.startTimer(context)
    }

    private func startTimer(_ context: ChannelHandlerContext) {
        guard self.timer == nil, case .waiting = self.state else { return }
        self.context = context
        do {
            self.timer = try context.eventLoop.assumeIsolated().scheduleCallback(in: self.timeout, handler: self)
        } catch {
            // The event loop is shutting down.
            self.refuse(context, self.handshake.error(for: HandshakeTimeout()))
        }
    }
}

extension GateHandler: NIOScheduledCallbackHandler {
    func handleScheduledCallback(eventLoop: some EventLoop) {
        guard let context = self.context, case .waiting = self.state else { return }
        guard !self.handshake.isPaused else { return }
        self.refuse(context, self.handshake.error(for: HandshakeTimeout()))
    }
}
