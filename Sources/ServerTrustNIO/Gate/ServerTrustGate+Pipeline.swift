//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import NIOCore
import ServerTrust

extension ChannelPipeline.SynchronousOperations {
    /// Adds TLS to a connection, as the gate demands it, in a channel initializer or once there is a connection.
    ///
    /// What comes after in the pipeline hears `TLSUserEvent.handshakeCompleted` once the connection is let through, or
    /// ``ServerTrustGateError`` in `errorCaught`, once, after which the connection is closed. What it writes before waits, up to
    /// ``ServerTrustSettings/maximumPendingBytes``, and fails with the same error. Do not add a TLS handler of your own.
    ///
    /// For `http` where it is allowed nothing is added, and the connection counts as let through at once.
    ///
    /// - Parameters:
    ///   - gate: What is trusted and enforced.
    ///   - destination: What was asked for: its host is what certificates must be for, wherever the connection leads.
    ///   - outcome: Gets what was agreed on if the connection is let through, and ``ServerTrustGateError`` if not; `ChannelError`
    ///     if the program itself closes the connection before.
    ///   - position: Where they go. Everything that is to be protected comes after them.
    /// - Throws: ``ServerTrustGateError`` before a byte is sent, if plain HTTP is refused or nothing can be offered;
    ///   ``TLSEndpointError`` if the host is no host; `NIOSSLError` or `BoringSSLError` if the program's own configuration of
    ///   TLS is unusable, `ChannelError` if the connection is closed. Then the promise fails as well, and the connection is to
    ///   be closed.
    public func addServerTrustHandlers(
        _ gate: ServerTrustGate, for destination: ATSDestination, outcome: EventLoopPromise<GatedConnection>? = nil,
        position: ChannelPipeline.SynchronousOperations.Position = .last
    ) throws {
        try self.addServerTrustHandlers(
            gate, for: destination, outcome: outcome, position: position, looking: .addressOfNewConnection)
    }

    /// The same with a way to look at the server.
    package func addServerTrustHandlers(
        _ gate: ServerTrustGate, for destination: ATSDestination, outcome: EventLoopPromise<GatedConnection>? = nil,
        position: ChannelPipeline.SynchronousOperations.Position = .last, looking way: LookingWay
    ) throws {
        let generation = gate.generation
        try self.addServerTrustHandlers(
            generation, for: destination, outcome: outcome, position: position, deciding: generation.settings.handler,
            looking: way)
    }

    /// The same with a handler that decides in place of the settings' own.
    func addServerTrustHandlers(
        _ generation: GateGeneration, for destination: ATSDestination, outcome: EventLoopPromise<GatedConnection>?,
        position: ChannelPipeline.SynchronousOperations.Position, deciding handler: (any ServerTrustHandler)?,
        looking way: LookingWay
    ) throws {
        do {
            guard destination.scheme == .https else {
                let requirements = try generation.check(destination)
                outcome?.succeed(GatedConnection(plain: destination, requirements.verdict(on: .plain)))
                return
            }
            let preparation = try generation.preparation(for: destination)
            let handshake = GateHandshake(preparation, deciding: handler, looking: way, outcome: outcome)
            try self.addTLS(
                handshake, preparation.context, serverName: preparation.serverName, position: position,
                judgedBy: handshake.receive)
        } catch {
            outcome?.fail(error)
            throw error
        }
    }
}

extension ServerTrustGate {
    /// Returns an initializer of channels that adds TLS as the gate demands it, for `ClientBootstrap.channelInitializer`.
    ///
    /// - Parameters:
    ///   - destination: What is asked for: its host is what certificates must be for.
    ///   - handlers: Adds the program's handlers, behind those of the gate.
    /// - Returns: The initializer. The connection fails with ``ServerTrustGateError`` where it is refused before a byte is sent.
    public func initializer(
        for destination: ATSDestination, handlers: @escaping @Sendable (any Channel) throws -> Void = { _ in }
    ) -> @Sendable (any Channel) -> EventLoopFuture<Void> {
        { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addServerTrustHandlers(self, for: destination)
                try handlers(channel)
            }
        }
    }
}
