//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import NIOCore

/// What one request goes over: a connection of HTTP/1.1, or a stream of one of HTTP/2.
final class RequestLane: Sendable {
    let connection: HTTPConnection
    /// `nil` until the request is sent.
    private let exchange: NIOLoopBoundBox<Exchange?>

    init(on connection: HTTPConnection) {
        self.connection = connection
        self.exchange = .makeEmptyBox(eventLoop: connection.channel.eventLoop)
    }

    var eventLoop: any EventLoop { self.connection.channel.eventLoop }

    /// Sends a request, and waits for the first parts of the response.
    ///
    /// - Parameter begun: Called when the request is on its way: what it asks for on the event loop comes behind it.
    func send(_ request: ExchangeRequest, begun: () -> Void) async throws -> ResponseParts {
        let promise = self.eventLoop.makePromise(of: ResponseParts.self)
        self.eventLoop.execute { self.begin(request, promise) }
        begun()
        return try await self.value(of: promise.futureResult)
    }

    /// Waits for more of the response.
    func next() async throws -> ResponseParts {
        let promise = self.eventLoop.makePromise(of: ResponseParts.self)
        self.eventLoop.execute { self.exchange.value?.wait(promise) ?? promise.fail(HTTPExchangeError.closed) }
        return try await self.value(of: promise.futureResult)
    }

    /// Sends some of the content, or ends the request, and waits until it is gone.
    func write(_ piece: ExchangeRequest.Piece) async throws {
        let promise = self.eventLoop.makePromise(of: Void.self)
        self.eventLoop.execute {
            self.exchange.value?.write(piece, promise) ?? promise.fail(HTTPExchangeError.closed)
        }
        try await self.value(of: promise.futureResult)
    }

    /// Ends the request. A connection of HTTP/1.1 ends with it: nothing else can be said on it.
    func abandon() {
        guard self.connection.isShared else { return self.connection.close() }
        self.eventLoop.execute { self.exchange.value?.transport?.abandon() }
    }

    private func begin(_ request: ExchangeRequest, _ promise: EventLoopPromise<ResponseParts>) {
        switch self.connection.version {
        case .http1(let handler): self.exchange.value = handler.value.exchange
        case .http2(let handler): self.exchange.value = handler.value.openStream()
        }
        if let exchange = self.exchange.value { return exchange.send(request, promise) }
        guard case .http2(let handler) = self.connection.version else { return promise.fail(HTTPExchangeError.closed) }
        promise.fail(handler.value.refusal)
    }

    private func value<Value: Sendable>(of future: EventLoopFuture<Value>) async throws -> Value {
        try await withTaskCancellationHandler {
            try await future.get()
        } onCancel: {
            self.abandon()
        }
    }
}
