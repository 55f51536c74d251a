//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore

/// The transport of an exchange: a connection of HTTP/1.1, or a stream of HTTP/2. It is used on its event loop only.
package protocol ExchangeTransport: AnyObject {
    /// The event loop. `nil` before there is a connection, and after it.
    var eventLoop: (any EventLoop)? { get }
    /// `true` if another request can be sent after a complete response.
    var isReusable: Bool { get }
    /// `true` once an octet of the response has arrived.
    var hasBegun: Bool { get }

    /// Sends the head of a request, and the content that belongs to it.
    func send(_ request: ExchangeRequest)
    /// Sends a piece of the content, or ends the request.
    func send(_ piece: ExchangeRequest.Piece, _ promise: EventLoopPromise<Void>)
    /// Resumes the reading that ``Exchange/holdsReads()`` stopped.
    func resumeReading()
    /// Ends the connection or stream. The transport closes in a later turn of the event loop.
    func abandon()
}

/// The program's side of requests and their responses, one at a time. It buffers the response until the program asks for it, and
/// sends content once the server permits it.
///
/// It is used on the event loop of its transport only.
package final class Exchange {
    /// The limits on the size of a response and on the silence of a server.
    package struct Limits: Sendable, Hashable {
        package var reader = ResponseReader.Limits()
        /// The number of octets of unread content at which reading stops.
        package var bufferSize = 256 << 10
        /// The time from the end of the request to the end of the response's head.
        package var headTimeout = TimeAmount.seconds(60)
        /// The time without any content.
        package var idleTimeout = TimeAmount.seconds(60)
        /// The silence on a connection of HTTP/2 after which the client checks that the server is alive.
        package var silence = TimeAmount.seconds(15)

        /// Creates the limits of a client for unknown servers.
        package init() {}
    }

    /// A callback for parts of a response, or for the reason that there are no more.
    package typealias Hearing = (Result<ResponseParts, any Error>) -> Void

    private struct Upload {
        var isComplete: Bool
        /// `true` if the octets belong to another protocol and wait until the server agrees to it.
        var isUpgrade = false
        var isStopped = false
        var permission: EventLoopPromise<Void>?
    }

    private let limits: Limits
    /// The transport, which owns the exchange.
    package weak var transport: (any ExchangeTransport)?
    /// The parts that the program has not asked for yet.
    private var parts: [ResponsePart] = []
    private var bufferedSize = 0
    private var waiter: Hearing?
    /// Returns the time since which the program waits for the server. The closure returns `nil` while it does not wait, when the
    /// server cannot be late. Without a closure the program is taken to wait for every part that it asks for.
    package var waitsSince: (() -> NIODeadline?)?
    /// The reason that no more parts come.
    package private(set) var failure: (any Error)?
    /// The current or last request, or `nil` before the first.
    private var upload: Upload?
    /// `true` if the response to the last request is complete.
    package private(set) var isAnswered = true
    private var holdsRead = false
    private var timer: (task: Scheduled<Void>, end: NIODeadline)?
    private var lastProgress = NIODeadline.distantPast
    private var hasHead = false

    package init(limits: Limits = Limits()) { self.limits = limits }

    // MARK: Requests of the program

    package func send(_ request: ExchangeRequest, _ promise: EventLoopPromise<ResponseParts>) {
        self.send(request) { promise.completeWith($0) }
    }

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

    package func wait(_ promise: EventLoopPromise<ResponseParts>) { self.wait { promise.completeWith($0) } }

    package func wait(_ heard: @escaping Hearing) {
        guard self.waiter == nil else { return heard(.failure(HTTPExchangeError.closed)) }
        self.waiter = heard
        self.serve()
        guard self.waiter != nil else { return }
        // Before the program asked for content, the server could not be late with it.
        self.lastProgress = self.now
        self.releaseRead()
        // After an upgrade the other protocol decides on timeouts.
        if !self.hasAgreed { self.startTimer(self.patience) }
    }

    /// `true` if the server has agreed to another protocol.
    private var hasAgreed: Bool { self.hasHead && self.upload?.isUpgrade == true && self.upload?.isStopped == false }

    /// Sends a piece of the content once the server permits it, and waits until it is sent.
    ///
    /// - Parameters:
    ///   - piece: The piece.
    ///   - promise: Succeeds when the piece is sent. Fails with ``HTTPExchangeError/answeredEarly`` if the server accepts no more.
    package func write(_ piece: ExchangeRequest.Piece, _ promise: EventLoopPromise<Void>) {
        guard let upload, !upload.isComplete, let transport, let eventLoop = transport.eventLoop else {
            return promise.fail(self.failure ?? HTTPExchangeError.closed)
        }
        if let permission = upload.permission?.futureResult {
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

    // MARK: Events of the transport

    /// Returns `true` if reading must stop because enough unread content is buffered. ``ExchangeTransport/resumeReading()`` resumes
    /// it.
    package func holdsReads() -> Bool {
        self.holdsRead = self.bufferedSize >= self.limits.bufferSize
        return self.holdsRead
    }

    /// `true` if the program waits for the next part.
    package var isAwaited: Bool { self.waiter != nil && (self.waitsSince.map { $0() != nil } ?? true) }

    package var isRequestComplete: Bool { self.upload?.isComplete != false }

    /// Takes a part of the response. ``serve()`` passes it on.
    package func take(_ part: ResponsePart) {
        self.parts.appendJoined(part)
        self.lastProgress = self.now
        switch part {
        case .informational(let head):
            if head.status == 100 { self.permit() }
        case .head(let head):
            self.hasHead = true
            if let upload, !upload.isComplete {
                // After a refusal the rest of the content need not be sent (RFC 9110 §10.1.1).
                if upload.isUpgrade ? !head.agreesToUpgrade : head.status >= 300 { self.upload?.isStopped = true }
                self.permit()
            }
        case .content(let octets): self.bufferedSize += octets.readableBytes
        case .end:
            self.isAnswered = true
            if self.upload?.isComplete == false { self.upload?.isStopped = true }
        }
    }

    /// Passes the buffered parts to the waiting program.
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

    /// Ends the response with an error. Earlier parts are passed on first.
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
        // A server that does not know the expectation never sends 100 (RFC 9110 §10.1.1).
        let timer = eventLoop.scheduleTask(in: TimeAmount(timeout)) { promise.succeed() }
        promise.futureResult.whenComplete { _ in timer.cancel() }
        return promise
    }

    private func permit() { self.upload?.permission?.succeed() }
}

extension ResponseHead {
    /// `true` if octets of another protocol follow: after 101, or over HTTP/2 after any success (RFC 8441 §5).
    fileprivate var agreesToUpgrade: Bool {
        self.status == 101 || self.majorVersion == 2 && (200..<300).contains(self.status)
    }
}

// MARK: - Time

extension Exchange {
    private var now: NIODeadline { self.transport?.eventLoop?.now ?? .now() }

    private var patience: TimeAmount { self.hasHead ? self.limits.idleTimeout : self.limits.headTimeout }

    /// Schedules a check of the time. An earlier timer stays in place if it fires sooner, because an event loop searches all its
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

    /// Checks the time. Progress since the timer was set, in either direction, gives the server more time.
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
