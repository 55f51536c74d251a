//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
import ServerTrust
import Synchronization

/// A gate for the connections of a program. It makes the offer that the settings require, checks the negotiated parameters,
/// evaluates the server's chain, and passes no data before the verdict.
///
/// ```swift
/// let gate = ServerTrustGate()
/// let bootstrap = ClientBootstrap(group: group).channelInitializer(gate.initializer(for: destination))
/// let channel = try await bootstrap.connect(host: destination.host, port: destination.port).get()
/// ```
///
/// Make one gate for the program. It keeps the TLS contexts of its destinations, which are costly to make, and remembers verified
/// signatures of authorities and servers. Every connection is still evaluated in full. A gate can be used from any thread.
public final class ServerTrustGate: Sendable {
    private let current: Mutex<GateGeneration>

    /// Creates a gate.
    ///
    /// - Parameter settings: The settings. The default is the trust of an iPhone, for an app without exceptions.
    public init(_ settings: ServerTrustSettings = ServerTrustSettings()) {
        self.current = Mutex(GateGeneration(settings))
    }

    /// The settings of new connections.
    ///
    /// Set them to replace anchors, pins, lists or the client's identity in a running program. Connections that begin afterwards
    /// are judged by the new settings. Open connections are left alone.
    public var settings: ServerTrustSettings {
        get { self.generation.settings }
        set {
            let next = GateGeneration(newValue)
            self.current.withLock { $0 = next }
        }
    }

    /// Changes the settings atomically, while other threads read and change them.
    ///
    /// - Parameter change: The change. It is called again with the newer settings if another thread has replaced them meanwhile.
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

    /// The settings and preparations for new connections.
    var generation: GateGeneration { self.current.withLock { $0 } }

    /// Refuses destinations before a connection is made: plain HTTP that is not allowed, and exceptions that no version of TLS can
    /// meet.
    ///
    /// Call it for every URL before loading it, including the targets of redirects.
    ///
    /// - Parameter destination: The destination of the load.
    /// - Returns: The requirements on the connection.
    /// - Throws: ``ServerTrustGateError`` if the destination is refused.
    @discardableResult
    public func check(_ destination: ATSDestination) throws(ServerTrustGateError) -> ATSRequirements {
        try self.generation.check(destination)
    }

    /// Returns the requirements on a connection.
    ///
    /// - Parameter destination: The destination of the connection.
    public func requirements(for destination: ATSDestination) -> ATSRequirements {
        self.generation.requirements(for: destination)
    }
}
