//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import NIOCore
import ServerTrustNIO

/// The transport of one request: an HTTP/1.1 connection or an HTTP/2 stream.
final class RequestStream: Sendable {
    let connection: HTTPConnection
    /// `nil` until the request is sent.
    private let exchange: NIOLoopBoundBox<Exchange?>
    private let inbox = ResponseBuffer()

    init(on connection: HTTPConnection) {
        self.connection = connection
        self.exchange = .makeEmptyBox(eventLoop: connection.channel.eventLoop)
    }

    var eventLoop: any EventLoop { self.connection.channel.eventLoop }

    /// Sends a request and waits for the first parts of the response.
    ///
    /// - Parameter begun: A closure that is called after the request was queued on the event loop. Work that it queues runs later.
    func send(_ request: ExchangeRequest, begun: () -> Void) async throws -> ResponseParts {
        self.eventLoop.perform { self.begin(request) }
        begun()
        return try await self.next()
    }

    func next() async throws -> ResponseParts {
        try await withTaskCancellationHandler {
            try await self.inbox.next {
                self.eventLoop.perform { self.goOn() }
            }
        } onCancel: {
            self.abandon()
        }
    }

    /// Sends a piece of content or the end of the request, and waits until it is written.
    func write(_ piece: ExchangeRequest.Piece) async throws {
        let promise = self.eventLoop.makePromise(of: Void.self)
        self.eventLoop.perform {
            self.exchange.value?.write(piece, promise) ?? promise.fail(HTTPExchangeError.closed)
        }
        try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            self.abandon()
        }
    }

    /// Cancels the request. For HTTP/1.1 this closes the connection, which cannot be used for anything else.
    func abandon() {
        guard self.connection.isShared else { return self.connection.close() }
        self.eventLoop.execute { self.exchange.value?.transport?.abandon() }
    }

    // MARK: The event loop

    private func begin(_ request: ExchangeRequest) {
        switch self.connection.version {
        case .http1(let handler): self.exchange.value = handler.value.exchange
        case .http2(let handler):
            guard let exchange = handler.value.openStream() else { return self.fill(.failure(handler.value.refusal)) }
            self.exchange.value = exchange
        }
        self.exchange.value?.waitsSince = { [inbox = self.inbox] in inbox.waitsSince }
        self.exchange.value?.send(request) { self.fill($0) }
    }

    /// Stores parts of the response in the buffer and requests more while it has room.
    private func fill(_ result: Result<ResponseParts, any Error>) { if self.inbox.put(result) { self.goOn() } }

    private func goOn() {
        guard let exchange = self.exchange.value else { return self.fill(.failure(HTTPExchangeError.closed)) }
        exchange.wait { self.fill($0) }
    }
}
