//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore

/// The program's end of a connection of HTTP/1.1: sends one request after the other, and reads as much of a response as is
/// asked for.
///
/// Last in its pipeline. Used on the event loop of its channel only.
package final class HTTP1Handler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// How much is taken of a response, and how long a server may be silent.
    package struct Limits: Sendable, Hashable {
        /// What the reader takes.
        package var reader = ResponseReader.Limits()
        /// The octets of content that wait to be asked for, before reading stops.
        package var bufferSize = 256 << 10
        /// The time from the end of the request to the end of the head.
        package var headTimeout = TimeAmount.seconds(60)
        /// The time without any content.
        package var idleTimeout = TimeAmount.seconds(60)

        /// The limits of a client that knows nothing about its servers.
        package init() {}
    }

    private let limits: Limits
    private var reader: ResponseReader
    private var context: ChannelHandlerContext?
    /// What came and was not asked for.
    private var parts: [ResponsePart] = []
    private var bufferedSize = 0
    private var waiter: EventLoopPromise<ResponseParts>?
    private var failure: (any Error)?
    /// The request that is sent or answered; `nil` between requests.
    private var upload: Upload?
    private var isAnswered = true
    private var holdsRead = false
    private var timer: Scheduled<Void>?
    private var lastProgress = NIODeadline.now()
    private var hasHead = false

    private struct Upload {
        var isChunked: Bool
        var isComplete: Bool
        var isStopped = false
        var permission: EventLoopPromise<Void>?
    }

    /// The program's end of a connection.
    package init(limits: Limits = Limits()) {
        self.limits = limits
        self.reader = ResponseReader(limits: limits.reader)
    }

    /// Whether another request can be sent.
    package var isIdle: Bool { self.isAnswered && self.failure == nil && self.context?.channel.isActive == true }

    package func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.fail(HTTPExchangeError.closed)
        self.context = nil
    }

    // MARK: Inbound

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.failure == nil else { return }
        self.reader.receive(self.unwrapInboundIn(data))
        self.readParts()
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        self.serve()
        context.fireChannelReadComplete()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        if self.failure == nil {
            do {
                if let part = try self.reader.finish() { self.take(part) }
            } catch {
                self.fail(HTTPExchangeError.message(error))
            }
        }
        self.fail(HTTPExchangeError.closed)
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.fail(HTTPExchangeError.connection(error, hasBegun: self.reader.hasBegun))
        self.close()
    }

    // MARK: Outbound

    /// The channel asks for more each time it has read. That waits while enough is there that was not asked for.
    package func read(context: ChannelHandlerContext) {
        if self.bufferedSize < self.limits.bufferSize { context.read() } else { self.holdsRead = true }
    }

    /// What is closed here is no end of a response, whatever its framing.
    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .output { self.fail(HTTPExchangeError.closed) }
        context.close(mode: mode, promise: promise)
    }

    // MARK: What the program asks for

    /// Sends a request, and waits for the first parts of the response.
    package func send(_ request: HTTP1Request, _ promise: EventLoopPromise<ResponseParts>) {
        guard self.isIdle, let context else {
            return promise.fail(self.failure ?? HTTPExchangeError.closed)
        }
        (self.isAnswered, self.hasHead) = (false, false)
        self.reader.begin(method: request.head.method)
        var octets = context.channel.allocator.buffer(capacity: 1_024)
        request.head.write(to: &octets)
        switch request.content {
        case .none: self.upload = Upload(isChunked: false, isComplete: true)
        case .octets(var content):
            self.upload = Upload(isChunked: false, isComplete: true)
            octets.writeBuffer(&content)
        case .later(let isChunked):
            self.upload = Upload(isChunked: isChunked, isComplete: false)
            self.upload?.permission = self.permission(within: request.continueTimeout)
        }
        self.lastProgress = .now()
        context.writeAndFlush(self.wrapOutboundOut(octets), promise: nil)
        self.wait(promise)
    }

    /// Waits for more of the response.
    package func wait(_ promise: EventLoopPromise<ResponseParts>) {
        guard self.waiter == nil else { return promise.fail(HTTPExchangeError.closed) }
        self.waiter = promise
        self.serve()
        guard self.waiter != nil else { return }
        self.releaseRead()
        self.startTimer(self.patience)
    }

    /// Sends some of the content, once the server lets it be sent, and waits until it is gone.
    ///
    /// - Parameters:
    ///   - content: The octets; `nil` ends the request.
    ///   - promise: Is kept when they are sent, and fails with ``HTTPExchangeError/answeredEarly`` when the server wants no more.
    package func write(_ content: ByteBuffer?, _ promise: EventLoopPromise<Void>) {
        guard let upload, !upload.isComplete, let context else {
            return promise.fail(self.failure ?? HTTPExchangeError.closed)
        }
        if let permission = upload.permission?.futureResult {
            // The handler stays on its event loop.
            let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
            return permission.whenComplete { _ in
                handler.value.upload?.permission = nil
                handler.value.write(content, promise)
            }
        }
        guard !upload.isStopped else { return promise.fail(HTTPExchangeError.answeredEarly) }
        self.lastProgress = .now()
        guard let content else {
            self.upload?.isComplete = true
            let end = upload.isChunked ? ByteBuffer(staticString: "0\r\n\r\n") : ByteBuffer()
            return context.writeAndFlush(self.wrapOutboundOut(end), promise: promise)
        }
        guard content.readableBytes > 0 else { return promise.succeed() }
        self.send(content, isChunked: upload.isChunked, promise, on: context)
    }

    private func send(
        _ content: ByteBuffer, isChunked: Bool, _ promise: EventLoopPromise<Void>, on context: ChannelHandlerContext
    ) {
        guard isChunked else { return context.writeAndFlush(self.wrapOutboundOut(content), promise: promise) }
        let size = ByteBuffer(string: String(content.readableBytes, radix: 16) + "\r\n")
        context.write(self.wrapOutboundOut(size), promise: nil)
        context.write(self.wrapOutboundOut(content), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(staticString: "\r\n")), promise: promise)
    }

    /// Closes the connection. What was not read is lost.
    package func close() {
        self.fail(HTTPExchangeError.closed)
        // Not from within what a handler in front does.
        guard let channel = self.context?.channel else { return }
        channel.eventLoop.execute { channel.close(promise: nil) }
    }
}

// MARK: - Reading

extension HTTP1Handler {
    private func readParts() {
        do {
            while let part = try self.reader.next() { self.take(part) }
        } catch {
            self.fail(HTTPExchangeError.message(error))
            self.close()
        }
    }

    private func take(_ part: ResponsePart) {
        self.append(part)
        self.lastProgress = .now()
        switch part {
        case .informational(let head):
            if head.status == 100 { self.permit() }
        case .head(let head):
            self.hasHead = true
            if self.upload?.isComplete == false {
                // What is refused need not be sent to its end (RFC 9110 §10.1.1).
                if head.status >= 300 { self.upload?.isStopped = true }
                self.permit()
            }
        case .content(let octets): self.bufferedSize += octets.readableBytes
        case .end:
            self.isAnswered = true
            if self.upload?.isComplete == false { self.upload?.isStopped = true }
        }
    }

    /// Keeps a part. Small pieces of content are joined: each keeps the whole buffer alive that it came in.
    private func append(_ part: ResponsePart) {
        guard case .content(var octets) = part, octets.readableBytes < Self.smallPiece,
            case .content(var joined)? = self.parts.last
        else { return self.parts.append(part) }
        self.parts.removeLast()
        joined.writeBuffer(&octets)
        self.parts.append(.content(joined))
    }

    private static let smallPiece = 16 << 10

    /// Hands over what is there.
    private func serve() {
        guard let waiter else { return }
        if !self.parts.isEmpty {
            let parts = ResponseParts(parts: self.parts, isReusable: self.isReusable)
            (self.waiter, self.parts, self.bufferedSize) = (nil, [], 0)
            self.stopTimer()
            waiter.succeed(parts)
            self.releaseRead()
        } else if let failure {
            self.waiter = nil
            self.stopTimer()
            waiter.fail(failure)
        }
    }

    private var isReusable: Bool {
        self.isIdle && self.reader.isReusable && self.upload?.isComplete != false
    }

    /// What came before the failure is handed over before it.
    private func fail(_ error: any Error) {
        guard self.failure == nil else { return }
        self.failure = error
        self.upload?.isStopped = true
        self.permit()
        self.serve()
    }

    private func releaseRead() {
        guard self.holdsRead, let context else { return }
        self.holdsRead = false
        context.read()
    }

    // MARK: Permission to send content

    private func permission(within timeout: Duration?) -> EventLoopPromise<Void>? {
        guard let timeout, let eventLoop = self.context?.eventLoop else { return nil }
        let promise = eventLoop.makePromise(of: Void.self)
        // A server that does not know the expectation never says 100 (RFC 9110 §10.1.1).
        let timer = eventLoop.scheduleTask(in: TimeAmount(timeout)) { promise.succeed() }
        promise.futureResult.whenComplete { _ in timer.cancel() }
        return promise
    }

    private func permit() { self.upload?.permission?.succeed() }

    // MARK: Time

    private var patience: TimeAmount { self.hasHead ? self.limits.idleTimeout : self.limits.headTimeout }

    private func startTimer(_ time: TimeAmount) {
        guard let eventLoop = self.context?.eventLoop else { return }
        self.stopTimer()
        self.timer = eventLoop.assumeIsolated().scheduleTask(in: time) { self.checkTime() }
    }

    private func stopTimer() {
        self.timer?.cancel()
        self.timer = nil
    }

    /// Content that was sent, or came, meanwhile gives the server more time.
    private func checkTime() {
        guard self.waiter != nil, self.failure == nil else { return }
        let left = self.lastProgress + self.patience - .now()
        guard left <= .zero else { return self.startTimer(left) }
        self.fail(HTTPExchangeError.timedOut(isInHead: !self.hasHead))
        self.close()
    }
}
