//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import NIOCore
import ServerTrust

extension ChannelPipeline.SynchronousOperations {
    /// Adds TLS to a connection, under the rules of the gate. Call it in a channel initializer or on an open connection.
    ///
    /// Handlers after it receive `TLSUserEvent.handshakeCompleted` once the connection is let through. If it is refused, they
    /// receive one ``ServerTrustGateError`` in `errorCaught`, and the connection is closed. Their earlier writes wait, up to
    /// ``ServerTrustSettings/maximumPendingBytes``, and fail with the same error. Do not add a TLS handler of your own.
    ///
    /// For an `http` destination that is allowed, nothing is added, and the connection counts as let through at once.
    ///
    /// - Parameters:
    ///   - gate: The gate with its settings.
    ///   - destination: The destination. The leaf must be valid for its host, whatever address the channel is connected to.
    ///   - outcome: Succeeds with the facts about the connection if it is let through. Fails with ``ServerTrustGateError`` if it is
    ///     refused, or with `ChannelError` if the program itself closes the connection before.
    ///   - position: The position of the handlers. Every handler to be protected comes after them.
    /// - Throws: ``ServerTrustGateError`` before any byte is sent, if plain HTTP is refused or nothing can be offered.
    ///   ``TLSEndpointError`` if the host is invalid. `NIOSSLError` or `BoringSSLError` if the program's own TLS configuration is
    ///   unusable. `ChannelError` if the connection is closed. The promise fails as well. Close the connection then.
    public func addServerTrustHandlers(
        _ gate: ServerTrustGate, for destination: ATSDestination, outcome: EventLoopPromise<GatedConnection>? = nil,
        position: ChannelPipeline.SynchronousOperations.Position = .last
    ) throws {
        try self.addServerTrustHandlers(
            gate, for: destination, outcome: outcome, position: position, looking: .addressOfNewConnection)
    }

    /// Adds the same handlers with a given way to look at the server.
    package func addServerTrustHandlers(
        _ gate: ServerTrustGate, for destination: ATSDestination, outcome: EventLoopPromise<GatedConnection>? = nil,
        position: ChannelPipeline.SynchronousOperations.Position = .last, looking way: LookingWay
    ) throws {
        let generation = gate.generation
        try self.addServerTrustHandlers(
            generation, for: destination, outcome: outcome, position: position, deciding: generation.settings.handler,
            looking: way)
    }

    /// Adds the same handlers with a handler of the program's that decides instead of the settings' own.
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
    /// Returns a channel initializer that adds TLS under the rules of the gate, for `ClientBootstrap.channelInitializer`.
    ///
    /// - Parameters:
    ///   - destination: The destination. The leaf must be valid for its host.
    ///   - handlers: Adds the program's handlers behind the handlers of the gate.
    /// - Returns: The initializer. If the connection is refused before any byte is sent, it fails with ``ServerTrustGateError``.
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
