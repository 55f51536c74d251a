//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust
import TLSProbe

/// What is said on a connection before TLS: to a proxy, then to the server.
struct Preamble: Sendable {
    private var proxy: ProxyConversation?
    private var server: StartTLSConversation?

    /// - Returns: `nil` where TLS comes first.
    /// - Throws: ``ProbeFailure`` when the proxy cannot be asked for the server.
    init?(
        proxy: ProxyURL?, startTLS: StartTLSProtocol?, host: Host, port: Int, serverName: String
    ) throws(ProbeFailure) {
        guard proxy != nil || startTLS != nil else { return nil }
        self.server = startTLS.map { StartTLSConversation($0, serverName: serverName) }
        guard let proxy else { return }
        do {
            guard let target = ProxyTarget(host.textInURL, address: host.address?.octets, port: port) else {
                throw ProxyRefusal(proxy, .unusableTarget)
            }
            self.proxy = try ProxyConversation(
                proxy, to: target, serverSpeaksFirst: startTLS?.serverSpeaksFirst == true)
        } catch {
            throw .preamble("\(error)")
        }
    }

    /// What is to be done next.
    enum Step {
        case send([UInt8])
        /// Send these, and TLS may begin.
        case ready([UInt8])
    }

    mutating func start() -> Step {
        if self.proxy != nil { return .send(self.proxy?.start() ?? []) }
        return .send(self.server?.start() ?? [])
    }

    mutating func receive(_ bytes: [UInt8]) throws(ProbeFailure) -> Step {
        guard var proxy = self.proxy else { return try self.receiveFromServer(bytes) }
        let step = proxy.receive(bytes)
        self.proxy = proxy
        switch step {
        case .wait: return .send([])
        case .send(let answer): return .send(answer)
        case .refused(let refusal): throw .preamble("\(refusal)")
        case .ready:
            self.proxy = nil
            guard self.server != nil else { return .ready([]) }
            let first = self.server?.start() ?? []
            guard !proxy.remainder.isEmpty else { return .send(first) }
            return try self.receiveFromServer(proxy.remainder)
        }
    }

    private mutating func receiveFromServer(_ bytes: [UInt8]) throws(ProbeFailure) -> Step {
        switch self.server?.receive(bytes) {
        case .wait: return .send([])
        case .send(let answer): return .send(answer)
        case .sendLast(let answer): return .ready(answer)
        case .ready, nil: return .ready([])
        case .refused(let refusal): throw .preamble("\(refusal)", mayPass: refusal.mayPass)
        }
    }
}

/// Says a preamble on a channel, and leaves the channel when it is over.
final class PreambleHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var preamble: Preamble
    private var promise: EventLoopPromise<any Channel>?

    private init(_ preamble: Preamble, _ promise: EventLoopPromise<any Channel>) {
        self.preamble = preamble
        self.promise = promise
    }

    /// Says a preamble on a connected channel. On its event loop.
    ///
    /// - Returns: The channel, when TLS may begin on it; the error is a ``ProbeFailure``.
    static func run(
        _ preamble: Preamble, on channel: any Channel, until deadline: NIODeadline
    ) -> EventLoopFuture<any Channel> {
        let promise = channel.eventLoop.makePromise(of: (any Channel).self)
        let handler = PreambleHandler(preamble, promise)
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
        } catch {
            promise.fail(ProbeFailure.closed)
        }
        let end = channel.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            handler.fail(.timedOut(.silent))
        }
        promise.futureResult.whenComplete { _ in end.cancel() }
        // The caller closes the channel only when it was handed over.
        promise.futureResult.whenFailure { _ in channel.close(promise: nil) }
        return promise.futureResult
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.follow(self.preamble.start(), context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do {
            self.follow(try self.preamble.receive(Array(self.unwrapInboundIn(data).readableBytesView)), context)
        } catch {
            self.fail(error)
        }
    }

    // No hello was sent: what ends here is no answer to one.
    func channelInactive(context: ChannelHandlerContext) {
        self.fail(.preamble("The connection was closed before TLS could begin.", mayPass: true))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let how = error.isReset ? "reset" : "closed"
        self.fail(.preamble("The connection was \(how) before TLS could begin.", mayPass: true))
    }

    private func follow(_ step: Preamble.Step, _ context: ChannelHandlerContext) {
        switch step {
        case .send(let bytes): self.send(bytes, context)
        case .ready(let bytes):
            self.send(bytes, context)
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
            let promise = self.promise
            self.promise = nil
            promise?.succeed(context.channel)
        }
    }

    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        guard !bytes.isEmpty else { return }
        context.writeAndFlush(self.wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }

    private func fail(_ failure: ProbeFailure) {
        let promise = self.promise
        self.promise = nil
        promise?.fail(failure)
    }
}
