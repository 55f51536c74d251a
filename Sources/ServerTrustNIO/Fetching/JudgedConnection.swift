//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import ServerTrust

/// A TCP connection to a host, at one of its addresses that may be connected to.
struct JudgedConnection: Sendable {
    /// A DNS name or an IP address without brackets.
    let host: String
    /// Its addresses.
    let found: [SocketAddress]
    let port: Int
    let addresses: AddressRule
    /// The time for one attempt to connect.
    let connectTimeout: Duration
    /// The end of everything: connecting and what comes after.
    let deadline: NIODeadline

    /// The addresses of a host that are tried, one after the other.
    private static let maximumAttempts = 4

    /// Connects, has something done on the connection, and closes it.
    ///
    /// - Parameter body: What is done, begun on the channel's event loop before anything was read.
    /// - Returns: What `body` comes to.
    /// - Throws: ``ResourceError`` for everything that goes wrong.
    func run<Outcome: Sendable>(
        _ body: @escaping @Sendable (any Channel) -> EventLoopFuture<Outcome>
    ) async throws(ResourceError) -> Outcome {
        let outcome = self.start(on: MultiThreadedEventLoopGroup.singleton.any(), body)
        do {
            return try await withTaskCancellationHandler {
                try await outcome.futureResult.get()
            } onCancel: {
                outcome.fail(ResourceError(.cancelled, "it was cancelled"))
            }
        } catch let error as ResourceError {
            throw error
        } catch {
            throw ResourceError(.badAnswer, "the connection failed (\(error))")
        }
    }

    /// Starts everything on an event loop; a caller who fails the promise early ends it.
    private func start<Outcome: Sendable>(
        on eventLoop: any EventLoop, _ body: @escaping @Sendable (any Channel) -> EventLoopFuture<Outcome>
    ) -> EventLoopPromise<Outcome> {
        let outcome = eventLoop.makePromise(of: Outcome.self)
        let timer = eventLoop.scheduleTask(deadline: self.deadline) {
            outcome.fail(ResourceError(.timedOut, "it took too long"))
        }
        let connected = self.connect(on: eventLoop)
        connected.flatMap(body).cascade(to: outcome)
        outcome.futureResult.whenComplete { _ in
            timer.cancel()
            // Also a connection that comes up later is closed.
            connected.whenSuccess { $0.close(promise: nil) }
        }
        return outcome
    }

    /// What is connected to is an address that was judged, never a name.
    private func connect(on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        // An address with a zone is link-local, with or without it.
        let found = self.found.compactMap { $0.ipAddress.flatMap { IPAddress($0) } }
        let allowed = found.filter(self.addresses.allows)
        guard let first = allowed.first else {
            let address = found.first.map { "\($0)" } ?? "nothing"
            let reason = "\(self.host) is \(address), which is not a public address"
            return eventLoop.makeFailedFuture(
                ResourceError(.forbiddenAddress, self.host == address ? "\(address) is not a public address" : reason))
        }
        let rest = allowed.dropFirst().prefix(Self.maximumAttempts - 1)
        return rest.reduce(self.connect(to: first, on: eventLoop)) { attempt, address in
            attempt.flatMapError { _ in self.connect(to: address, on: eventLoop) }
        }
    }

    private func connect(to address: IPAddress, on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        let timeout = min(TimeAmount(bounding: self.connectTimeout), self.deadline - .now())
        guard timeout > .zero else {
            return eventLoop.makeFailedFuture(ResourceError(.timedOut, "it took too long"))
        }
        return eventLoop.makeCompletedFuture {
            try SocketAddress(packedIPAddress: ByteBuffer(bytes: address.octets), port: self.port)
        }
        .flatMap { ClientBootstrap(group: eventLoop).connectTimeout(timeout).connect(to: $0) }
        .flatMapThrowing { channel in
            guard let peer = Self.address(of: channel), self.addresses.allows(peer) else {
                channel.close(promise: nil)
                throw ResourceError(.forbiddenAddress, "the connection is not to the address that was asked for")
            }
            return channel
        }
        .flatMapErrorThrowing { error in
            throw error as? ResourceError
                ?? ResourceError(.unreachable, "there is no connection to \(address), port \(self.port)")
        }
    }

    private static func address(of channel: any Channel) -> IPAddress? {
        channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
    }
}
