//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// The cipher suites that a server accepts in a version.
///
/// The list is the server's own only if ``isComplete`` is `true`. Otherwise the server may accept further suites.
public struct CipherSuiteFacts: Sendable, Hashable {
    /// The version of TLS.
    public var version: TLSProtocolVersion
    /// The suites in the order in which the server chose them from all remaining ones.
    public var suites: [CipherSuite]
    /// The side that determines the order of preference.
    public var order: Order
    /// `true` if all registered suites were offered and the server refused the others. Otherwise there may be more.
    public var isComplete: Bool
    /// The unclear answer because of which there may be more suites. It is `nil` if the plan did not ask for more.
    public var failure: ConnectionFailure?

    /// The version from which the suites are inferred, because every sample in this version gave the same result. It is `nil` if
    /// the server accepted each of them in this version.
    public var inferredFrom: TLSProtocolVersion?

    /// The side that determines the order of preference.
    public enum Order: String, Sendable, Hashable {
        /// The server. ``CipherSuiteFacts/suites`` is its order of preference.
        case server
        /// The client. The order of ``CipherSuiteFacts/suites`` has no meaning.
        case client
        /// Not known, because there is only one suite, or the plan did not ask.
        case unknown
    }

    /// Creates the suites of a version.
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

/// The groups for ephemeral keys that a server accepts (RFC 8446 §4.2.7, RFC 8422, RFC 7919).
public struct GroupFacts: Sendable, Hashable {
    /// TLS 1.3, or TLS 1.2 for all older versions, which use the same groups.
    public var version: TLSProtocolVersion
    /// The groups in the order in which the server chose them.
    public var groups: [NamedGroup]
    /// `true` if all registered groups were offered and the server refused the others.
    public var isComplete: Bool
    /// The unclear answer because of which there may be more groups.
    public var failure: ConnectionFailure?
    /// The sizes in bits of the primes that the server used for Diffie-Hellman without a named group.
    public var primeSizes: [Int] = []

    /// Creates the groups of a version.
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
