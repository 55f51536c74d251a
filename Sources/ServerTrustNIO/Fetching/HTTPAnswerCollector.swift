//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOHTTP1
import ServerTrust

/// Collects the body of one answer, or finds out where it redirects to.
final class HTTPAnswerCollector: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let maximumSize: Int
    private let isPost: Bool
    private let promise: EventLoopPromise<HTTPExchange.Answer>
    private var body: [UInt8] = []
    private(set) var hasHead = false

    init(maximumSize: Int, isPost: Bool, promise: EventLoopPromise<HTTPExchange.Answer>) {
        self.maximumSize = maximumSize
        self.isPost = isPost
        self.promise = promise
    }

    /// The octets on the wire that an answer of the allowed size may take: as many again for chunks and trailers.
    var maximumTransfer: Int { self.maximumSize.addingReportingOverflow(self.maximumSize).partialValue }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head): self.read(head)
        case .body(let buffer):
            guard buffer.readableBytes <= self.maximumSize - self.body.count else { return self.refuseSize() }
            self.body.append(contentsOf: buffer.readableBytesView)
        case .end: self.promise.succeed(.body(self.body))
        }
    }

    private func read(_ head: HTTPResponseHead) {
        self.hasHead = true
        switch head.status.code {
        case 200:
            let announced = head.headers.first(name: "Content-Length").flatMap { Int($0) }
            if let announced, announced > self.maximumSize { self.refuseSize() }
        // Only these two let a question be asked again elsewhere (RFC 9110, section 15.4).
        case 307, 308: self.redirect(head)
        case 301, 302, 303:
            guard !self.isPost else { return self.fail(.badAnswer, "it redirects a question as if it were none") }
            self.redirect(head)
        default: self.fail(.badAnswer, "it answers with status \(head.status.code)")
        }
    }

    private func redirect(_ head: HTTPResponseHead) {
        let targets = head.headers["Location"]
        guard targets.count == 1, let target = targets.first else {
            return self.fail(.badAnswer, "it redirects without saying where")
        }
        self.promise.succeed(.redirect(to: target))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case let error as ResourceError: self.promise.fail(error)
        case HTTPParserError.headerOverflow: self.fail(.tooLarge, "the head of the answer is too large")
        default: self.fail(.badAnswer, "it does not answer as HTTP servers do (\(error))")
        }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.fail(.badAnswer, "it closed the connection before its answer was complete")
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.fail(.badAnswer, "the connection was closed")
    }

    private func refuseSize() {
        self.fail(.tooLarge, "the answer is larger than \(self.maximumSize) bytes")
    }

    /// After the first outcome nothing else counts.
    private func fail(_ code: ResourceError.Code, _ reason: String) {
        self.promise.fail(ResourceError(code, reason))
    }
}

/// Counts what arrives before it is parsed: heads and trailers without end must not be collected either.
final class HTTPMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let maximumHeaderSize: Int
    private let collector: HTTPAnswerCollector
    private var count = 0

    init(maximumHeaderSize: Int, collector: HTTPAnswerCollector) {
        self.maximumHeaderSize = maximumHeaderSize
        self.collector = collector
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.count += self.unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
        // The head may have come with the beginning of the body.
        if !self.collector.hasHead, self.count > self.maximumHeaderSize {
            self.refuse(context, "the head of the answer is larger than \(self.maximumHeaderSize) bytes")
        } else if self.count - self.maximumHeaderSize > max(self.collector.maximumTransfer, 1 << 16) {
            self.refuse(context, "the answer is larger than allowed")
        }
    }

    private func refuse(_ context: ChannelHandlerContext, _ reason: String) {
        context.fireErrorCaught(ResourceError(.tooLarge, reason))
    }
}
