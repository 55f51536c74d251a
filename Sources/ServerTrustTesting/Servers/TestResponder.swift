//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

/// Answers the first bytes of a client with a short HTTP response, without reading the request, and closes the connection.
final class TestResponder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let timeout = TimeAmount.seconds(60)

    private let text: String
    private var hasAnswered = false
    private var timeoutTask: Scheduled<Void>?

    init(text: String) {
        self.text = text
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        self.timeoutTask = context.eventLoop.scheduleTask(in: Self.timeout) {
            channel.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timeoutTask?.cancel()
        self.timeoutTask = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.hasAnswered else {
            return
        }
        self.hasAnswered = true
        let response = ByteBuffer(
            string: "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(self.text.utf8.count)\r\n"
                + "Connection: close\r\n\r\n\(self.text)"
        )
        context.writeAndFlush(self.wrapOutboundOut(response), promise: nil)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Clients that refuse the certificate, do not speak TLS or disconnect are expected here.
        context.close(promise: nil)
    }
}
