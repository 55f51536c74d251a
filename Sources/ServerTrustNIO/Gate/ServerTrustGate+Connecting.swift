//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import NIOCore
public import NIOPosix
import ServerTrust
import TLSWire

extension ServerTrustGate {
    /// Connects to a destination and returns once the gate lets the connection through.
    ///
    /// The address that answers first is used, IPv4 or IPv6 (RFC 8305). Only that address is sent a ClientHello. Cancelling the
    /// task ends the attempt. A server that answers at that moment may be sent a ClientHello and nothing else.
    ///
    /// - Parameters:
    ///   - destination: The destination. The leaf must be valid for its host. Plain HTTP is used only if the settings allow it.
    ///   - group: The event loops.
    ///   - connectAddress: The address or name to connect to instead of the destination's host, or `nil` to use that host.
    ///   - connectTimeout: The time for resolving and connecting. The handshake has its own.
    ///   - initializer: Adds the program's handlers behind the handlers of the gate, before any data is received.
    /// - Returns: The channel and the facts about its connection.
    /// - Throws: ``ServerTrustGateError`` if the connection fails or is refused. ``TLSEndpointError`` if a host is invalid. Any
    ///   error of `initializer`.
    public func connect(
        to destination: ATSDestination, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        connectAddress: String? = nil, connectTimeout: Duration = .seconds(10),
        initializer: @escaping @Sendable (any Channel) throws -> Void = { _ in }
    ) async throws -> GatedChannel {
        let requirements = try self.check(destination)
        let endpoint = try TLSEndpoint(
            host: destination.host, port: destination.port, connectAddress: connectAddress)
        let dialer = Dialer(on: group.any(), connectTimeout: TimeAmount(bounding: connectTimeout))
        await self.look(at: destination, through: dialer, to: endpoint)
        do {
            return try await dialer.run(to: endpoint) { channel in
                self.secure(channel, for: destination, initializer, looking: .same(dialer, endpoint))
            }
        } catch let failure as ConnectionFailure {
            let verdict = requirements.verdict(on: .failed(failure))
            throw ServerTrustGateError(destination, verdict, cause: failure)
        }
    }

    private func secure(
        _ channel: any Channel, for destination: ATSDestination, _ initializer: (any Channel) throws -> Void,
        looking way: LookingWay
    ) -> EventLoopFuture<GatedChannel> {
        let outcome = channel.eventLoop.makePromise(of: GatedConnection.self)
        do {
            try channel.pipeline.syncOperations.addServerTrustHandlers(
                self, for: destination, outcome: outcome, looking: way)
            try initializer(channel)
        } catch {
            outcome.fail(error)
            return channel.eventLoop.makeFailedFuture(error)
        }
        return outcome.futureResult.map { GatedChannel(channel: channel, connection: $0) }
    }
}
