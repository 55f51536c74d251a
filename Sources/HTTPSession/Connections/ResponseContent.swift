//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import HTTPTypes
import NIOCore
import ServerTrustNIO
import Synchronization

/// One response on its connection, from the request to the end of the content, where the connection is given back.
///
/// One task uses it. A response that nothing refers to anymore takes its connection along.
final class ResponseContent: Sendable {
    private struct State {
        var parts: ArraySlice<ResponsePart> = []
        var isReusable = false
        var isEnded = false
        var isGivenBack = false
        var isTimedOut = false
        var uploadError: (any Error)?
        var upload: Task<Void, Never>?
        var timer: Scheduled<Void>?
        var trailers: HTTPFields?
    }

    private let lane: RequestStream
    private let pool: HTTPConnectionPool?
    private let state = Mutex(State())

    init(_ connection: HTTPConnection, pool: HTTPConnectionPool?) {
        self.lane = RequestStream(on: connection)
        self.pool = pool
    }

    deinit { self.giveBack(isReusable: false) }

    /// The fields behind the content; `nil` before its end.
    var trailers: HTTPFields? { self.state.withLock { $0.trailers } }

    /// Whether the end came with the head, and nothing else.
    var isKnownToBeEmpty: Bool {
        self.state.withLock { state in
            guard case .end(let trailers)? = state.parts.first else { return false }
            return trailers.isEmpty
        }
    }

    /// Whether a part is there that came already, or nothing more comes.
    var isAtHand: Bool { self.state.withLock { !$0.parts.isEmpty || $0.isEnded } }

    // MARK: The request

    /// Sends a request, and waits for the head of the response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - upload: Content that is sent beside reading the response.
    ///   - informational: Hears of responses before the response.
    /// - Throws: ``HTTPSessionError``; `HTTPExchangeError` where the request may be sent again.
    func begin(
        _ request: ExchangeRequest, upload: RequestUpload? = nil,
        informational: (ResponseHead) -> Void = { _ in }
    ) async throws -> ResponseHead {
        let parts = try await self.lane.send(request) {
            if let upload { self.send(upload) }
        }
        self.take(parts)
        while true {
            switch self.nextPart() {
            case .informational(let head)?: informational(head)
            case .head(let head)?: return head
            case .content?, .end?: continue
            case nil: self.take(try await self.lane.next())
            }
        }
    }

    /// Sends content beside reading the response. Content that fails ends the request.
    private func send(_ upload: RequestUpload) {
        let lane = self.lane
        let task = Task(executorPreference: upload.eventLoop.map(EventLoopExecutor.init)) { [weak self] in
            do {
                var sent = 0
                for try await octets in upload.octets {
                    sent += octets.readableBytes
                    guard sent <= upload.length ?? .max else { throw RequestLengthError() }
                    let progress = HTTPUploadProgress(sent: sent, total: upload.length)
                    // The response may come, and end the upload, as soon as the last octets are sent.
                    let isWhole = sent == upload.length
                    if isWhole { upload.progress?(progress) }
                    try await Self.write(.octets(octets), on: lane)
                    if !isWhole { upload.progress?(progress) }
                }
                guard sent == upload.length ?? sent else { throw RequestLengthError() }
                try await Self.write(.end(upload.trailers?() ?? [:]), on: lane)
            } catch is UploadEnd {
                // The response, or the error in its place, says why.
            } catch {
                self?.state.withLock { $0.uploadError = error }
                lane.abandon()
            }
        }
        self.state.withLock { $0.upload = task }
    }

    private static func write(_ piece: ExchangeRequest.Piece, on lane: RequestStream) async throws {
        do {
            try await lane.write(piece)
        } catch {
            throw UploadEnd()
        }
    }

    /// Sends octets of another protocol, and waits until they are gone; `nil` ends it.
    func write(_ octets: ByteBuffer?) async throws {
        try await self.lane.write(octets.map(ExchangeRequest.Piece.octets) ?? .end([:]))
    }

    /// Ends the request at a time, whatever happens on its connection.
    func close(at deadline: NIODeadline?) {
        guard let deadline else { return }
        let timer = self.lane.eventLoop.scheduleTask(deadline: deadline) { [weak self] in
            guard let self else { return }
            self.state.withLock { $0.isTimedOut = true }
            self.lane.abandon()
        }
        self.state.withLock { $0.timer = timer }
    }

    /// What an error of the connection comes to.
    func sessionError(_ error: any Error, at url: HTTPURL) -> any Error {
        let (uploadError, isTimedOut) = self.state.withLock { ($0.uploadError, $0.isTimedOut) }
        if isTimedOut { return HTTPSessionError.timedOut(url, "The request") }
        if Task.isCancelled { return HTTPSessionError.cancelled(url) }
        if let uploadError, !(uploadError is HTTPExchangeError), !(uploadError is ChannelError),
            !(uploadError is IOError)
        {
            return HTTPSessionError(
                .requestBody, .requestBodyStreamExhausted, url: url,
                reason: "The content of the request cannot be sent: \(uploadError)".asSentence,
                remedy: "Check where it comes from.", cause: uploadError)
        }
        return error
    }

    // MARK: The response

    /// The next octets of the content; `nil` at its end.
    func next() async throws -> ByteBuffer? {
        while true {
            switch self.nextPart() {
            case .content(let octets)?: return octets
            case .end(let trailers)?:
                self.end(trailers)
                return nil
            case .informational?, .head?: continue
            case nil:
                guard !self.state.withLock({ $0.isEnded }) else { return nil }
                self.take(try await self.lane.next())
            }
        }
    }

    /// How long the rest of a content that is dropped is waited for.
    private static let patience = TimeAmount.seconds(5)

    /// Reads the rest of the content, and drops it.
    ///
    /// - Parameter limit: The most octets that are read.
    /// - Returns: Whether the connection can be used again.
    func discard(upTo limit: Int) async throws -> Bool {
        // What is announced and does not come costs the connection, and keeps nothing waiting.
        let timer = self.lane.eventLoop.scheduleTask(in: Self.patience) { [weak self] in self?.lane.abandon() }
        defer { timer.cancel() }
        var left = limit
        while let octets = try await self.next() {
            left -= octets.readableBytes
            guard left >= 0 else {
                self.giveBack(isReusable: false)
                return false
            }
        }
        return self.state.withLock { $0.isReusable }
    }

    private func nextPart() -> ResponsePart? {
        self.state.withLock { state in
            // A slice keeps what was taken from it alive, and TLS copies what is alive before it reads into the same storage again.
            defer { if state.parts.isEmpty { state.parts = [] } }
            return state.parts.popFirst()
        }
    }

    private func take(_ parts: ResponseParts) {
        self.state.withLock { state in
            state.parts = parts.parts[...]
            state.isReusable = parts.isReusable
        }
    }

    private func end(_ trailers: HTTPFields) {
        let isReusable = self.state.withLock { state in
            (state.isEnded, state.trailers) = (true, trailers)
            return state.isReusable
        }
        self.giveBack(isReusable: isReusable)
    }

    /// Gives the connection back, once.
    func giveBack(isReusable: Bool) {
        let (isFirst, upload, timer) = self.state.withLock { state in
            defer { state.isGivenBack = true }
            return (!state.isGivenBack, state.upload, state.timer)
        }
        guard isFirst else { return }
        timer?.cancel()
        if !isReusable {
            upload?.cancel()
            self.lane.abandon()
        }
        pool?.release(self.lane.connection, isReusable: isReusable)
    }
}

/// The server, or the end of the connection, has ended content that was sent.
private struct UploadEnd: Error {}

/// Content that is sent beside reading the response.
struct RequestUpload {
    let octets: HTTPRequestBody.Octets
    /// The number of octets, where the head says it.
    var length: Int?
    /// The event loop that the octets are read on; `nil` for a thread of Swift's tasks.
    var eventLoop: (any EventLoop)?
    /// The fields behind the content, once all of it is sent.
    var trailers: (@Sendable () -> HTTPFields)?
    /// Hears how far the octets are.
    var progress: (@Sendable (HTTPUploadProgress) -> Void)?
}

/// The content of a request has another length than was said.
struct RequestLengthError: Error, CustomStringConvertible {
    let description = "it has another length than its Content-Length says"
}
