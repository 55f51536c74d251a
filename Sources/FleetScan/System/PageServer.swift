//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
package import NIOHTTP1
import NIOPosix
import ServerTrustNIO
import Synchronization

/// Answers GET and HEAD with pages, each on a connection of its own.
package struct PageServer: Sendable {
    /// What is answered.
    package struct Page: Sendable {
        /// The status.
        package let status: HTTPResponseStatus
        /// The media type.
        package let type: String
        /// The content.
        package let text: String
        /// Other fields.
        package let fields: [(String, String)]

        /// A page.
        package init(
            _ status: HTTPResponseStatus, _ text: String, type: String = "text/plain; charset=utf-8",
            fields: [(String, String)] = []
        ) {
            self.status = status
            self.text = text
            self.type = type
            self.fields = fields
        }
    }

    /// Says what to answer, by the request and the port that it came to. Called on an event loop, and must not block.
    package typealias Pages = @Sendable (HTTPRequestHead, _ port: Int) -> Page

    /// The most connections at a time: connections that say nothing must not use up what others need. One more closes the oldest,
    /// so that they do not keep anyone out either.
    static let mostConnections = DescriptorLimit.metricsConnections
    /// A client that does not send its request in this time is not asking for a page.
    package static let usualPatience = TimeAmount.seconds(10)

    /// The port at which pages are served.
    package let port: Int

    /// Begins to serve, for as long as the process runs.
    ///
    /// - Parameters:
    ///   - host: The address to listen at.
    ///   - port: The port; 0 for one that the system chooses.
    ///   - patience: The time in which a client has to send its request.
    ///   - pages: What to answer.
    /// - Throws: ``FleetError`` when the address cannot be served at.
    package static func start(
        host: String, port: Int, patience: TimeAmount = PageServer.usualPatience, pages: @escaping Pages
    ) async throws -> PageServer {
        let connections = OpenConnections()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    connections.admit(channel)
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try channel.pipeline.syncOperations.addHandler(PageHandler(pages, patience))
                }
            }
        do {
            let channel = try await bootstrap.bind(host: host, port: port).get()
            return PageServer(port: channel.localAddress?.port ?? port)
        } catch {
            throw FleetError(
                "cannot serve at \(host), port \(port): \((error as? IOError)?.systemText ?? "\(error)")")
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
            return channels.count > PageServer.mostConnections ? channels.removeFirst() : nil
        }
        channel.closeFuture.whenComplete { _ in self.channels.withLock { $0.removeAll { $0 === channel } } }
        oldest?.close(promise: nil)
    }
}

/// Answers one request, and closes the connection.
private final class PageHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let pages: PageServer.Pages
    private let patience: TimeAmount
    private var isAnswered = false
    private var timeout: Scheduled<Void>?

    init(_ pages: @escaping PageServer.Pages, _ patience: TimeAmount) {
        self.pages = pages
        self.patience = patience
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        self.timeout = context.eventLoop.scheduleTask(in: self.patience) { channel.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.timeout?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = self.unwrapInboundIn(data), !self.isAnswered else { return }
        self.isAnswered = true
        let isGet = head.method == .GET || head.method == .HEAD
        let port = context.channel.localAddress?.port ?? 0
        let page =
            isGet
            ? self.pages(head, port)
            : PageServer.Page(.methodNotAllowed, "GET only\n", fields: [("allow", "GET, HEAD")])
        let body = context.channel.allocator.buffer(string: page.text)
        var headers = HTTPHeaders([("content-type", page.type), ("content-length", "\(body.readableBytes)")])
        headers.add(contentsOf: page.fields)
        headers.add(name: "connection", value: "close")
        let response = HTTPResponseHead(version: .http1_1, status: page.status, headers: headers)
        context.write(self.wrapOutboundOut(.head(response)), promise: nil)
        if head.method != .HEAD { context.write(self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        let channel = context.channel
        context.writeAndFlush(self.wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
