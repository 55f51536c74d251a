//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Answers `GET /metrics` and `GET /healthz`, each on a connection of its own, and nothing else.
package struct MetricsServer: Sendable {
    /// The most connections at a time: connections that say nothing must not use up what asking hosts needs. One more closes the
    /// oldest, so that they do not keep Prometheus out either.
    static let mostConnections = DescriptorLimit.metricsConnections

    /// Where metrics are.
    package let url: String

    /// Begins to serve.
    ///
    /// - Throws: ``FleetError`` when the address cannot be served at.
    package static func start(_ board: MetricsBoard, host: String, port: Int) async throws -> MetricsServer {
        let connections = OpenConnections()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    connections.admit(channel)
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try channel.pipeline.syncOperations.addHandler(MetricsHandler(board))
                }
            }
        do {
            let channel = try await bootstrap.bind(host: host, port: port).get()
            let served = channel.localAddress?.port ?? port
            return MetricsServer(url: "http://\(host.contains(":") ? "[\(host)]" : host):\(served)/metrics")
        } catch {
            throw FleetError("metrics cannot be served at \(host), port \(port): \(error)")
        }
    }
}

/// The connections that are open, the oldest first.
private final class OpenConnections: Sendable {
    private let channels = Mutex<[any Channel]>([])

    /// Takes a connection, and closes the oldest where there are too many: a client that asks at once is answered long before
    /// it is the oldest.
    func admit(_ channel: any Channel) {
        let oldest = self.channels.withLock { channels in
            channels.append(channel)
            return channels.count > MetricsServer.mostConnections ? channels.removeFirst() : nil
        }
        channel.closeFuture.whenComplete { _ in self.channels.withLock { $0.removeAll { $0 === channel } } }
        oldest?.close(promise: nil)
    }
}

/// Answers one request, and closes the connection.
private final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// A client that does not send its request in this time is not asking for metrics.
    private static let patience = TimeAmount.seconds(10)

    private let board: MetricsBoard
    private var isAnswered = false
    private var timeout: Scheduled<Void>?

    init(_ board: MetricsBoard) {
        self.board = board
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        self.timeout = context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.timeout?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = self.unwrapInboundIn(data), !self.isAnswered else { return }
        self.isAnswered = true
        let (status, type, text) = self.answer(head)
        let body = context.channel.allocator.buffer(string: text)
        var headers = HTTPHeaders([("content-type", type), ("content-length", "\(body.readableBytes)")])
        headers.add(name: "connection", value: "close")
        if status == .methodNotAllowed { headers.add(name: "allow", value: "GET, HEAD") }
        let response = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(self.wrapOutboundOut(.head(response)), promise: nil)
        if head.method != .HEAD { context.write(self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        let channel = context.channel
        context.writeAndFlush(self.wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ head: HTTPRequestHead) -> (HTTPResponseStatus, String, String) {
        let plain = "text/plain; charset=utf-8"
        guard head.method == .GET || head.method == .HEAD else { return (.methodNotAllowed, plain, "GET only\n") }
        switch head.uri.prefix(while: { $0 != "?" }) {
        case "/metrics": return (.ok, PrometheusText.contentType, self.board.text)
        case "/healthz" where self.board.isHealthy: return (.ok, plain, "ok\n")
        case "/healthz": return (.serviceUnavailable, plain, "no round has come to an end in time\n")
        default: return (.notFound, plain, "/metrics and /healthz are all there is\n")
        }
    }
}
