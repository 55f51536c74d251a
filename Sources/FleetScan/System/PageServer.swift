//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
package import NIOHTTP1
import NIOPosix
import ServerTrustNIO
import Synchronization

/// An HTTP server that answers GET and HEAD with pages, one request for each connection.
package struct PageServer: Sendable {
    /// A response of the server.
    package struct Page: Sendable {
        package let status: HTTPResponseStatus
        package let type: String
        package let text: String
        package let fields: [(String, String)]

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

    /// A closure that returns the page for a request and the port on which it arrived. It is called on an event loop and
    /// must not block.
    package typealias Pages = @Sendable (HTTPRequestHead, _ port: Int) -> Page

    /// Returns the work that makes a page, for pages that take their time; `nil` for all others.
    package typealias SlowPages = @Sendable (HTTPRequestHead) -> (@Sendable () async -> Page)?

    /// The maximum number of simultaneous connections, so that idle connections cannot use up the descriptors of the scan. A
    /// further connection closes the oldest one, so that idle connections cannot keep other clients out.
    static let mostConnections = DescriptorLimit.metricsConnections
    package static let usualPatience = TimeAmount.seconds(10)

    package let port: Int

    /// Starts a server that runs until the process ends.
    ///
    /// - Parameters:
    ///   - host: The address to listen at.
    ///   - port: The port; 0 for one that the system chooses.
    ///   - patience: The time in which a client has to send its request.
    ///   - slowPages: The pages that take their time. Work is cancelled when its client leaves, and limits its own time.
    ///   - pages: What to answer.
    /// - Throws: ``FleetError`` when the address cannot be served at.
    package static func start(
        host: String, port: Int, patience: TimeAmount = PageServer.usualPatience,
        slowPages: @escaping SlowPages = { _ in nil }, pages: @escaping Pages
    ) async throws -> PageServer {
        let connections = OpenConnections()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    connections.admit(channel)
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try channel.pipeline.syncOperations.addHandler(PageHandler(pages, slowPages, patience: patience))
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

/// The open connections, the oldest first.
private final class OpenConnections: Sendable {
    private let channels = Mutex<[any Channel]>([])

    /// Adds a connection and closes the oldest one if there are too many. A client that sends its request at once is answered long
    /// before its connection is the oldest.
    func admit(_ channel: any Channel) {
        let oldest = self.channels.withLock { channels in
            channels.append(channel)
            return channels.count > PageServer.mostConnections ? channels.removeFirst() : nil
        }
        channel.closeFuture.whenComplete { _ in self.channels.withLock { $0.removeAll { $0 === channel } } }
        oldest?.close(promise: nil)
    }
}

/// A handler that answers one request and closes the connection.
private final class PageHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let pages: PageServer.Pages
    private let slowPages: PageServer.SlowPages
    private let patience: TimeAmount
    private var isAnswered = false
    private var timeout: Scheduled<Void>?
    private var work: Task<Void, Never>?

    init(_ pages: @escaping PageServer.Pages, _ slowPages: @escaping PageServer.SlowPages, patience: TimeAmount) {
        self.pages = pages
        self.slowPages = slowPages
        self.patience = patience
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        self.timeout = context.eventLoop.scheduleTask(in: self.patience) { channel.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.timeout?.cancel()
        self.work?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = self.unwrapInboundIn(data), !self.isAnswered else { return }
        self.isAnswered = true
        let isGet = head.method == .GET || head.method == .HEAD
        if isGet, let work = self.slowPages(head) { return self.begin(work, head, context) }
        let port = context.channel.localAddress?.port ?? 0
        let page =
            isGet
            ? self.pages(head, port)
            : PageServer.Page(.methodNotAllowed, "GET only\n", fields: [("allow", "GET, HEAD")])
        self.answer(page, to: head, context: context)
    }

    private func begin(
        _ work: @escaping @Sendable () async -> PageServer.Page, _ head: HTTPRequestHead,
        _ context: ChannelHandlerContext
    ) {
        // The request has come, and the work limits its own time.
        self.timeout?.cancel()
        let (loop, bound) = (context.eventLoop, NIOLoopBound((self, context), eventLoop: context.eventLoop))
        self.work = Task {
            let page = await work()
            loop.execute {
                let (handler, context) = bound.value
                guard context.channel.isActive else { return }
                handler.answer(page, to: head, context: context)
            }
        }
    }

    private func answer(_ page: PageServer.Page, to head: HTTPRequestHead, context: ChannelHandlerContext) {
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
