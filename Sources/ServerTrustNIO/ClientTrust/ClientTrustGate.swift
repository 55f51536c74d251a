//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Synchronization

/// A gate for the connections of a server. It evaluates a client's chain as Apple's systems do, and passes no data to the
/// application or to the client before the verdict.
///
/// ```swift
/// let gate = try ClientTrustGate(ClientTrustSettings(trust: .only([ourRoot]), tls: serverConfiguration))
/// try channel.pipeline.syncOperations.addClientTrustHandlers(gate, outcome: promise)
/// let client = try await promise.futureResult.get()
/// client.identity?.spiffeID
/// ```
///
/// A client cannot resume a session that was judged earlier. NIOSSL's servers resume sessions without asking for a verdict. A
/// client that brings a ticket or names a session therefore gets a TLS context of its own, which knows no session, and the
/// handshake is a full one.
///
/// A gate keeps its latest verdicts on trusted clients. If a client presents the same certificates again, they are not parsed and
/// no path is built. Validity is still checked, and signatures are verified or remembered. With CRLs, OCSP responses or pins, every
/// connection is evaluated in full.
public final class ClientTrustGate: Sendable {
    private let current: Mutex<ClientTrustGeneration>

    /// Creates a gate.
    ///
    /// - Parameter settings: The settings.
    /// - Throws: `NIOSSLError` or `BoringSSLError` if the server's side of the settings is unusable.
    public init(_ settings: ClientTrustSettings) throws {
        self.current = Mutex(try ClientTrustGeneration(settings))
    }

    /// The settings of new connections.
    public var settings: ClientTrustSettings { self.generation.settings }

    /// Replaces anchors, pins, lists or the server's identity in a running server.
    ///
    /// Connections that begin afterwards are judged by the new settings. Open connections are left alone.
    ///
    /// - Parameter change: Changes the settings. It is called again with the newer settings if another thread has replaced them
    ///   meanwhile.
    /// - Throws: The error of `change`, or the error for unusable settings. The old settings then stay in force.
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
