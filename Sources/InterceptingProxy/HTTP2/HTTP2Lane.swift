//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOCore
import NIOHTTP2
import ServerTrustNIO
import Synchronization

/// One request on an HTTP/2 stream and the response to it.
final class HTTP2Lane: ClientLane {
    private struct State {
        var requestSize = 0
        var trailers = HTTPFields()
        var hasContent = true
        var hasBegun = false
    }

    private let handler: NIOLoopBound<HTTP2RequestHandler>
    private let patience: Duration
    private let upgradedPatience: Duration
    private let state = Mutex(State())

    /// Creates a lane for a stream. Must be called on its event loop.
    init(_ handler: HTTP2RequestHandler, _ channel: any Channel, limits: HTTP2ServerLimits) {
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        self.patience = limits.idleTime
        self.upgradedPatience = limits.upgradedIdleTime
    }

    let version = ProxiedRequest.Version.http2

    var eventLoop: any EventLoop { self.handler.eventLoop }

    // MARK: Request

    var requestSize: Int { self.state.withLock { $0.requestSize } }

    var requestTrailers: HTTPFields { self.state.withLock { $0.trailers } }

    private var hasBegun: Bool { self.state.withLock { $0.hasBegun } }

    /// Returns the next octets of content.
    ///
    /// After the response has begun, the client may send nothing for as long as the server allows, as gRPC clients do.
    func nextContent() async throws -> ByteBuffer? {
        switch try await self.within(isLimited: !self.hasBegun, { $0.next($1) }) {
        case .octets(let octets):
            self.state.withLock { $0.requestSize += octets.readableBytes }
            return octets
        case .end(let trailers):
            self.state.withLock { $0.trailers = trailers }
            return nil
        }
    }

    /// Returns the next octets of WebSocket, which are the content of the stream (RFC 8441 §5).
    func nextOctets() async throws -> ByteBuffer? {
        switch try await self.within(self.upgradedPatience, { $0.next($1) }) {
        case .octets(let octets):
            self.state.withLock { $0.requestSize += octets.readableBytes }
            return octets
        case .end: return nil
        }
    }

    func onEnd(_ ended: (@Sendable () -> Void)?) { self.onLoop { $0.onEnd(ended) } }

    // MARK: Response

    func send(informational status: Int, _ fields: HTTPFields) {
        self.onLoop { $0.send(status, fields, isLast: false, nil) }
    }

    func begin(_ response: ClientResponse) async throws {
        let isUpgrade = response.content == .upgrade
        let hasContent = response.content == .octets || isUpgrade
        self.state.withLock { ($0.hasContent, $0.hasBegun) = (hasContent, true) }
        // On a stream, a WebSocket is accepted with a status of success and without the HTTP/1.1 fields (RFC 8441 §5).
        let status = isUpgrade ? 200 : response.status
        let fields = isUpgrade ? Self.agreement(response.fields) : response.fields
        try await self.within { $0.send(status, fields, isLast: !hasContent, $1) }
    }

    private static func agreement(_ fields: HTTPFields) -> HTTPFields {
        var fields = fields
        for name in [HTTPField.Name.connection, .upgrade, .secWebSocketAccept] { fields[name] = nil }
        return fields
    }

    func write(_ octets: ByteBuffer) async throws {
        try await self.within { $0.send(octets, isLast: false, $1) }
    }

    func flush() async throws {}

    func finish(_ trailers: HTTPFields) async throws {
        guard self.state.withLock({ $0.hasContent }) else { return }
        try await self.within { $0.send(trailers: trailers, $1) }
    }

    /// Ends the handling of the request. If the response is incomplete, the stream ends with an error.
    func release() { self.onLoop { $0.release() } }

    // MARK: The event loop

    private func onLoop(_ body: @escaping @Sendable (HTTP2RequestHandler) -> Void) {
        let handler = self.handler
        self.eventLoop.execute { body(handler.value) }
    }

    /// Runs an operation of the handler with a time limit for the client.
    ///
    /// - Parameters:
    ///   - patience: The time limit, or `nil` for the usual one.
    ///   - isLimited: `true` if the stream is reset when the time is over.
    ///   - body: The closure that starts the operation.
    private func within<Value: Sendable>(
        _ patience: Duration? = nil, isLimited: @escaping @Sendable @autoclosure () -> Bool = true,
        _ body: @escaping @Sendable (HTTP2RequestHandler, EventLoopPromise<Value>) -> Void
    ) async throws -> Value {
        let handler = self.handler
        let promise = self.eventLoop.makePromise(of: Value.self)
        self.onLoop { body($0, promise) }
        let timer = self.eventLoop.scheduleTask(in: TimeAmount(patience ?? self.patience)) {
            if isLimited() { handler.value.reset(.cancel) }
        }
        defer { timer.cancel() }
        return try await promise.futureResult.get()
    }
}
