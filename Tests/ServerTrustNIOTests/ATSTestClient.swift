//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOPosix
import NIOTLS
import ServerTrust
import ServerTrustNIO
import Synchronization

/// A program that says `ping` as soon as it is connected, without waiting for a handshake, and closes after an answer.
struct ATSTestClient {
    /// What a program hears, in its order.
    enum Event: Equatable, Sendable {
        case handshake
        case read(String)
        case wrote
        case notWritten
        case error
        case inactive
    }

    /// What became of a connection.
    struct Outcome: Sendable {
        var events: [Event] = []
        var errors: [any Error] = []
        var verdict: Result<GatedConnection, any Error>?

        /// The error the program was told, if it was told one and the same everywhere.
        var error: ServerTrustGateError? { self.errors.count == 1 ? self.errors.first as? ServerTrustGateError : nil }
        var code: String? { self.error?.verdict.primary?.code }
        var stream: Int? { self.error.flatMap { $0.verdict.streamError.map { Int($0.rawValue) } } }
        /// Whether the program got its answer.
        var isAllowed: Bool {
            self.errors.isEmpty
                && self.events.contains { if case .read(let text) = $0 { text.hasSuffix("pong") } else { false } }
        }
    }

    static let host = "server.test"

    /// Connects to 127.0.0.1 under another name, and waits until the connection is closed.
    static func run(
        _ enforcement: ServerTrustGate, port: Int, host: String = Self.host
    ) async throws -> Outcome {
        let destination = ATSDestination(host: host, port: port)
        return try await Self.run(port: port) { channel, verdict in
            try channel.pipeline.syncOperations.addServerTrustHandlers(enforcement, for: destination, outcome: verdict)
        }
    }

    static func run(
        port: Int, _ add: @escaping @Sendable (any Channel, EventLoopPromise<GatedConnection>) throws -> Void
    ) async throws -> Outcome {
        let diary = Diary()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                let verdict = channel.eventLoop.makePromise(of: GatedConnection.self)
                verdict.futureResult.whenComplete { result in diary.outcome.withLock { $0.verdict = result } }
                return channel.eventLoop.makeCompletedFuture {
                    try add(channel, verdict)
                    try channel.pipeline.syncOperations.addHandler(Program(diary))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await channel.closeFuture.get()
        return diary.outcome.withLock { $0 }
    }
}

private final class Diary: Sendable {
    let outcome = Mutex(ATSTestClient.Outcome())

    func note(_ event: ATSTestClient.Event) {
        self.outcome.withLock { $0.events.append(event) }
    }
}

private final class Program: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let diary: Diary

    init(_ diary: Diary) {
        self.diary = diary
    }

    func channelActive(context: ChannelHandlerContext) {
        let promise = context.eventLoop.makePromise(of: Void.self)
        let diary = self.diary
        promise.futureResult.whenSuccess { diary.note(.wrote) }
        promise.futureResult.whenFailure { _ in diary.note(.notWritten) }
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: "ping")), promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { self.diary.note(.handshake) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let text = String(buffer: self.unwrapInboundIn(data))
        self.diary.note(.read(text))
        if text.hasSuffix("pong") { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.diary.note(.error)
        self.diary.outcome.withLock { $0.errors.append(error) }
        // Closing is not left to the program.
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.diary.note(.inactive)
    }
}
