//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore

/// What requests and responses go over: a connection of HTTP/1.1, or a stream of HTTP/2. Used on its event loop only.
package protocol ExchangeTransport: AnyObject {
    /// The event loop; `nil` before there is a connection, and after it.
    var eventLoop: (any EventLoop)? { get }
    /// Whether another request can be sent after a response that is complete.
    var isReusable: Bool { get }
    /// Whether an octet of the response has come.
    var hasBegun: Bool { get }

    /// Sends the head of a request, and content that goes with it.
    func send(_ request: ExchangeRequest)
    /// Sends some of the content, or ends the request.
    func send(_ piece: ExchangeRequest.Piece, _ promise: EventLoopPromise<Void>)
    /// Lets the reading go on that ``Exchange/holdsReads`` stopped.
    func resumeReading()
    /// Ends everything. Not from within what a handler does.
    func abandon()
}

/// The program's side of requests and their responses, one at a time: keeps what came until it is asked for, and sends content
/// when the server lets it be sent.
///
/// Used on the event loop of its transport only.
package final class Exchange {
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
        /// The time that a connection of HTTP/2 is silent before its server is asked whether it is there.
        package var silence = TimeAmount.seconds(15)

        /// The limits of a client that knows nothing about its servers.
        package init() {}
    }

    /// Hears of parts of a response, or why no more come.
    package typealias Hearing = (Result<ResponseParts, any Error>) -> Void

    private struct Upload {
        var isComplete: Bool
        /// Whether it is of another protocol, and waits until the server agrees.
        var isUpgrade = false
        var isStopped = false
        var permission: EventLoopPromise<Void>?
    }

    private let limits: Limits
    /// What requests go over. It owns the exchange.
    package weak var transport: (any ExchangeTransport)?
    /// What came and was not asked for.
    private var parts: [ResponsePart] = []
    private var bufferedSize = 0
    private var waiter: Hearing?
    /// Says since when the program waits for what is asked for here; `nil` where it does not, and the server has nothing to be late
    /// with. Without it the program waits for all that is asked for.
    package var waitsSince: (() -> NIODeadline?)?
    /// Why nothing more comes.
    package private(set) var failure: (any Error)?
    /// The request that is sent or answered; `nil` before the first.
    private var upload: Upload?
    /// Whether the response to the last request is complete.
    package private(set) var isAnswered = true
    private var holdsRead = false
    private var timer: (task: Scheduled<Void>, end: NIODeadline)?
    private var lastProgress = NIODeadline.distantPast
    private var hasHead = false

    /// The program's side of a connection or stream.
    package init(limits: Limits = Limits()) { self.limits = limits }

    // MARK: What the program asks for

    /// Sends a request, and waits for the first parts of the response.
    package func send(_ request: ExchangeRequest, _ promise: EventLoopPromise<ResponseParts>) {
        self.send(request) { promise.completeWith($0) }
    }

    /// Sends a request, and tells of the first parts of the response.
    package func send(_ request: ExchangeRequest, _ heard: @escaping Hearing) {
        guard self.isAnswered, self.failure == nil, let transport else {
            return heard(.failure(self.failure ?? HTTPExchangeError.closed))
        }
        self.isAnswered = false
        self.hasHead = false
        self.upload = self.upload(of: request)
        self.lastProgress = self.now
        transport.send(request)
        self.wait(heard)
    }

    /// Waits for more of the response.
    package func wait(_ promise: EventLoopPromise<ResponseParts>) { self.wait { promise.completeWith($0) } }

    /// Tells of more of the response, once it is there.
    package func wait(_ heard: @escaping Hearing) {
        guard self.waiter == nil else { return heard(.failure(HTTPExchangeError.closed)) }
        self.waiter = heard
        self.serve()
        guard self.waiter != nil else { return }
        // A server whose content was not asked for had nothing to be late with.
        self.lastProgress = self.now
        self.releaseRead()
        // Another protocol has its own silence.
        if !self.hasAgreed { self.startTimer(self.patience) }
    }

    /// Whether the server has agreed to another protocol.
    private var hasAgreed: Bool { self.hasHead && self.upload?.isUpgrade == true && self.upload?.isStopped == false }

    /// Sends some of the content, once the server lets it be sent, and waits until it is gone.
    ///
    /// - Parameters:
    ///   - piece: What is sent.
    ///   - promise: Is kept when they are sent, and fails with ``HTTPExchangeError/answeredEarly`` when the server wants no more.
    package func write(_ piece: ExchangeRequest.Piece, _ promise: EventLoopPromise<Void>) {
        guard let upload, !upload.isComplete, let transport, let eventLoop = transport.eventLoop else {
            return promise.fail(self.failure ?? HTTPExchangeError.closed)
        }
        if let permission = upload.permission?.futureResult {
            // The exchange stays on its event loop.
            let exchange = NIOLoopBound(self, eventLoop: eventLoop)
            return permission.whenComplete { _ in
                exchange.value.upload?.permission = nil
                exchange.value.write(piece, promise)
            }
        }
        guard !upload.isStopped else { return promise.fail(HTTPExchangeError.answeredEarly) }
        self.lastProgress = self.now
        switch piece {
        case .end: self.upload?.isComplete = true
        case .octets(let octets): if octets.readableBytes == 0 { return promise.succeed() }
        }
        transport.send(piece, promise)
    }

    // MARK: What the transport says

    /// Whether reading stops, as enough is there that was not asked for. ``ExchangeTransport/resumeReading()`` lets it go on.
    package func holdsReads() -> Bool {
        self.holdsRead = self.bufferedSize >= self.limits.bufferSize
        return self.holdsRead
    }

    /// Whether the program waits for what comes next.
    package var isAwaited: Bool { self.waiter != nil && (self.waitsSince.map { $0() != nil } ?? true) }

    /// Whether all of the request is sent.
    package var isRequestComplete: Bool { self.upload?.isComplete != false }

    /// Takes a part of the response. ``serve()`` hands it over.
    package func take(_ part: ResponsePart) {
        self.parts.appendJoined(part)
        self.lastProgress = self.now
        switch part {
        case .informational(let head):
            if head.status == 100 { self.permit() }
        case .head(let head):
            self.hasHead = true
            if let upload, !upload.isComplete {
                // What is refused need not be sent to its end (RFC 9110 §10.1.1).
                if upload.isUpgrade ? !head.agreesToUpgrade : head.status >= 300 { self.upload?.isStopped = true }
                self.permit()
            }
        case .content(let octets): self.bufferedSize += octets.readableBytes
        case .end:
            self.isAnswered = true
            if self.upload?.isComplete == false { self.upload?.isStopped = true }
        }
    }

    /// Hands over what is there.
    package func serve() {
        guard let waiter else { return }
        if !self.parts.isEmpty {
            let isReusable = self.isAnswered && self.failure == nil && self.isRequestComplete
            let parts = ResponseParts(parts: self.parts, isReusable: isReusable && self.transport?.isReusable == true)
            self.waiter = nil
            self.parts = []
            self.bufferedSize = 0
            waiter(.success(parts))
            self.releaseRead()
        } else if let failure {
            self.waiter = nil
            waiter(.failure(failure))
        }
    }

    /// Ends the response. What came before the failure is handed over before it.
    package func fail(_ error: any Error) {
        guard self.failure == nil else { return }
        self.failure = error
        self.stopTimer()
        self.upload?.isStopped = true
        self.permit()
        self.serve()
    }

    private func releaseRead() {
        guard self.holdsRead else { return }
        self.holdsRead = false
        self.transport?.resumeReading()
    }
}

// MARK: - Permission to send content

extension Exchange {
    private func upload(of request: ExchangeRequest) -> Upload {
        switch request.content {
        case .none, .octets: Upload(isComplete: true)
        case .upgrade: Upload(isComplete: false, isUpgrade: true, permission: self.transport?.eventLoop?.makePromise())
        case .later: Upload(isComplete: false, permission: self.permission(within: request.continueTimeout))
        }
    }

    private func permission(within timeout: Duration?) -> EventLoopPromise<Void>? {
        guard let timeout, let eventLoop = self.transport?.eventLoop else { return nil }
        let promise = eventLoop.makePromise(of: Void.self)
        // A server that does not know the expectation never says 100 (RFC 9110 §10.1.1).
        let timer = eventLoop.scheduleTask(in: TimeAmount(timeout)) { promise.succeed() }
        promise.futureResult.whenComplete { _ in timer.cancel() }
        return promise
    }

    private func permit() { self.upload?.permission?.succeed() }
}

extension ResponseHead {
    /// Whether octets of another protocol follow: 101, for which HTTP/2 has any success (RFC 8441 §5).
    fileprivate var agreesToUpgrade: Bool {
        self.status == 101 || self.majorVersion == 2 && (200..<300).contains(self.status)
    }
}

// MARK: - Time

extension Exchange {
    private var now: NIODeadline { self.transport?.eventLoop?.now ?? .now() }

    private var patience: TimeAmount { self.hasHead ? self.limits.idleTimeout : self.limits.headTimeout }

    /// Has the time looked at, once it can be over. A timer of an earlier request is left to it: event loops search all of their
    /// timers to cancel one.
    private func startTimer(_ time: TimeAmount) {
        guard let eventLoop = self.transport?.eventLoop else { return }
        let end = self.now + time
        if let timer, timer.end <= end { return }
        self.stopTimer()
        self.timer = (eventLoop.assumeIsolated().scheduleTask(in: time) { self.checkTime() }, end)
    }

    private func stopTimer() {
        self.timer?.task.cancel()
        self.timer = nil
    }

    /// Content that was sent, or came, meanwhile gives the server more time.
    private func checkTime() {
        self.timer = nil
        guard self.waiter != nil, self.failure == nil, !self.hasAgreed else { return }
        let now = self.now
        let begin = self.waitsSince.map { $0() ?? now } ?? self.lastProgress
        let left = max(begin, self.lastProgress) + self.patience - now
        guard left <= .zero else { return self.startTimer(left) }
        self.fail(HTTPExchangeError.timedOut(isInHead: !self.hasHead))
        self.transport?.abandon()
    }
}
