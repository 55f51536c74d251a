//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Synchronization

/// The gate that a server's connections pass: a client's chain is judged as Apple's systems judge it, and nothing is sent to
/// the application or to the client before.
///
/// ```swift
/// let gate = ClientTrustGate(ClientTrustSettings(trust: .only([ourRoot]), tls: serverConfiguration))
/// try channel.pipeline.syncOperations.addClientTrustHandlers(gate, outcome: promise)
/// let client = try await promise.futureResult.get()
/// client.identity?.spiffeID
/// ```
///
/// A client cannot resume a session that was judged earlier: NIOSSL's servers resume without asking for a verdict, so
/// that a client that brings a ticket or names a session gets a TLS context of its own, which knows no session. The handshake is
/// a whole one then.
///
/// A gate keeps its last answers about clients that are trusted. Where a client presents the same certificates again, they are
/// neither parsed nor is their path built again: validity is checked, and the signatures are verified or remembered. Where
/// revocation lists, responses or pins count, each connection has a whole evaluation.
public final class ClientTrustGate: Sendable {
    private let current: Mutex<ClientTrustGeneration>

    /// A gate.
    ///
    /// - Parameter settings: Who is trusted, and who the server is.
    /// - Throws: `NIOSSLError` or `BoringSSLError` if the server's side of the settings is unusable.
    public init(_ settings: ClientTrustSettings) throws {
        self.current = Mutex(try ClientTrustGeneration(settings))
    }

    /// Who is trusted, and who the server is.
    public var settings: ClientTrustSettings { self.generation.settings }

    /// Replaces anchors, pins, lists or the server's identity in a running server: connections that begin afterwards are judged
    /// by the new settings; those that are there are left alone.
    ///
    /// - Parameter change: Changes the settings. Where another thread has set others meanwhile, it is called again with those.
    /// - Throws: What `change` throws, and what is thrown for unusable settings; those there were hold on then.
    public func update(_ change: (inout ClientTrustSettings) throws -> Void) throws {
        while true {
            let current = self.generation
            var settings = current.settings
            try change(&settings)
            let next = try ClientTrustGeneration(settings)
            let isSet = self.current.withLock { generation in
                guard generation === current else { return false }
                generation = next
                return true
            }
            if isSet { return }
        }
    }

    var generation: ClientTrustGeneration { self.current.withLock { $0 } }
}
