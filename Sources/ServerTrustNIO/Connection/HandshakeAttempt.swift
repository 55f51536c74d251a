//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import ServerTrust

/// One attempt to connect to a server and to complete a handshake with it.
struct HandshakeAttempt: Sendable {
    let endpoint: TLSEndpoint
    let configuration: TLSConnection.Configuration
    let context: NIOSSLContext
    let deciding: @Sendable ([[UInt8]]) -> Bool
    let dialer: Dialer
    /// The server name indication to send instead of the endpoint's name. The inner `nil` sends none.
    var serverName: String??

    /// Connects, completes the handshake, and closes the connection. Cancelling the task ends the attempt.
    ///
    /// - Throws: `ConnectionFailure` if there is no connection, ``TLSConnectionError`` if there is no chain, or
    ///   `CancellationError`.
    func run() async throws -> PresentedChain {
        // A refused connection could otherwise end the attempt before the cancellation does.
        try Task.checkCancellation()
        let deadline = NIODeadline.now() + self.configuration.timeAmount
        return try await self.dialer.run(to: self.endpoint, keepsConnection: false) { channel in
            self.shakeHands(on: channel, until: deadline)
        }
    }

    /// Adds the handlers to a connected channel, which starts the handshake.
    ///
    /// It does so after connecting, and not in a channel initializer, so that of several addresses only the one that answered first
    /// receives a ClientHello. It runs on the event loop before the first read, so no byte is missed.
    private func shakeHands(on channel: any Channel, until deadline: NIODeadline) -> EventLoopFuture<PresentedChain> {
        let promise = channel.eventLoop.makePromise(of: PresentedChain.self)
        let handshake = LookingHandshake(
            self, remoteAddress: channel.remoteAddress, until: deadline, outcome: promise)
        do {
            try channel.pipeline.syncOperations.addTLS(
                handshake, self.context, serverName: self.serverName ?? self.endpoint.host.serverNameIndication,
                judgedBy: handshake.receive)
        } catch {
            // The server may have closed the connection before the handshake began.
            promise.fail(error is ChannelError ? handshake.error(for: error) : error)
        }
        return promise.futureResult
    }
}
