//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrustNIO
import TLSProbe
import TLSWire

/// Bytes to send on a connection, and a reader of the answer.
protocol Receiver: Sendable {
    associatedtype Answer: Sendable

    /// The bytes to send first.
    var bytes: [UInt8] { get }
    /// Takes the next bytes. Returns the answer once it is complete.
    mutating func receive(_ bytes: ByteBufferView) -> Answer?
    /// Returns the bytes to send next. It is called once after each incomplete answer.
    mutating func takeOutgoing() -> [UInt8]
    /// Returns the answer for a connection that ended.
    func answer(_ failure: ConnectionFailure) -> Answer
}

extension Receiver {
    mutating func takeOutgoing() -> [UInt8] { [] }
}

/// A receiver of a server's first flight.
struct FlightReceiver: Receiver {
    let bytes: [UInt8]
    private var reader = ServerFlightReader()

    init(_ hello: [UInt8]) {
        self.bytes = hello
    }

    mutating func receive(_ bytes: ByteBufferView) -> ProbeReply? {
        do {
            switch try self.reader.read(bytes) {
            case .unfinished: return nil
            case .finished: return self.reply(nil)
            case .notTLS(let beginning): return self.reply(.notTLS(beginning: beginning))
            }
        } catch {
            return self.reply(.malformed(error))
        }
    }

    func answer(_ failure: ConnectionFailure) -> ProbeReply { self.reply(failure) }

    private func reply(_ failure: ConnectionFailure?) -> ProbeReply {
        var failure = failure
        if failure == .timedOut(.silent), self.reader.receivedBytes > 0 { failure = .timedOut(.underWay) }
        return ProbeReply(self.reader.flight, failure: failure, receivedBytes: self.reader.receivedBytes)
    }
}

/// A receiver of a whole handshake.
struct HandshakeReceiver: Receiver {
    let bytes: [UInt8]
    private var reader: HandshakeReader
    private var outgoing: [UInt8] = []

    init(_ hello: [UInt8], _ reader: HandshakeReader) {
        self.bytes = hello
        self.reader = reader
    }

    mutating func receive(_ bytes: ByteBufferView) -> HandshakeResult? {
        // The result contains the failure.
        guard let progress = try? self.reader.read(bytes) else { return self.reader.result }
        switch progress {
        case .unfinished: return nil
        case .answer(let bytes):
            self.outgoing += bytes
            return nil
        case .finished: return self.reader.result
        }
    }

    mutating func takeOutgoing() -> [UInt8] {
        defer { self.outgoing = [] }
        return self.outgoing
    }

    func answer(_ failure: ConnectionFailure) -> HandshakeResult {
        var result = self.reader.result
        result.failure = failure == .timedOut(.silent) && self.reader.receivedBytes > 0 ? .timedOut(.underWay) : failure
        return result
    }
}

/// A receiver of the first bytes of a server.
struct FirstBytesReceiver: Receiver {
    let bytes: [UInt8]
    private var received: [UInt8] = []
    private static let enough = 13

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func receive(_ bytes: ByteBufferView) -> Result<[UInt8], ConnectionFailure>? {
        self.received.append(contentsOf: bytes.prefix(64))
        return self.received.count >= Self.enough ? .success(self.received) : nil
    }

    func answer(_ failure: ConnectionFailure) -> Result<[UInt8], ConnectionFailure> {
        self.received.isEmpty ? .failure(failure) : .success(self.received)
    }
}

/// The handler that runs a receiver on a channel and completes its promise once. It is used on the channel's event loop only.
final class ReceiverHandler<R: Receiver>: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var receiver: R
    private var promise: EventLoopPromise<R.Answer>?
    /// The connection, once there is one. Without one, a timeout is not the server's silence.
    private var channel: (any Channel)?
    private var hasBegun = false
    /// `true` if the time has run out during the exchange before TLS, which then reports its own step.
    private var isLate = false

    init(_ receiver: R, _ promise: EventLoopPromise<R.Answer>) {
        self.receiver = receiver
        self.promise = promise
    }

    func begin(on channel: any Channel) {
        guard self.promise != nil else { return }
        guard !self.isLate else { return self.fail(.timedOut(.silent)) }
        self.hasBegun = true
        do {
            try channel.pipeline.syncOperations.addHandler(self)
            channel.writeAndFlush(channel.allocator.buffer(bytes: self.receiver.bytes), promise: nil)
        } catch {
            // The server closed the connection before anything could be sent.
            self.fail(.closed)
        }
    }

    /// Records a connection. If it is established too late, it is closed again.
    func connected(_ channel: any Channel) {
        self.channel = channel
        if self.promise == nil { channel.reset() }
    }

    /// Closes the connection, whatever its progress. The caller already has an answer or has given up.
    func disconnect() {
        self.promise = nil
        self.channel?.reset()
    }

    func timeOut() {
        guard self.channel == nil || self.hasBegun else {
            self.isLate = true
            return
        }
        self.fail(.timedOut(self.channel == nil ? .connecting : .silent))
    }

    func fail(_ failure: ConnectionFailure) { self.finish(self.receiver.answer(failure)) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.promise != nil else { return }
        let bytes = self.unwrapInboundIn(data).readableBytesView
        if let answer = self.receiver.receive(bytes) { return self.finish(answer) }
        let outgoing = self.receiver.takeOutgoing()
        guard !outgoing.isEmpty else { return }
        context.writeAndFlush(self.wrapOutboundOut(context.channel.allocator.buffer(bytes: outgoing)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.fail(error.isReset ? .reset : .closed)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.fail(.closed)
        context.fireChannelInactive()
    }

    private func finish(_ answer: R.Answer) {
        let promise = self.promise
        self.promise = nil
        promise?.succeed(answer)
    }
}
