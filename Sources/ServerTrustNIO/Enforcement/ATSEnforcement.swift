//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import ServerTrust

/// App Transport Security for a program's own connections: what a policy asks for is offered, what was agreed on is
/// checked, the server's chain is judged, and nothing is sent or received before.
///
/// ```swift
/// let security = ATSEnforcement(policy: policy, anchors: .store(try .system()))
/// try channel.pipeline.syncOperations.addATSHandlers(security, for: ATSDestination(url: url))
/// ```
///
/// Make one for the program: it keeps the TLS contexts of its destinations, which are costly to make, and remembers the
/// signatures of authorities. Immutable, and used from any thread.
public struct ATSEnforcement: Sendable {
    /// What is asked of connections.
    public let policy: ATSPolicy

    /// What is trusted.
    public let anchors: TrustAnchors

    /// Everything else.
    public let configuration: Configuration

    let contexts: ATSContextCache

    /// Enforces a policy.
    ///
    /// - Parameters:
    ///   - policy: What is asked of connections.
    ///   - anchors: What is trusted. NIOSSL's own roots are never used.
    ///   - configuration: Everything else.
    public init(policy: ATSPolicy, anchors: TrustAnchors, configuration: Configuration = Configuration()) {
        self.policy = policy
        self.anchors = anchors
        self.configuration = configuration
        self.contexts = ATSContextCache(base: configuration.tls)
    }

    /// Refuses destinations that App Transport Security refuses before there is a connection: plain HTTP, and exceptions
    /// that no version of TLS can meet.
    ///
    /// For every URL before it is loaded, those that answers redirect to included.
    ///
    /// - Parameter destination: Where the load goes.
    /// - Returns: What is asked of the connection.
    /// - Throws: ``ATSError``
    @discardableResult
    public func check(_ destination: ATSDestination) throws(ATSError) -> ATSRequirements {
        let requirements = self.requirements(for: destination)
        guard destination.scheme == .https else {
            let verdict = requirements.verdict(on: .plain)
            guard verdict.isAllowed else { throw ATSError(destination, verdict) }
            return requirements
        }
        guard requirements.effectiveMinimumVersion != nil else {
            throw ATSError(destination, requirements.verdict(onNewestVersion: destination))
        }
        return requirements
    }

    /// What is asked of a connection.
    ///
    /// - Parameter destination: Where it goes.
    public func requirements(for destination: ATSDestination) -> ATSRequirements {
        self.policy.requirements(for: destination, client: self.configuration.client)
    }
}

extension ATSRequirements {
    /// What there is to say of the best a server could choose.
    fileprivate func verdict(onNewestVersion destination: ATSDestination) -> ATSVerdict {
        self.verdict(on: ATSConnection(version: .tls13, cipherSuite: self.cipherSuites.first, trust: nil))
    }
}
