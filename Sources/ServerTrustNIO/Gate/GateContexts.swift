//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOSSL
import Synchronization

/// What is ready for the next connection: one TLS context for each kind of offer, as a context takes longer to make than a
/// handshake; and what is known of a destination before there is a connection.
final class GateContexts: Sendable {
    /// More kinds of offers than a policy can ask for.
    private static let maximumContexts = 64
    /// Redirects can lead anywhere.
    private static let maximumDestinations = 256

    private struct State {
        var contexts: [TLSOffer: NIOSSLContext] = [:]
        var destinations: [ATSDestination: GatePreparation] = [:]
    }

    private let base: TLSConfiguration
    private let state = Mutex(State())

    init(base: TLSConfiguration) {
        self.base = base
    }

    /// The context that offers what is required.
    ///
    /// - Throws: ``TLSOfferError`` if nothing can be offered; `NIOSSLError` or `BoringSSLError` if what the program
    ///   configured is unusable.
    func context(for requirements: ATSRequirements) throws -> NIOSSLContext {
        let offer = try TLSOffer(requirements)
        return try self.state.withLock { state in
            if let context = state.contexts[offer] { return context }
            let context = try NIOSSLContext(configuration: try offer.configuration(basedOn: self.base))
            if state.contexts.count < Self.maximumContexts { state.contexts[offer] = context }
            return context
        }
    }

    /// What is known of a destination.
    func preparation(
        for destination: ATSDestination, _ prepare: () throws -> GatePreparation
    ) throws -> GatePreparation {
        if let known = self.state.withLock({ $0.destinations[destination] }) { return known }
        let preparation = try prepare()
        // What is dropped is freed once the lock is open.
        _ = self.state.withLock { state -> [ATSDestination: GatePreparation] in
            var dropped: [ATSDestination: GatePreparation] = [:]
            if state.destinations.count >= Self.maximumDestinations { swap(&dropped, &state.destinations) }
            state.destinations[destination] = preparation
            return dropped
        }
        return preparation
    }

}

/// What every connection to one destination has in common.
struct GatePreparation: Sendable {
    let judge: ConnectionJudge
    let context: NIOSSLContext
    let serverName: String?
}
