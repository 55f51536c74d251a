//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPSession
import HTTPTypes
import NIOCore
import NIOHPACK
import NIOHTTP2

/// The proxy's side of an HTTP/2 stream, which reads one request on demand and sends the response.
///
/// It is the last handler of its pipeline and must be used only on the event loop of its channel.
final class HTTP2RequestHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let connection: HTTP2ServerHandler
    private var lane: HTTP2Lane?
    private var context: ChannelHandlerContext?
    private var reader: HTTP2RequestReader
    private var hasHead = false
    /// `true` if the request is refused with a response. The frames after its head are dropped.
    private var isRefused = false
    /// Content that has arrived but was not read, limited by the flow-control window.
    private var content = ByteBuffer()
    private var trailers = HTTPFields()
    private var waiter: EventLoopPromise<ExchangeRequest.Piece>?
    private var holdsRead = false
    private var failure: (any Error)?
    /// `true` if the end of the response was sent.
    private(set) var isAnswered = false
    private var isEndedByClient = false
    private var unwritten = 0
    /// The timer that closes the stream after an early reset.
    private var timer: Scheduled<Void>?
    /// The closure that is called if the client cancels the request or closes the connection.
    private var ended: (@Sendable () -> Void)?

    init(_ connection: HTTP2ServerHandler, _ channel: any Channel) {
        self.connection = connection
        self.reader = HTTP2RequestReader(limits: connection.limits.message)
        self.lane = HTTP2Lane(self, channel, limits: connection.limits)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.fail(with: ChannelError.eof)
        self.timer?.cancel()
        self.context = nil
        self.lane = nil
        self.timer = nil
    }

    // MARK: Inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let payload = self.unwrapInboundIn(data)
        self.isEndedByClient = self.isEndedByClient || payload.endsStream
        guard self.failure == nil, !self.isRefused else { return }
        do {
            switch payload {
            case .headers(let frame): try self.receive(frame)
            case .data(let frame): try self.receive(frame)
            default: break
            }
        } catch {
            self.refuse(error)
        }
    }

    private func receive(_ frame: HTTP2Frame.FramePayload.Headers) throws(HTTPRequestError) {
        let part = try self.reader.receive(frame.headers.lazy.map { ($0.name, $0.value) }, isLast: frame.endStream)
        self.hasHead = true
        switch part {
        case .head(let head, let framing): self.begin(.success((head, framing)))
        case .end(let trailers): self.trailers = trailers
        case .content: break
        }
        self.serve()
    }

    private func receive(_ frame: HTTP2Frame.FramePayload.Data) throws(HTTPRequestError) {
        guard case .byteBuffer(var octets) = frame.data else { return }
        try self.reader.receive(octets.readableBytes, isLast: frame.endStream)
        self.content.writeBuffer(&octets)
        self.serve()
    }

    /// Passes the request to a task, at most once.
    private func begin(_ head: Result<(RequestHead, MessageFraming), HTTPRequestError>) {
        guard let lane else { return }
        self.lane = nil
        guard self.connection.take(HTTP2ClientRequest(lane: lane, head: head, method: self.reader.method)) else {
            self.connection.countRefused()
            return self.reset(.refusedStream)
        }
    }

    /// Resets the stream of a malformed request (RFC 9113 §8.1.1). An unsupported request is refused with a response.
    private func refuse(_ error: HTTPRequestError) {
        let isBeginning = self.lane != nil
        guard error.status == 400 || !isBeginning else {
            self.hasHead = true
            self.isRefused = true
            return self.begin(.failure(error))
        }
        if isBeginning { self.connection.countUnanswered() }
        self.content.clear()
        self.fail(with: error)
        self.reset(.protocolError)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { self.fail(with: error) }

    func channelInactive(context: ChannelHandlerContext) { self.fail(with: ChannelError.eof) }

    private func fail(with error: any Error) {
        guard self.failure == nil else { return }
        self.failure = error
        self.serve()
        if !self.isAnswered { self.ended?() }
        self.ended = nil
    }

    // MARK: Outbound

    /// Holds reads back while no content is requested, so that the flow-control window stays closed (RFC 9113 §5.2).
    func read(context: ChannelHandlerContext) {
        guard self.hasHead, self.waiter == nil else { return context.read() }
        self.holdsRead = true
    }

    /// Resets the stream in a later tick of the event loop, not within a handler's callback.
    func reset(_ code: NIOHTTP2.HTTP2ErrorCode) {
        guard let context, context.channel.isActive else { return }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute { handler.value.close(code) }
    }

    private func close(_ code: NIOHTTP2.HTTP2ErrorCode) {
        guard let context, context.channel.isActive, self.timer == nil else { return }
        let channel = context.channel
        guard !self.endEarly(code, on: context) else { return }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(self.wrapOutboundOut(.rstStream(code)), promise: written)
    }

    /// Resets the stream for a client that is still sending, and closes it later, after the frames on their way have arrived.
    ///
    /// - Returns: `true` if this was possible.
    private func endEarly(_ code: NIOHTTP2.HTTP2ErrorCode, on context: ChannelHandlerContext) -> Bool {
        guard !self.isEndedByClient, self.unwritten == 0,
            let stream = try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID),
            self.connection.endEarly(stream, code)
        else { return false }
        self.timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.lateTime) {
            context.channel.close(promise: nil)
        }
        self.fail(with: ChannelError.eof)
        return true
    }

    /// The time to wait for frames of a client that has not received the reset yet.
    private static let lateTime = TimeAmount.seconds(5)
}

// MARK: - Operations of the task

extension HTTP2RequestHandler {
    func next(_ promise: EventLoopPromise<ExchangeRequest.Piece>) {
        guard self.waiter == nil else { return promise.fail(ChannelError.operationUnsupported) }
        self.waiter = promise
        self.serve()
        guard self.waiter != nil, self.holdsRead else { return }
        self.holdsRead = false
        self.context?.read()
    }

    private func serve() {
        guard let waiter else { return }
        if self.content.readableBytes > 0 {
            self.waiter = nil
            waiter.succeed(.octets(self.content))
            self.content = ByteBuffer()
        } else if self.reader.isAtEnd {
            self.waiter = nil
            waiter.succeed(.end(self.trailers))
        } else if let failure {
            self.waiter = nil
            waiter.fail(failure)
        }
    }

    func onEnd(_ ended: (@Sendable () -> Void)?) {
        self.ended = ended
        guard self.failure != nil, !self.isAnswered else { return }
        self.ended = nil
        ended?()
    }

    func send(_ status: Int, _ fields: HTTPFields, isLast: Bool, _ promise: EventLoopPromise<Void>?) {
        let indexing = self.connection.keepsFields ? HPACKIndexing.indexable : .nonIndexable
        var headers = HPACKHeaders()
        headers.reserveCapacity(fields.count + 1)
        headers.add(name: ":status", value: String(status), indexing: indexing)
        headers.add(fields, keepsFields: self.connection.keepsFields)
        self.send(.headers(.init(headers: headers, endStream: isLast)), isLast: isLast, promise)
    }

    func send(_ octets: ByteBuffer, isLast: Bool, _ promise: EventLoopPromise<Void>?) {
        self.send(.data(.init(data: .byteBuffer(octets), endStream: isLast)), isLast: isLast, promise)
    }

    func send(trailers: HTTPFields, _ promise: EventLoopPromise<Void>?) {
        guard !trailers.isEmpty else { return self.send(ByteBuffer(), isLast: true, promise) }
        var headers = HPACKHeaders()
        headers.add(trailers, keepsFields: self.connection.keepsFields)
        self.send(.headers(.init(headers: headers, endStream: true)), isLast: true, promise)
    }

    private func send(_ payload: HTTP2Frame.FramePayload, isLast: Bool, _ promise: EventLoopPromise<Void>?) {
        guard let context, self.failure == nil else {
            promise?.fail(self.failure ?? ChannelError.eof)
            return
        }
        if isLast, !self.isAnswered {
            self.isAnswered = true
            self.connection.answered()
        }
        let written = promise ?? context.eventLoop.makePromise()
        self.unwritten += 1
        written.futureResult.assumeIsolated().whenComplete { _ in self.unwritten -= 1 }
        context.writeAndFlush(self.wrapOutboundOut(payload), promise: written)
    }

    /// Ends the stream if necessary and counts the request as ended.
    func release() {
        // The rest of an answered request need not be sent (RFC 9113 §8.1).
        if !self.isAnswered { self.reset(.internalError) } else if !self.reader.isAtEnd { self.reset(.noError) }
        self.connection.release(isAnswered: self.isAnswered)
    }
}

extension HTTP2Frame.FramePayload {
    fileprivate var endsStream: Bool {
        switch self {
        case .headers(let frame): frame.endStream
        case .data(let frame): frame.endStream
        default: false
        }
    }
}
