//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
package import NIOCore

/// The program's end of a connection of HTTP/1.1. It sends one request after the other, and reads a response as the program asks
/// for it.
///
/// It is the last handler in its pipeline and is used on the event loop of its channel only.
package final class HTTP1Handler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    package let exchange: Exchange
    private var reader: ResponseReader
    private var context: ChannelHandlerContext?
    private var isChunked = false
    /// `true` if the last request announced the end of the connection (RFC 9112 §9.6).
    private var endsConnection = false

    package init(limits: Exchange.Limits = Exchange.Limits()) {
        self.exchange = Exchange(limits: limits)
        self.reader = ResponseReader(limits: limits.reader)
        self.exchange.transport = self
    }

    package func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.exchange.fail(HTTPExchangeError.closed)
        self.context = nil
    }

    // MARK: Inbound

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.exchange.failure == nil else { return }
        let octets = self.unwrapInboundIn(data)
        // TLS reuses its read buffer, and would copy all of it while a part is retained here. Only a waiting program releases a
        // large piece soon enough to keep it. Other pieces are copied.
        let isLetGo = octets.readableBytes >= Self.largePiece && self.exchange.isAwaited
        self.reader.receive(isLetGo ? octets : ByteBuffer(bytes: octets.readableBytesView))
        do {
            while let part = try self.reader.next() { self.exchange.take(part) }
        } catch {
            self.exchange.fail(HTTPExchangeError.message(error))
            self.abandon()
        }
    }

    private static let largePiece = 8 << 10

    package func channelReadComplete(context: ChannelHandlerContext) {
        self.exchange.serve()
        context.fireChannelReadComplete()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        if self.exchange.failure == nil {
            do {
                if let part = try self.reader.finish() { self.exchange.take(part) }
            } catch {
                self.exchange.fail(HTTPExchangeError.message(error))
            }
        }
        self.exchange.fail(HTTPExchangeError.closed)
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.exchange.fail(HTTPExchangeError.connection(error, hasBegun: self.hasBegun))
        self.abandon()
    }

    // MARK: Outbound

    /// Holds back the channel's request for more data, which it makes after each read, while enough unread content is buffered.
    package func read(context: ChannelHandlerContext) {
        if !self.exchange.holdsReads() { context.read() }
    }

    /// Closes the channel. A close by this side never completes a response, whatever its framing.
    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .output { self.exchange.fail(HTTPExchangeError.closed) }
        context.close(mode: mode, promise: promise)
    }
}

extension HTTP1Handler: ExchangeTransport {
    package var eventLoop: (any EventLoop)? { self.context?.eventLoop }

    package var isReusable: Bool {
        self.reader.isReusable && !self.endsConnection && self.context?.channel.isActive == true
    }

    package var hasBegun: Bool { self.reader.hasBegun }

    package func send(_ request: ExchangeRequest) {
        guard let context, context.channel.isActive else { return self.exchange.fail(HTTPExchangeError.closed) }
        self.reader.begin(method: request.head.method, upgrades: request.asksForUpgrade)
        self.endsConnection = request.head.fields.has("close", in: .connection)
        var octets = context.channel.allocator.buffer(capacity: 1_024)
        request.head.write(to: &octets)
        switch request.content {
        case .none, .upgrade: self.isChunked = false
        case .octets(var content): octets.writeBuffer(&content)
        case .later(let isChunked): self.isChunked = isChunked
        }
        context.writeAndFlush(self.wrapOutboundOut(octets), promise: nil)
    }

    package func send(_ piece: ExchangeRequest.Piece, _ promise: EventLoopPromise<Void>) {
        guard let context else { return promise.fail(HTTPExchangeError.closed) }
        switch piece {
        case .octets(let content): self.send(content, promise, on: context)
        case .end(let trailers):
            var end = ByteBuffer()
            if self.isChunked {
                end.writeStaticString("0\r\n")
                RequestHead.write(trailers, to: &end)
            }
            context.writeAndFlush(self.wrapOutboundOut(end), promise: promise)
        }
    }

    private func send(
        _ content: ByteBuffer, _ promise: EventLoopPromise<Void>, on context: ChannelHandlerContext
    ) {
        guard self.isChunked else { return context.writeAndFlush(self.wrapOutboundOut(content), promise: promise) }
        let size = ByteBuffer(string: String(content.readableBytes, radix: 16) + "\r\n")
        context.write(self.wrapOutboundOut(size), promise: nil)
        context.write(self.wrapOutboundOut(content), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(staticString: "\r\n")), promise: promise)
    }

    package func resumeReading() { self.context?.read() }

    package func abandon() {
        self.exchange.fail(HTTPExchangeError.closed)
        guard let channel = self.context?.channel else { return }
        channel.eventLoop.execute { channel.close(promise: nil) }
    }
}
