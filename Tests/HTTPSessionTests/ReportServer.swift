//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Testing

@testable import ServerTrustTesting

/// A report server on 127.0.0.1 that keeps what it is sent, in clear or over TLS, and answers each connection with the next
/// of its answers.
struct ReportServer {
    static let ok = "HTTP/1.1 204 No Content\r\n\r\n"

    let port: Int
    private let record: Record

    /// How many connections there were.
    var connections: Int { self.record.state.withLock { $0.connections } }

    /// What was received, one text for each request that came whole, and for what came of others.
    var requests: [String] { self.record.state.withLock { $0.requests } }

    static func with<R>(
        _ answers: [String] = [ok], tls configuration: TestTLSServer.Configuration? = nil,
        _ body: (ReportServer) async throws -> R
    ) async throws -> R {
        let context = try configuration.map { try NIOSSLContext(configuration: $0.makeTLSConfiguration()) }
        let record = Record()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let number = record.state.withLock { state in
                    state.connections += 1
                    return state.connections
                }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                    let answer = answers.isEmpty ? "" : answers[min(number, answers.count) - 1]
                    try pipeline.addHandler(ReportHandler(answer: answer, record: record))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        let port = try #require(listener.localAddress?.port)
        do {
            let result = try await body(ReportServer(port: port, record: record))
            try await listener.close()
            return result
        } catch {
            try await listener.close()
            throw error
        }
    }

    fileprivate final class Record: Sendable {
        struct State {
            var connections = 0
            var requests: [String] = []
        }

        let state = Mutex(State())
    }
}

/// Reads one request, and answers when it is there. An empty answer closes the connection.
private final class ReportHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: String
    private let record: ReportServer.Record
    private var text = ""
    private var isComplete = false

    init(answer: String, record: ReportServer.Record) {
        self.answer = answer
        self.record = record
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.text += String(buffer: self.unwrapInboundIn(data))
        guard !self.isComplete, let end = self.text.firstRange(of: "\r\n\r\n"), let length = self.contentLength,
            self.text.utf8[end.upperBound...].count >= length
        else { return }
        self.isComplete = true
        self.keep()
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: self.answer)), promise: nil)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !self.isComplete, !self.text.isEmpty { self.keep() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func keep() {
        let text = self.text
        self.record.state.withLock { $0.requests.append(text) }
    }

    private var contentLength: Int? {
        self.text.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst(16)) }
    }
}
