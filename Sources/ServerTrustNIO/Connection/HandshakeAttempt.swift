//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import ServerTrust

/// One attempt to connect to a server and to shake hands with it.
struct HandshakeAttempt: Sendable {
    let endpoint: TLSEndpoint
    let configuration: TLSConnection.Configuration
    let context: NIOSSLContext
    let deciding: @Sendable ([[UInt8]]) -> Bool
    /// The way to the server.
    let dialer: Dialer
    /// What is sent as server name indication in place of the endpoint's name: nothing, or another name.
    var serverName: String??

    /// Connects and shakes hands, and closes the connection. Cancelling the task ends the attempt.
    ///
    /// - Throws: ``ConnectionFailure`` without a connection, ``TLSConnectionError`` without a chain, `CancellationError`.
    func run() async throws -> PresentedChain {
        // A refusal could otherwise be faster than the news of the cancellation.
        try Task.checkCancellation()
        let deadline = NIODeadline.now() + self.configuration.timeAmount
        return try await self.dialer.run(to: self.endpoint) { channel in
            self.shakeHands(on: channel, until: deadline).always { _ in channel.close(promise: nil) }
        }
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
        let (deciding, configuration) = (self.deciding, self.configuration)
        return try ClientTLS(
            self.context, serverName: self.serverName ?? self.endpoint.host.serverNameIndication
        ) { certificates, verdict in
            let isAccepted = record.receive(certificates, limits: configuration, deciding: deciding)
            verdict.succeed(isAccepted ? .certificateVerified : .failed)
        }.handler
    }
}
