//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import NIOCore
import Synchronization

/// A connection that one request at a time is sent on.
final class HTTP1Connection: Sendable {
    let key: ConnectionKey
    let report: ConnectionReport
    let channel: any Channel
    private let handler: NIOLoopBound<HTTP1Handler>
    private let use = Mutex(NIODeadline.now())

    init(_ key: ConnectionKey, _ report: ConnectionReport, channel: any Channel, handler: NIOLoopBound<HTTP1Handler>) {
        (self.key, self.report, self.channel, self.handler) = (key, report, channel, handler)
    }

    var isActive: Bool { self.channel.isActive }

    /// When it was given back last.
    var lastUse: NIODeadline { self.use.withLock { $0 } }

    func touch() { self.use.withLock { $0 = .now() } }

    func close() { self.channel.close(promise: nil) }

    /// Sends a request, and waits for the first parts of the response.
    ///
    /// - Parameter begun: Called when the request is on its way: what it asks for on the event loop comes behind it.
    func send(_ request: HTTP1Request, begun: () -> Void) async throws -> ResponseParts {
        let promise = self.channel.eventLoop.makePromise(of: ResponseParts.self)
        let handler = self.handler
        self.channel.eventLoop.execute { handler.value.send(request, promise) }
        begun()
        return try await self.value(of: promise.futureResult)
    }

    /// Waits for more of the response.
    func next() async throws -> ResponseParts {
        try await self.answer { handler, promise in handler.wait(promise) }
    }

    /// Sends some of the content, and waits until it is gone; `nil` ends the request.
    func write(_ content: ByteBuffer?) async throws {
        let promise = self.channel.eventLoop.makePromise(of: Void.self)
        let handler = self.handler
        self.channel.eventLoop.execute { handler.value.write(content, promise) }
        try await self.value(of: promise.futureResult)
    }

    /// Takes the reader of responses out, after a proxy said that octets pass to the server now.
    func removeHandler() -> EventLoopFuture<Void> {
        let (handler, channel) = (self.handler, self.channel)
        return channel.eventLoop.flatSubmit { channel.pipeline.syncOperations.removeHandler(handler.value) }
    }

    private func answer(
        _ body: @escaping @Sendable (HTTP1Handler, EventLoopPromise<ResponseParts>) -> Void
    ) async throws -> ResponseParts {
        let promise = self.channel.eventLoop.makePromise(of: ResponseParts.self)
        let handler = self.handler
        self.channel.eventLoop.execute { body(handler.value, promise) }
        return try await self.value(of: promise.futureResult)
    }

    /// A request that is cancelled takes its connection along: nothing else can be said on it.
    private func value<Value: Sendable>(of future: EventLoopFuture<Value>) async throws -> Value {
        try await withTaskCancellationHandler {
            try await future.get()
        } onCancel: {
            self.close()
        }
    }
}

extension HTTP1Connection: Hashable {
    static func == (left: HTTP1Connection, right: HTTP1Connection) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
