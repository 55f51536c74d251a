//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import Synchronization
import Testing

/// A relay on 127.0.0.1 between a client and a server that notes which TLS records pass, for tests of what a peer is sent
/// before it is trusted.
package struct RecordRelay {
    /// One TLS record as it passed.
    package struct Record: Sendable, Hashable {
        /// 20 to 24 (RFC 8446 §5.1).
        package let type: UInt8
        /// The octets of its content, encrypted or not.
        package let length: Int
        /// Whether it begins with a ClientHello.
        package let isClientHello: Bool
    }

    /// What passed in one direction.
    package struct Flow: Sendable, Hashable {
        package fileprivate(set) var records: [Record] = []
        fileprivate var pending: [UInt8] = []

        /// Whether it holds nothing but ClientHellos, a change of cipher, and alerts: no certificate, no key, no data.
        ///
        /// A gate looks at what a server delivers with a ClientHello on a connection of its own.
        /// An alert that is encrypted looks like application data of 19 octets (RFC 8446 §5.2).
        package var hasOnlyHelloAndAlerts: Bool {
            guard self.records.first?.isClientHello == true else { return false }
            return self.records.dropFirst().allSatisfy { record in
                record.isClientHello || [20, 21].contains(record.type) || (record.type == 23 && record.length <= 19)
            }
        }

        /// Whether it holds nothing but handshake records and alerts of TLS 1.2.
        package var hasApplicationData: Bool { self.records.contains { $0.type == 23 } }

        fileprivate mutating func read(_ octets: [UInt8]) {
            self.pending += octets
            while self.pending.count >= 5 {
                let length = Int(self.pending[3]) << 8 | Int(self.pending[4])
                guard self.pending.count >= 5 + length else { return }
                let isClientHello = self.pending[0] == 22 && length > 0 && self.pending[5] == 1
                self.records.append(Record(type: self.pending[0], length: length, isClientHello: isClientHello))
                self.pending.removeFirst(5 + length)
            }
        }
    }

    private let log: Log

    /// Ends every connection on both sides.
    package func disconnect() {
        for channel in self.log.channels.withLock({ $0 }) { channel.close(promise: nil) }
    }

    /// Waits until every connection has ended on both sides.
    package func waitForEnd() async throws {
        for channel in self.log.channels.withLock({ $0 }) { try await channel.closeFuture.get() }
    }

    /// The number of connections so far.
    package var connections: Int { self.log.channels.withLock { $0.count / 2 } }
    /// What clients sent, all connections together.
    package var fromClients: Flow { self.log.flows.withLock { $0.fromClients } }
    /// What the server sent.
    package var fromServer: Flow { self.log.flows.withLock { $0.fromServer } }

    /// The port to connect to.
    package let port: Int

    /// Relays to a port of 127.0.0.1 for as long as the body runs.
    package static func with<R>(_ target: Int, _ body: (RecordRelay) async throws -> R) async throws -> R {
        let log = Log()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop).channelOption(.autoRead, value: false)
                    .connect(host: "127.0.0.1", port: target)
                    .flatMapThrowing { server in
                        log.channels.withLock { $0 += [client, server] }
                        try client.pipeline.syncOperations.addHandler(
                            RelayEnd(to: server) { octets in
                                log.flows.withLock { $0.fromClients.read(octets) }
                            })
                        try server.pipeline.syncOperations.addHandler(
                            RelayEnd(to: client) { octets in
                                log.flows.withLock { $0.fromServer.read(octets) }
                            })
                        server.read()
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let outcome: Result<R, any Error>
        do {
            outcome = .success(
                try await body(RecordRelay(log: log, port: try #require(listener.localAddress?.port))))
        } catch {
            outcome = .failure(error)
        }
        try await listener.close()
        return try outcome.get()
    }

    private final class Log: Sendable {
        let flows = Mutex((fromClients: Flow(), fromServer: Flow()))
        let channels = Mutex<[any Channel]>([])
    }
}

/// Hands on what one side sends, one read at a time.
private final class RelayEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let note: ([UInt8]) -> Void

    init(to other: any Channel, _ note: @escaping ([UInt8]) -> Void) {
        self.other = other
        self.note = note
    }

    func channelActive(context: ChannelHandlerContext) { context.read() }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = self.unwrapInboundIn(data)
        self.note(Array(buffer.readableBytesView))
        let channel = context.channel
        self.other.writeAndFlush(buffer).whenComplete { _ in channel.read() }
    }

    func channelInactive(context: ChannelHandlerContext) { self.other.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
