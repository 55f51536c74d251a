//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import NIOCore
import ServerTrust
import TLSWire

/// Has a SOCKS proxy connect to a server, and leaves the pipeline then.
final class SOCKSHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var conversation: ProxyConversation
    private let promise: EventLoopPromise<Void>

    private init(_ conversation: ProxyConversation, _ promise: EventLoopPromise<Void>) {
        (self.conversation, self.promise) = (conversation, promise)
    }

    /// Has a proxy connect to the server of a key.
    ///
    /// - Parameter channel: A connection to the proxy that nothing was sent on, on its event loop.
    static func negotiate(
        with proxy: ProxyHop, to key: ConnectionKey, on channel: any Channel
    ) -> EventLoopFuture<Void> {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        do {
            let host = key.route?.host ?? key.origin.host
            let port = key.route?.port ?? key.origin.port
            guard let target = ProxyTarget(host.textInURL, address: host.address?.octets, port: port) else {
                throw ProxyTargetError()
            }
            let handler = SOCKSHandler(try ProxyConversation(proxy.withCredential, to: target), promise)
            try channel.pipeline.syncOperations.addHandler(handler)
            let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
            return promise.futureResult.flatMap {
                channel.pipeline.syncOperations.removeHandler(bound.value)
            }
        } catch {
            promise.fail(error)
            return promise.futureResult
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let opening = self.conversation.start()
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: opening)), promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.promise.fail(ChannelError.eof) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let octets = Array(self.unwrapInboundIn(data).readableBytesView)
        switch self.conversation.receive(octets) {
        case .wait: break
        case .send(let octets): context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: octets)), promise: nil)
        case .ready: self.promise.succeed()
        case .refused(let refusal): self.promise.fail(refusal)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.promise.fail(ChannelError.eof)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { self.promise.fail(error) }
}

/// A host that a proxy cannot be told.
private struct ProxyTargetError: Error, CustomStringConvertible {
    let description = "The host cannot be told to the proxy."
}
