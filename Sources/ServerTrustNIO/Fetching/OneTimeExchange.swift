//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPExchange
import HTTPTypes
package import NIOCore
package import ServerTrust

/// What a server answers.
package struct HTTPAnswer: Sendable {
    package let head: ResponseHead
    /// The body of an answer with status 200, where one is wanted.
    package var body: [UInt8] = []

    package var status: Int { self.head.status }

    /// The places that an answer redirects to; `nil` for one that does not redirect.
    package var places: [ArraySlice<UInt8>]? { self.head.redirect?.places }
}

/// One request on a connection of its own, and its answer.
package struct OneTimeExchange: Sendable {
    /// What is sent by POST.
    package struct Content: Sendable {
        let type: String
        let bytes: [UInt8]
    }

    let url: HTTPURL
    /// What to send; `nil` for GET.
    let content: Content?
    /// The octets of an answer before its body.
    let maximumHeaderSize: Int
    /// The octets of a body that is collected; `nil` collects none: the answer is there with its head.
    let maximumSize: Int?

    package init(url: HTTPURL, content: Content? = nil, maximumHeaderSize: Int, maximumSize: Int?) {
        self.url = url
        self.content = content
        self.maximumHeaderSize = maximumHeaderSize
        self.maximumSize = maximumSize
    }

    /// Sends the request, and reads the answer.
    ///
    /// - Parameter channel: A connection that nothing was sent or read on, on its event loop. Who runs the exchange limits its time.
    /// - Returns: The answer, or ``ResourceError``.
    package func run(on channel: any Channel) -> EventLoopFuture<HTTPAnswer> {
        var limits = Exchange.Limits()
        limits.reader.headSize = self.maximumHeaderSize
        limits.headTimeout = .hours(24)
        limits.idleTimeout = .hours(24)
        let handler = HTTP1Handler(limits: limits)
        let collector = AnswerCollector(handler, on: channel, maximumSize: self.maximumSize)
        do {
            guard let head = self.head else {
                throw ResourceError(.invalidURL, "the URL does not fit on a request line")
            }
            try channel.pipeline.syncOperations.addHandler(handler)
            let content = self.content.map { ExchangeRequest.Content.octets(ByteBuffer(bytes: $0.bytes)) }
            collector.send(ExchangeRequest(head, content: content ?? .none))
        } catch {
            collector.fail(error)
        }
        return collector.answered
    }

    private var head: RequestHead? {
        var fields = HTTPFields()
        fields[.hostName] = self.url.authority
        fields[.userAgent] = "swift-server-trust"
        fields[.accept] = "*/*"
        fields[.connection] = "close"
        if let content {
            fields[.contentType] = content.type
            fields[.contentLength] = "\(content.bytes.count)"
        }
        return RequestHead(self.content == nil ? .get : .post, target: self.url.target, fields: fields)
    }
}

/// Collects one answer: its head, and with status 200 its body. On the event loop of its channel only.
private final class AnswerCollector {
    private let handler: HTTP1Handler
    private let channel: any Channel
    private let maximumSize: Int?
    private let promise: EventLoopPromise<HTTPAnswer>
    private var answer: HTTPAnswer?

    init(_ handler: HTTP1Handler, on channel: any Channel, maximumSize: Int?) {
        (self.handler, self.channel, self.maximumSize) = (handler, channel, maximumSize)
        self.promise = channel.eventLoop.makePromise()
    }

    var answered: EventLoopFuture<HTTPAnswer> { self.promise.futureResult }

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
        let answer = HTTPAnswer(head: head)
        self.answer = answer
        guard let maximumSize, answer.status == 200 else { return self.finish(.success(answer)) }
        // What frames the content was read before, and is a number.
        if let announced = head.fields[.contentLength].flatMap({ Int($0) }), announced > maximumSize {
            self.refuseSize(maximumSize)
        }
    }

    private func take(_ octets: ByteBuffer) {
        guard let maximumSize, let count = self.answer?.body.count else { return }
        guard octets.readableBytes <= maximumSize - count else { return self.refuseSize(maximumSize) }
        self.answer?.body.append(contentsOf: octets.readableBytesView)
    }

    private func refuseSize(_ maximumSize: Int) {
        self.fail(ResourceError(.tooLarge, "the answer is larger than \(maximumSize) bytes"))
    }

    // MARK: The end

    private var isOver = false

    /// After the first outcome nothing else counts.
    private func finish(_ outcome: Result<HTTPAnswer, any Error>) {
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
        case HTTPExchangeError.connection(let error as ResourceError, _): error
        case HTTPExchangeError.message(let fault): ResourceError(fault)
        case HTTPExchangeError.closed: ResourceError(.badAnswer, ResourceError.cut)
        case HTTPExchangeError.connection(let error, _):
            ResourceError(.badAnswer, "the connection failed (\(TransportErrorText.text(of: error)))")
        default: ResourceError(.badAnswer, "the connection was closed")
        }
    }
}

extension ResourceError {
    /// An answer that ends before it is complete.
    package static let cut = "it closed the connection before its answer was complete"

    /// An answer that HTTP does not allow, or that is too large.
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
