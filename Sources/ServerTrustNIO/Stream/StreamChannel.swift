//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
import TLSWire

/// A channel with the program's end of a stream, for use by tasks. The connection is closed with the last reference.
package final class StreamChannel: Sendable {
    package let channel: any Channel
    private let handler: NIOLoopBound<StreamHandler>

    private init(_ channel: any Channel, _ handler: NIOLoopBound<StreamHandler>) {
        self.channel = channel
        self.handler = handler
    }

    deinit { self.channel.close(promise: nil) }

    /// Wraps an accepted connection. Call it on the event loop, before anything is read.
    ///
    /// - Parameters:
    ///   - channel: The connection.
    ///   - readsAhead: `true` to read data over TLS before the program asks, as much as one turn of the event loop reads.
    /// - Throws: `ChannelError` if the connection is closed.
    package convenience init(accepted channel: any Channel, readsAhead: Bool = false) throws {
        let handler = StreamHandler(readsAhead: readsAhead)
        try channel.pipeline.syncOperations.addHandler(handler)
        self.init(channel, NIOLoopBound(handler, eventLoop: channel.eventLoop))
    }

    package var eventLoop: any EventLoop { self.channel.eventLoop }

    /// Connects without reading.
    ///
    /// - Throws: ``TLSConnectionError`` if the connection fails.
    static func connect(
        to endpoint: TLSEndpoint, group: any EventLoopGroup, timeout: Duration
    ) async throws -> StreamChannel {
        var dialer = Dialer(on: group.any(), connectTimeout: TimeAmount(bounding: timeout))
        dialer.allowsHalfClosure = true
        // The handler is added before the first read, so that nothing is read before the program asks.
        dialer.prepare = { channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(StreamHandler()) }
        }
        do {
            return try await dialer.run(to: endpoint) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try channel.pipeline.syncOperations.handler(type: StreamHandler.self)
                    return StreamChannel(channel, NIOLoopBound(handler, eventLoop: channel.eventLoop))
                }
            }
        } catch let failure as ConnectionFailure {
            throw TLSConnectionError(endpoint, failure)
        }
    }

    package func next(_ wanted: StreamHandler.Wanted, in phase: StreamHandler.Phase) async throws -> ByteBuffer? {
        let promise = self.eventLoop.makePromise(of: ByteBuffer?.self)
        self.onLoop { $0.next(wanted, in: phase, promise) }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            // In a later turn, not from within the code that cancels the task.
            let handler = self.handler
            self.eventLoop.execute { handler.value.cancel(promise) }
        }
    }

    /// Returns the next octets in a future, for reads of any duration that should not occupy a task.
    package func upcoming(
        _ wanted: StreamHandler.Wanted, in phase: StreamHandler.Phase
    ) -> EventLoopFuture<ByteBuffer?> {
        let promise = self.eventLoop.makePromise(of: ByteBuffer?.self)
        self.onLoop { $0.next(wanted, in: phase, promise) }
        return promise.futureResult
    }

    package func write(_ octets: ByteBuffer, in phase: StreamHandler.Phase) async throws {
        try await self.send { handler, promise in handler.write(octets, in: phase, promise) }
    }

    /// Writes without waiting, in the order of the other writes. Use it for small data.
    package func send(_ octets: ByteBuffer, in phase: StreamHandler.Phase) {
        let sent = self.eventLoop.makePromise(of: Void.self)
        self.onLoop { $0.write(octets, in: phase, sent) }
    }

    package func finishWriting(in phase: StreamHandler.Phase) async throws {
        try await self.send { handler, promise in handler.finishWriting(in: phase, promise) }
    }

    package func close() async {
        self.channel.close(promise: nil)
        try? await self.channel.closeFuture.get()
    }

    /// Runs a closure on the event loop, in the order of the calls. If the caller is on the event loop, it runs at once.
    package func onLoop(_ body: @escaping @Sendable (StreamHandler) -> Void) {
        let handler = self.handler
        self.eventLoop.perform { body(handler.value) }
    }

    /// Waits until the data is sent. If the task is cancelled, the connection is closed, because a part of the data may already be
    /// sent.
    private func send(_ body: @escaping @Sendable (StreamHandler, EventLoopPromise<Void>) -> Void) async throws {
        let sent = self.eventLoop.makePromise(of: Void.self)
        self.onLoop { body($0, sent) }
        if let outcome = sent.futureResult.outcomeAtHand { return try outcome.get() }
        let heard = self.eventLoop.makePromise(of: Void.self)
        sent.futureResult.cascade(to: heard)
        try await withTaskCancellationHandler {
            try await heard.futureResult.get()
        } onCancel: {
            self.channel.close(promise: nil)
            heard.fail(CancellationError())
        }
    }
}
