//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import NIOCore
import NIOSSL
import ServerTrust

extension ChannelPipeline.SynchronousOperations {
    /// Adds TLS to a connection, as App Transport Security demands it, in a channel initializer or once there is a connection.
    ///
    /// What comes after in the pipeline hears `TLSUserEvent.handshakeCompleted` once the connection is let through, or
    /// ``ATSError`` in `errorCaught`, once, after which the connection is closed. What it writes before waits, and fails with
    /// the same error. Do not add a TLS handler of your own.
    ///
    /// For `http` where it is allowed nothing is added, and the verdict is there at once.
    ///
    /// - Parameters:
    ///   - enforcement: The policy and what is trusted.
    ///   - destination: What was asked for: its host is what certificates must be for, wherever the connection leads.
    ///   - verdict: Gets the verdict if the connection is let through, and ``ATSError`` if not; `ChannelError` if the program
    ///     itself closes the connection before.
    /// - Throws: ``ATSError`` before a byte is sent, if plain HTTP is refused or nothing can be offered; ``TLSEndpointError``
    ///   if the host is no host; `NIOSSLError` or `BoringSSLError` if the program's own configuration of TLS is unusable,
    ///   `ChannelError` if the connection is closed. Then the promise fails as well, and the connection is to be closed.
    public func addATSHandlers(
        _ enforcement: ATSEnforcement, for destination: ATSDestination, verdict: EventLoopPromise<ATSVerdict>? = nil
    ) throws {
        do {
            guard let handlers = try enforcement.handlers(for: destination, verdict) else {
                verdict?.succeed(enforcement.requirements(for: destination).verdict(on: .plain))
                return
            }
            try self.addHandlers([handlers.tap, handlers.tls, handlers.gate])
        } catch {
            verdict?.fail(error)
            throw error
        }
    }
}

extension ATSEnforcement {
    /// The handlers for a connection; `nil` for plain HTTP where it is allowed.
    fileprivate func handlers(
        for destination: ATSDestination, _ verdict: EventLoopPromise<ATSVerdict>?
    ) throws -> (tap: ATSHandshakeTap, tls: NIOSSLClientHandler, gate: ATSGate)? {
        guard destination.scheme == .https else {
            try self.check(destination)
            return nil
        }
        let preparation = try self.preparation(for: destination)
        let handshake = ATSHandshake(preparation.evaluator)
        let tls = try NIOSSLClientHandler(
            context: preparation.context, serverHostname: preparation.serverName,
            customVerificationCallback: { certificates, verdict in
                verdict.succeed(handshake.receive(certificates) ? .certificateVerified : .failed)
            })
        let timeout = TimeAmount(bounding: self.configuration.handshakeTimeout)
        return (ATSHandshakeTap(handshake), tls, ATSGate(handshake, tls: tls, timeout: timeout, verdict: verdict))
    }

    private func preparation(for destination: ATSDestination) throws -> ATSPreparation {
        // What is local may change with the network, where the program says so; and texts that Swift takes for equal are not,
        // outside of ASCII.
        let isLasting = self.policy.configuration.isLocal == nil && destination.host.utf8.allSatisfy { $0 < 0x80 }
        guard isLasting else { return try self.prepare(destination) }
        return try self.contexts.preparation(for: destination) { try self.prepare(destination) }
    }

    private func prepare(_ destination: ATSDestination) throws -> ATSPreparation {
        let requirements = try self.check(destination)
        let endpoint = try TLSEndpoint(host: destination.host, port: destination.port)
        do {
            return ATSPreparation(
                evaluator: ATSConnectionEvaluator(
                    self, destination, requirements: requirements, hostname: endpoint.host.text),
                context: try self.contexts.context(for: requirements),
                serverName: endpoint.host.serverNameIndication)
        } catch let error as ATSOfferError {
            throw ATSError(destination, requirements.verdict(on: .failed(.nothingInCommon)), cause: error)
        }
    }
}
