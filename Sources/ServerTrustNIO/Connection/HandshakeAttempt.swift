//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL
import ServerTrust

/// One attempt to connect to a server and to shake hands with it.
struct HandshakeAttempt: Sendable {
    let endpoint: TLSEndpoint
    let configuration: TLSConnection.Configuration
    let context: NIOSSLContext
    let deciding: @Sendable ([[UInt8]]) -> Bool
    /// Opens the connection in place of this attempt, where something has to be said before TLS.
    var opening: (@Sendable (any EventLoop) -> EventLoopFuture<any Channel>)?
    /// What is sent as server name indication in place of the endpoint's name: nothing, or another name.
    var serverName: String??

    /// Starts connecting.
    ///
    /// - Parameter eventLoop: The event loop everything happens on.
    /// - Returns: The promise of the outcome. A caller who fails it early ends the attempt.
    func start(on eventLoop: any EventLoop) -> EventLoopPromise<PresentedChain> {
        let deadline = NIODeadline.now() + self.configuration.timeAmount
        let outcome = eventLoop.makePromise(of: PresentedChain.self)
        let connected = self.connect(on: eventLoop)
        connected.flatMap { channel in
            self.shakeHands(on: channel, until: deadline)
        }.cascade(to: outcome)
        outcome.futureResult.whenComplete { _ in
            // Also a connection that comes up later, after a cancellation, is closed.
            connected.whenSuccess { $0.close(promise: nil) }
        }
        return outcome
    }

    /// Resolves and connects, over IPv4 or IPv6, whichever answers first (RFC 8305).
    private func connect(on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        if let opening { return opening(eventLoop) }
        let endpoint = self.endpoint
        let timeout = self.configuration.timeout
        return ClientBootstrap(group: eventLoop)
            .connectTimeout(self.configuration.timeAmount)
            .resolver(BootstrapResolver(on: eventLoop))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: endpoint.connectName, port: endpoint.port)
            .flatMapErrorThrowing { throw TLSConnectionError(connecting: endpoint, timeout: timeout, error: $0) }
    }

    /// Adds the handlers to a connected channel, which starts the handshake.
    ///
    /// This happens only now, and not in a channel initializer, so that of several addresses only the one that won
    /// receives a ClientHello. It runs on the event loop before the first read, so no byte is missed.
    private func shakeHands(on channel: any Channel, until deadline: NIODeadline) -> EventLoopFuture<PresentedChain> {
        let promise = channel.eventLoop.makePromise(of: PresentedChain.self)
        let record = HandshakeRecord(remoteAddress: channel.remoteAddress)
        let observer = HandshakeObserver(attempt: self, record: record, deadline: deadline, promise: promise)
        do {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(observer)
            let tap = ServerHelloTap(attempt: self, record: record)
            try pipeline.addHandlers([tap, self.makeTLSHandler(record: record)], position: .before(observer))
        } catch let error as ChannelError {
            // The server may have closed the connection before anything could be said.
            promise.fail(TLSConnectionError(shakingHands: self, record: record, error: error))
        } catch {
            promise.fail(error)
        }
        return promise.futureResult
    }

    /// The TLS handler, whose verification is the caller's decision and nothing else.
    private func makeTLSHandler(record: HandshakeRecord) throws -> NIOSSLClientHandler {
        let deciding = self.deciding
        let configuration = self.configuration
        return try NIOSSLClientHandler(
            context: self.context,
            serverHostname: self.serverName ?? self.endpoint.host.serverNameIndication,
            customVerificationCallback: { certificates, verdict in
                let isAccepted = record.receive(certificates, limits: configuration, deciding: deciding)
                verdict.succeed(isAccepted ? .certificateVerified : .failed)
            }
        )
    }
}
