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

/// One response on its connection, from the request to the end of the content, when the connection is released.
///
/// Only one task may use it. If it is deinitialized before the end, its request is canceled.
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

    /// The trailer fields, or `nil` before the end of the content.
    var trailers: HTTPFields? { self.state.withLock { $0.trailers } }

    /// `true` if the end of the content, without trailers, arrived together with the head.
    var isKnownToBeEmpty: Bool {
        self.state.withLock { state in
            guard case .end(let trailers)? = state.parts.first else { return false }
            return trailers.isEmpty
        }
    }

    /// `true` if a part is available without waiting, or the content has ended.
    var isAtHand: Bool { self.state.withLock { !$0.parts.isEmpty || $0.isEnded } }

    // MARK: The request

    /// Sends a request and waits for the head of the response.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - upload: Content to send while the response is read.
    ///   - informational: A closure that receives informational responses.
    /// - Throws: ``HTTPSessionError``, or `HTTPExchangeError` if the request may be sent again.
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

    /// Sends content while the response is read. An error of the content cancels the request.
    private func send(_ upload: RequestUpload) {
        let lane = self.lane
        let task = Task(executorPreference: upload.eventLoop.map(EventLoopExecutor.init)) { [weak self] in
            do {
                var sent = 0
                for try await octets in upload.octets {
                    sent += octets.readableBytes
                    guard sent <= upload.length ?? .max else { throw RequestLengthError() }
                    let progress = HTTPUploadProgress(sent: sent, total: upload.length)
                    // The response may arrive and end the upload as soon as the last octets are sent.
                    let isWhole = sent == upload.length
                    if isWhole { upload.progress?(progress) }
                    try await Self.write(.octets(octets), on: lane)
                    if !isWhole { upload.progress?(progress) }
                }
                guard sent == upload.length ?? sent else { throw RequestLengthError() }
                try await Self.write(.end(upload.trailers?() ?? [:]), on: lane)
            } catch is UploadEnd {
                // The response, or the error in its place, has the reason.
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

    /// Sends octets of another protocol and waits until they are written. `nil` ends this direction.
    func write(_ octets: ByteBuffer?) async throws {
        try await self.lane.write(octets.map(ExchangeRequest.Piece.octets) ?? .end([:]))
    }

    /// Cancels the request at a deadline.
    func close(at deadline: NIODeadline?) {
        guard let deadline else { return }
        let timer = self.lane.eventLoop.scheduleTask(deadline: deadline) { [weak self] in
            guard let self else { return }
            self.state.withLock { $0.isTimedOut = true }
            self.lane.abandon()
        }
        self.state.withLock { $0.timer = timer }
    }

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

    /// Returns the next octets of the content, or `nil` at its end.
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

    /// The time limit for the rest of content that is discarded.
    private static let patience = TimeAmount.seconds(5)

    /// Reads the rest of the content and discards it.
    ///
    /// - Parameter limit: The maximum number of octets to read.
    /// - Returns: `true` if the connection can be reused.
    func discard(upTo limit: Int) async throws -> Bool {
        // If announced content does not arrive, the connection is closed, so that the caller does not wait.
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
            // A slice keeps its consumed parts alive, and TLS would have to copy them before it reuses their storage.
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

    /// Releases the connection. Only the first call has an effect.
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

/// An error for an upload that the server or the end of the connection has ended.
private struct UploadEnd: Error {}

/// Content to send while the response is read.
struct RequestUpload {
    let octets: HTTPRequestBody.Octets
    /// The number of octets if the head states it, otherwise `nil`.
    var length: Int?
    /// The event loop on which the content is read, or `nil` for a thread of Swift concurrency.
    var eventLoop: (any EventLoop)?
    /// The trailer fields, which are read after all content was sent.
    var trailers: (@Sendable () -> HTTPFields)?
    var progress: (@Sendable (HTTPUploadProgress) -> Void)?
}

/// An error for content of another length than the head states.
struct RequestLengthError: Error, CustomStringConvertible {
    let description = "it has another length than its Content-Length says"
}
