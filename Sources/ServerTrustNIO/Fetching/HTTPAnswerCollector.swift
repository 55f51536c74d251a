//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOHTTP1
import ServerTrust

/// What a server answers.
package struct HTTPAnswer: Sendable {
    package let status: Int
    /// The values of the Location fields.
    package let locations: [String]
    /// The body of an answer with status 200, where one is wanted.
    package var body: [UInt8] = []
}

/// Collects one answer: its head, and with status 200 its body.
final class HTTPAnswerCollector: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let maximumSize: Int?
    private let promise: EventLoopPromise<HTTPAnswer>
    private var answer: HTTPAnswer?

    init(maximumSize: Int?, promise: EventLoopPromise<HTTPAnswer>) {
        self.maximumSize = maximumSize
        self.promise = promise
    }

    var hasHead: Bool { self.answer != nil }

    /// The octets on the wire that an answer of the allowed size may take: as many again for chunks and trailers.
    var maximumTransfer: Int {
        let size = self.maximumSize ?? 0
        return size.addingReportingOverflow(size).partialValue
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head): self.read(head)
        case .body(let buffer): self.read(buffer)
        case .end: if let answer { self.promise.succeed(answer) }
        }
    }

    private func read(_ head: HTTPResponseHead) {
        let answer = HTTPAnswer(status: Int(head.status.code), locations: head.headers["Location"])
        self.answer = answer
        guard let maximumSize, answer.status == 200 else { return self.promise.succeed(answer) }
        let announced = head.headers.first(name: "Content-Length").flatMap { Int($0) }
        if let announced, announced > maximumSize { self.refuseSize(maximumSize) }
    }

    private func read(_ buffer: ByteBuffer) {
        guard let maximumSize, let count = self.answer?.body.count else { return }
        guard buffer.readableBytes <= maximumSize - count else { return self.refuseSize(maximumSize) }
        self.answer?.body.append(contentsOf: buffer.readableBytesView)
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

    private func refuseSize(_ maximumSize: Int) {
        self.fail(.tooLarge, "the answer is larger than \(maximumSize) bytes")
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
