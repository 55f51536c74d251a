//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import NIOCore
import NIOHTTP2

/// The client's side of an HTTP/2 stream, which carries one request and its response.
///
/// It is the last handler of its pipeline and must be used only on the event loop of its channel.
final class HTTP2StreamHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    let exchange: Exchange
    let eventLoop: (any EventLoop)?
    private let connection: HTTP2ConnectionHandler
    private var reader: HTTP2ResponseReader
    private var context: ChannelHandlerContext?
    /// The frames to send after the stream has opened.
    private var pending: [(HTTP2Frame.FramePayload, EventLoopPromise<Void>?)] = []
    private var isOpen = false
    /// `true` if the head was passed to the library, in which it may wait until the server allows another stream.
    private var hasHead = false
    /// `true` if no part of the request was sent yet: it waits in this handler or in the library.
    private var isHeldBack = true
    /// `true` if the whole request was sent. Frames that wait for the flow-control window do not count as sent.
    private var isSent = false
    private var isAbandoned = false
    private var isFailing = false
    private var isClosed = false

    init(_ connection: HTTP2ConnectionHandler, on eventLoop: any EventLoop, limits: Exchange.Limits) {
        self.connection = connection
        self.eventLoop = eventLoop
        self.exchange = Exchange(limits: limits)
        self.reader = HTTP2ResponseReader(limits: limits.reader)
        self.exchange.transport = self
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.end(HTTPExchangeError.closed)
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        // The request may have been canceled before its stream opened.
        guard self.exchange.failure == nil else { return context.close(promise: nil) }
        self.isOpen = true
        let pending = self.pending
        self.pending = []
        for (payload, promise) in pending { self.write(payload, promise) }
        context.flush()
    }

    func headSent() { self.isHeldBack = false }

    /// Fails a request that was not sent yet, so that it uses another connection. On this one it would never be sent
    /// (RFC 9113 §6.8).
    func turnAway() {
        guard self.isHeldBack else { return }
        self.exchange.fail(self.connection.refusal)
        self.abandon()
    }

    /// Fails the request because the connection broke, unless an error of the stream is already being handled.
    func fail(with error: any Error) {
        guard !self.isFailing else { return }
        self.exchange.fail(HTTPExchangeError.connection(error, hasBegun: self.hasBegun))
    }

    /// Fails the exchange and all pending frames, and removes the stream from its connection once.
    func end(_ error: any Error) {
        self.exchange.fail(error)
        for (_, promise) in self.pending { promise?.fail(error) }
        self.pending = []
        guard !self.isClosed else { return }
        self.isClosed = true
        self.connection.closed(self)
    }

    // MARK: Inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.exchange.failure == nil, !self.exchange.isAnswered else { return }
        do {
            try self.receive(self.unwrapInboundIn(data))
        } catch {
            self.exchange.fail(HTTPExchangeError.violation(HTTP2Fault.message(error)))
            self.reset(.protocolError)
        }
    }

    private func receive(_ payload: HTTP2Frame.FramePayload) throws(HTTP2MessageFault) {
        switch payload {
        case .headers(let frame):
            let lines = frame.headers.lazy.map { (name: $0.name, value: $0.value) }
            if let part = try self.reader.receive(lines, isLast: frame.endStream) { self.exchange.take(part) }
            if frame.endStream { self.finish() }
        case .data(let frame):
            guard case .byteBuffer(let octets) = frame.data else { return }
            try self.reader.receive(octets.readableBytes, isLast: frame.endStream)
            if octets.readableBytes > 0 { self.exchange.take(.content(octets)) }
            if frame.endStream { self.finish() }
        default: break
        }
    }

    /// Ends the response. If the request was not sent completely, the stream is reset, because the server need not read the rest
    /// and the stream would stay open (RFC 9113 §8.1).
    private func finish() {
        self.exchange.take(.end(self.reader.trailers))
        if !self.isSent { self.abandon() }
    }

    func channelReadComplete(context: ChannelHandlerContext) { self.exchange.serve() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !self.isFailing else { return }
        self.isFailing = true
        // If the library has closed the stream, the connection receives the reason after the stream does.
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute { handler.value.exchange.fail(handler.value.reason(for: error)) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard !self.isFailing else { return }
        guard !self.isHeldBack else { return self.exchange.fail(self.connection.refusal) }
        let fault = self.connection.failure.map(HTTPExchangeError.violation)
        self.exchange.fail(fault ?? HTTPExchangeError.message(self.hasBegun ? .cutInContent : .noResponse))
    }

    private func reason(for error: any Error) -> HTTPExchangeError {
        guard let closed = error as? NIOHTTP2Errors.StreamClosed else {
            return self.connection.failure.map(HTTPExchangeError.violation)
                ?? .connection(error, hasBegun: self.hasBegun)
        }
        // A server that has begun its response has processed the request, even if it claims otherwise.
        guard !self.hasBegun else { return .violation(self.connection.failure ?? HTTP2Fault.reset(closed.errorCode)) }
        if self.connection.isUnprocessed(Int(closed.streamID)) {
            return .notProcessed(self.connection.failure)
        }
        switch closed.errorCode {
        case .refusedStream: return .notProcessed(HTTP2Fault.reset(.refusedStream))
        case .http11Required: return .http11Required
        default: return .violation(self.connection.failure ?? HTTP2Fault.reset(closed.errorCode))
        }
    }

    // MARK: Outbound

    func read(context: ChannelHandlerContext) {
        // Content that is not read keeps the flow-control window closed, so that the server waits (RFC 9113 §5.2).
        if !self.exchange.holdsReads() { context.read() }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        self.exchange.fail(HTTPExchangeError.closed)
        context.close(mode: mode, promise: promise)
    }
}

extension HTTP2StreamHandler: ExchangeTransport {
    /// `true`, because a stream carries one request and its connection stays open.
    var isReusable: Bool { true }

    var hasBegun: Bool { self.reader.hasBegun }

    func send(_ request: ExchangeRequest) {
        guard request.asksForUpgrade else { return self.sendHead(of: request) }
        self.connection.afterSettings {
            guard self.exchange.failure == nil else { return }
            // Other protocols are allowed only if the server announces them (RFC 8441 §3).
            guard self.connection.takesExtendedConnect else { return self.leaveToHTTP1() }
            self.sendHead(of: request)
        }
    }

    private func leaveToHTTP1() {
        self.exchange.fail(HTTPExchangeError.onlyHTTP1)
        self.abandon()
    }

    private func sendHead(of request: ExchangeRequest) {
        let fields = HTTP2RequestFields(request)
        guard let headers = fields.headers(keepsFields: self.connection.keepsFields) else {
            return self.leaveToHTTP1()
        }
        self.reader.begin(method: fields.method)
        let content: ByteBuffer? = if case .octets(let octets) = request.content { octets } else { nil }
        let isLast = if case .none = request.content { true } else { content?.readableBytes == 0 }
        self.isSent = isLast
        self.write(.headers(.init(headers: headers, endStream: isLast)), nil)
        if !isLast, let content { self.writeLast(content, self.eventLoop?.makePromise()) }
        self.context?.flush()
    }

    func send(_ piece: ExchangeRequest.Piece, _ promise: EventLoopPromise<Void>) {
        guard !self.isClosed else { return promise.fail(HTTPExchangeError.closed) }
        switch piece {
        case .octets(let content): self.write(.data(.init(data: .byteBuffer(content), endStream: false)), promise)
        case .end(let trailers) where trailers.isEmpty: self.writeLast(ByteBuffer(), promise)
        case .end(let trailers):
            let headers = HTTP2RequestFields.trailers(trailers, keepsFields: self.connection.keepsFields)
            self.writeLast(.headers(.init(headers: headers, endStream: true)), promise)
        }
        self.context?.flush()
    }

    private func writeLast(_ content: ByteBuffer, _ promise: EventLoopPromise<Void>?) {
        self.writeLast(.data(.init(data: .byteBuffer(content), endStream: true)), promise)
    }

    private func writeLast(_ payload: HTTP2Frame.FramePayload, _ promise: EventLoopPromise<Void>?) {
        promise?.futureResult.assumeIsolated().whenSuccess { self.isSent = true }
        self.write(payload, promise)
    }

    private func write(_ payload: HTTP2Frame.FramePayload, _ promise: EventLoopPromise<Void>?) {
        guard self.isOpen, let context else { return self.pending.append((payload, promise)) }
        self.hasHead = true
        context.write(self.wrapOutboundOut(payload), promise: promise)
    }

    func resumeReading() { self.context?.read() }

    func abandon() { self.reset(.cancel) }

    /// Resets the stream in a later tick of the event loop, not within a handler's callback.
    private func reset(_ code: HTTP2ErrorCode) {
        self.exchange.fail(HTTPExchangeError.closed)
        guard let context, !self.isAbandoned else { return }
        self.isAbandoned = true
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute { handler.value.close(code) }
    }

    /// Closes the stream with RST_STREAM.
    ///
    /// If a stream that waits for room is closed without it, the library keeps its frames and sends them later.
    private func close(_ code: HTTP2ErrorCode) {
        guard let context else { return }
        let channel = context.channel
        guard self.hasHead else { return channel.close(promise: nil) }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(self.wrapOutboundOut(.rstStream(code)), promise: written)
    }
}

/// A delegate that reports when the head of a request is sent, which may have waited until the server allowed another stream.
struct HTTP2StreamWatch: NIOHTTP2StreamDelegate {
    func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
        try? channel.pipeline.syncOperations.handler(type: HTTP2StreamHandler.self).headSent()
    }

    func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {}
}
