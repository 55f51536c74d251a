//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// The cipher suites that a server agreed on in a version.
public struct CipherSuiteFacts: Sendable, Hashable {
    /// The version.
    public var version: TLSProtocolVersion
    /// The suites, in the order in which the server chose them from all that were left.
    public var suites: [CipherSuite]
    /// Whose order decides.
    public var order: Order
    /// Whether all that are in the registry were offered and it refused the rest; otherwise there may be more.
    public var isComplete: Bool
    /// Why there may be more, where an unclear answer is the reason; `nil` where the plan did not ask for more.
    public var failure: ConnectionFailure?

    /// The version whose suites these are taken to be, as every one of a few samples in this version came out the same;
    /// `nil` when each of them was agreed on.
    public var inferredFrom: TLSProtocolVersion?

    /// Whose order of suites decides what is chosen.
    public enum Order: String, Sendable, Hashable {
        /// The server's: ``CipherSuiteFacts/suites`` is its order of preference.
        case server
        /// The client's: the order of ``CipherSuiteFacts/suites`` means nothing.
        case client
        /// There is one suite only, or it was not asked.
        case unknown
    }

    /// Suites of a version.
    public init(
        _ version: TLSProtocolVersion, _ suites: [CipherSuite] = [], order: Order = .unknown, isComplete: Bool = false,
        failure: ConnectionFailure? = nil
    ) {
        self.version = version
        self.suites = suites
        self.order = order
        self.isComplete = isComplete
        self.failure = failure
    }
}

/// The groups for ephemeral keys that a server agreed on (RFC 8446 §4.2.7, RFC 8422, RFC 7919).
public struct GroupFacts: Sendable, Hashable {
    /// TLS 1.3, or TLS 1.2 for all before it, which do not differ in this.
    public var version: TLSProtocolVersion
    /// The groups, in the order in which the server chose them.
    public var groups: [NamedGroup]
    /// Whether all that are in the registry were offered and it refused the rest.
    public var isComplete: Bool
    /// Why there may be more, where an unclear answer is the reason.
    public var failure: ConnectionFailure?
    /// The sizes, in bits, of the primes it used for Diffie-Hellman without a named group.
    public var primeSizes: [Int] = []

    /// Groups of a version.
    public init(
        _ version: TLSProtocolVersion, _ groups: [NamedGroup] = [], isComplete: Bool = false,
        failure: ConnectionFailure? = nil
    ) {
        self.version = version
        self.groups = groups
        self.isComplete = isComplete
        self.failure = failure
    }
}
