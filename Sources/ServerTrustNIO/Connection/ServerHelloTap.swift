//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import TLSWire

/// Reads the server's first bytes in front of the TLS handler, which does not tell what was negotiated when a handshake
/// fails, nor the cipher suite ever.
final class ServerHelloTap: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let attempt: HandshakeAttempt
    private let record: HandshakeRecord
    private var search = ServerHelloSearch()

    init(attempt: HandshakeAttempt, record: HandshakeRecord) {
        self.attempt = attempt
        self.record = record
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = self.unwrapInboundIn(data)
        self.record.receivedBytes += bytes.readableBytes
        // Handshake messages are little more than the chain; twice that much is not a handshake any more.
        guard self.record.receivedBytes <= 2 * max(self.attempt.configuration.maximumChainSize, 1 << 16) else {
            context.fireErrorCaught(TLSConnectionError.limitExceeded(self.attempt))
            return
        }
        if let greeting = self.read(bytes) {
            context.fireErrorCaught(TLSConnectionError.notTLS(self.attempt.endpoint, greeting: greeting))
            return
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = self.unwrapOutboundIn(data)
        // After a ServerHello of TLS 1.3 nothing is said in plain handshake records any more.
        if self.record.serverHello != nil, bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) == 22 {
            self.record.hasAnsweredFlight = true
        }
        context.write(data, promise: promise)
    }

    /// Reads on until the ServerHello or an alert is there; returns the bytes if they are not TLS.
    private func read(_ bytes: ByteBuffer) -> ByteBuffer? {
        switch self.search.read(bytes) {
        case .serverHello(let hello):
            self.record.serverHello = hello
        case .alert(let alert):
            self.record.alert = alert
        case .notTLS:
            return bytes
        case .nothing, nil:
            break
        }
        return nil
    }
}
