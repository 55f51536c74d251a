//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import ServerTrust
import TLSWire

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

    /// The addresses of a host that are tried.
    private static let maximumAttempts = 4

    /// Connects, has something done on the connection, and closes it.
    ///
    /// - Parameter body: What is done, begun on the channel's event loop before anything was read.
    /// - Returns: What `body` comes to.
    /// - Throws: ``ResourceError`` for everything that goes wrong.
    func run<Outcome: Sendable>(
        _ body: @escaping @Sendable (any Channel) -> EventLoopFuture<Outcome>
    ) async throws(ResourceError) -> Outcome {
        let dialer = try self.dialer()
        do {
            return try await dialer.run(
                to: TLSEndpoint(host: self.host, port: self.port), keepsConnection: false, body)
        } catch let error as ResourceError {
            throw error
        } catch let failure as ConnectionFailure {
            throw self.error(failure)
        } catch is CancellationError {
            throw ResourceError(.cancelled, "it was cancelled")
        } catch {
            throw ResourceError(.badAnswer, "the connection failed (\(error))")
        }
    }

    /// The way to the addresses that may be connected to, and never to a name.
    private func dialer() throws(ResourceError) -> Dialer {
        // An address with a zone is link-local, with or without it.
        let found = self.found.compactMap { $0.ipAddress.flatMap { IPAddress($0) } }
        let allowed = found.filter(self.addresses.allows).prefix(Self.maximumAttempts)
        guard !allowed.isEmpty else {
            let address = found.first.map { "\($0)" } ?? "nothing"
            let reason = "\(self.host) is \(address), which is not a public address"
            throw ResourceError(
                .forbiddenAddress, self.host == address ? "\(address) is not a public address" : reason)
        }
        let timeout = min(TimeAmount(bounding: self.connectTimeout), self.deadline - .now())
        guard timeout > .zero else { throw ResourceError(.timedOut, "it took too long") }
        var dialer = Dialer(on: MultiThreadedEventLoopGroup.singleton.any(), connectTimeout: timeout)
        dialer.deadline = self.deadline
        dialer.addresses = allowed.compactMap { address in
            try? SocketAddress(packedIPAddress: ByteBuffer(bytes: address.octets), port: self.port)
        }
        let rule = self.addresses
        dialer.isAllowed = { $0.ipAddress.flatMap { IPAddress($0) }.map(rule.allows) ?? false }
        return dialer
    }

    private func error(_ failure: ConnectionFailure) -> ResourceError {
        switch failure.cause {
        case .forbiddenAddress:
            ResourceError(.forbiddenAddress, "the connection is not to the address that was asked for")
        case _ where NIODeadline.now() >= self.deadline: ResourceError(.timedOut, "it took too long")
        default: ResourceError(.unreachable, "there is no connection to \(self.host), port \(self.port)")
        }
    }
}
