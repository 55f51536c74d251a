//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
import ServerTrust
import Synchronization

/// The gate that a program's connections pass: what the settings ask for is offered, what was agreed on is checked, the
/// server's chain is judged, and nothing is sent or received before.
///
/// ```swift
/// let gate = ServerTrustGate()
/// let bootstrap = ClientBootstrap(group: group).channelInitializer(gate.initializer(for: destination))
/// let channel = try await bootstrap.connect(host: destination.host, port: destination.port).get()
/// ```
///
/// Make one for the program: it keeps the TLS contexts of its destinations, which are costly to make, and remembers the
/// signatures of authorities and of servers. Each connection has a whole evaluation. Used from any thread.
public final class ServerTrustGate: Sendable {
    private let current: Mutex<GateGeneration>

    /// A gate.
    ///
    /// - Parameter settings: What is trusted and enforced; by default as on an iPhone, for an app without exceptions.
    public init(_ settings: ServerTrustSettings = ServerTrustSettings()) {
        self.current = Mutex(GateGeneration(settings))
    }

    /// What is trusted and enforced. Set it to replace anchors, pins, lists or the client's identity in a running program:
    /// connections that begin afterwards are judged by the new settings; those that are there are left alone.
    public var settings: ServerTrustSettings {
        get { self.generation.settings }
        set {
            let next = GateGeneration(newValue)
            self.current.withLock { $0 = next }
        }
    }

    /// Changes settings while others read and change them.
    ///
    /// - Parameter change: Changes them. Where another thread has set others meanwhile, it is called again with those.
    public func update(_ change: (inout ServerTrustSettings) throws -> Void) rethrows {
        while true {
            let current = self.generation
            var settings = current.settings
            try change(&settings)
            let next = GateGeneration(settings)
            let isSet = self.current.withLock { generation in
                guard generation === current else { return false }
                generation = next
                return true
            }
            if isSet { return }
        }
    }

    /// What connections that begin now are judged by.
    var generation: GateGeneration { self.current.withLock { $0 } }

    /// Refuses destinations that are refused before there is a connection: plain HTTP, and exceptions that no version of
    /// TLS can meet.
    ///
    /// For every URL before it is loaded, those that answers redirect to included.
    ///
    /// - Parameter destination: Where the load goes.
    /// - Returns: What is asked of the connection.
    /// - Throws: ``ServerTrustGateError``
    @discardableResult
    public func check(_ destination: ATSDestination) throws(ServerTrustGateError) -> ATSRequirements {
        try self.generation.check(destination)
    }

    /// What is asked of a connection.
    ///
    /// - Parameter destination: Where it goes.
    public func requirements(for destination: ATSDestination) -> ATSRequirements {
        self.generation.requirements(for: destination)
    }
}
