//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPExchange
import HTTPTypes
import NIOCore
package import ServerTrust

/// An HTTP response to a fetch of a resource that a certificate names.
struct FetchedAnswer: Sendable {
    let head: ResponseHead
    /// The body of a response with status 200.
    var body: [UInt8] = []
}

/// The collector of one response: its head, and its body if the status is 200. It is used on the event loop of its channel only.
final class AnswerCollector {
    private let handler: HTTP1Handler
    private let channel: any Channel
    private let maximumSize: Int
    private let promise: EventLoopPromise<FetchedAnswer>
    private var answer: FetchedAnswer?

    init(_ handler: HTTP1Handler, on channel: any Channel, maximumSize: Int) {
        self.handler = handler
        self.channel = channel
        self.maximumSize = maximumSize
        self.promise = channel.eventLoop.makePromise()
    }

    var answered: EventLoopFuture<FetchedAnswer> { self.promise.futureResult }

    func send(_ request: ExchangeRequest) { self.wait { self.handler.exchange.send(request, $0) } }

    private func wait(_ ask: (EventLoopPromise<ResponseParts>) -> Void) {
        let parts = self.channel.eventLoop.makePromise(of: ResponseParts.self)
        parts.futureResult.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let parts): self.take(parts.parts)
            case .failure(let error): self.fail(error)
            }
        }
        ask(parts)
    }

    private func take(_ parts: [ResponsePart]) {
        for part in parts {
            guard !self.isOver else { return }
            switch part {
            case .informational: continue
            case .head(let head): self.take(head)
            case .content(let octets): self.take(octets)
            case .end: if let answer { self.finish(.success(answer)) }
            }
        }
        if !self.isOver { self.wait(self.handler.exchange.wait) }
    }

    private func take(_ head: ResponseHead) {
        let answer = FetchedAnswer(head: head)
        self.answer = answer
        guard head.status == 200 else { return self.finish(.success(answer)) }
        // The reader has already checked that the length is a number.
        if let announced = head.fields[.contentLength].flatMap({ Int($0) }), announced > self.maximumSize {
            self.refuseSize()
        }
    }

    private func take(_ octets: ByteBuffer) {
        guard let count = self.answer?.body.count else { return }
        guard octets.readableBytes <= self.maximumSize - count else { return self.refuseSize() }
        self.answer?.body.append(contentsOf: octets.readableBytesView)
    }

    private func refuseSize() {
        self.fail(ResourceError(.tooLarge, "the answer is larger than \(self.maximumSize) bytes"))
    }

    // MARK: The end

    private var isOver = false

    /// Completes the promise. Only the first outcome counts.
    private func finish(_ outcome: Result<FetchedAnswer, any Error>) {
        guard !self.isOver else { return }
        self.isOver = true
        self.promise.completeWith(outcome)
    }

    func fail(_ error: any Error) {
        self.finish(.failure(Self.resourceError(error)))
        self.channel.close(promise: nil)
    }

    private static func resourceError(_ error: any Error) -> ResourceError {
        switch error {
        case let error as ResourceError: error
        case HTTPExchangeError.message(let fault): ResourceError(fault)
        case HTTPExchangeError.closed: ResourceError(.badAnswer, ResourceError.cut)
        case HTTPExchangeError.connection(let error, _):
            ResourceError(.badAnswer, "the connection failed (\(TransportErrorText.text(of: error)))")
        default: ResourceError(.badAnswer, "the connection was closed")
        }
    }
}

extension ResourceError {
    /// The text for a response that ends before it is complete.
    package static let cut = "it closed the connection before its answer was complete"

    /// Creates the error for a response that is too large or that breaks the rules of HTTP.
    package init(_ fault: HTTPMessageError) {
        switch fault {
        case .headTooLarge(let limit):
            self.init(.tooLarge, "the head of the answer is larger than \(limit) bytes")
        case .tooManyFields(let limit): self.init(.tooLarge, "the answer has more than \(limit) fields")
        case .noResponse, .cutInHead, .cutInContent: self.init(.badAnswer, Self.cut)
        default: self.init(.badAnswer, "it does not answer as HTTP servers do: \(fault)")
        }
    }
}
