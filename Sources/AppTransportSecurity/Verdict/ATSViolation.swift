//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
public import TLSWire

/// A requirement that a connection does not meet.
///
/// Each violation has a stable ``code`` for programs, a ``message`` and a ``remedy`` for a person, and the codes of Apple's
/// systems.
public struct ATSViolation: Sendable {
    /// A requirement with the evidence that it is not met.
    public enum Reason: Sendable {
        /// The load is over plain HTTP.
        case insecureLoad
        /// The connection failed.
        case connectionFailed(ConnectionFailure)
        /// The version is too old. The minimum is `nil` if no version meets the requirements.
        case versionTooOld(TLSProtocolVersion, minimum: TLSProtocolVersion?)
        /// The cipher suite is not in the required group.
        case cipherSuite(CipherSuite, ATSCipherSuiteGroup)
        /// TLS 1.2 was negotiated without the extended master secret.
        case noExtendedMasterSecret
        /// The server's key is too small.
        case keyTooSmall(PublicKeyKind, bits: Int, minimum: Int)
        /// The server's certificate is signed over a weak digest.
        case leafDigest(SignatureDigest)
        /// A certificate above the server's is signed over a weak digest. The index counts from the leaf, 0.
        case issuerDigest(SignatureDigest, certificateIndex: Int)
        /// The certificate is signed with an algorithm that was not offered.
        case signatureAlgorithmNotOffered(SignatureAlgorithm)
        /// The chain is not trusted.
        case untrusted(TrustFailure)
        /// The server's own key is not pinned. `found` and `pinned` are SHA-256 digests of SubjectPublicKeyInfo.
        case leafNotPinned(found: [UInt8]?, pinned: [[UInt8]])
        /// No authority's key is pinned. `found`, without the leaf, and `pinned` are SHA-256 digests of SubjectPublicKeyInfo.
        case authorityNotPinned(found: [[UInt8]], pinned: [[UInt8]])
        /// A required fact is not known.
        case unknown(Fact)
    }

    /// A fact that may be missing.
    public enum Fact: String, Sendable, Hashable, CaseIterable {
        /// The version of TLS.
        case version
        /// The cipher suite.
        case cipherSuite
        /// The use of the extended master secret.
        case extendedMasterSecret
        /// The trust in the chain.
        case trust
        /// The final destination of a redirect.
        case redirect
    }

    /// The requirement with the evidence.
    public let reason: Reason

    /// `true` if the app may override the violation by its own decision about the chain. It cannot override App Transport
    /// Security's.
    public let isOverridable: Bool

    /// The destination after redirects, or `nil` if the violation concerns the original destination.
    public internal(set) var redirect: ATSDestination?

    package init(_ reason: Reason, isOverridable: Bool = false) {
        self.reason = reason
        self.isOverridable = isOverridable
    }
}

/// The verdict of App Transport Security on a connection.
///
/// If ``isAllowed`` is `false`, ``violations`` has the reasons, and ``primary`` the first of them.
public struct ATSVerdict: Sendable {
    /// The requirements for the connection.
    public let requirements: ATSRequirements
    /// The violations in the order in which Apple's systems detect them.
    public let violations: [ATSViolation]
    /// `true` if the connection is allowed.
    public var isAllowed: Bool { self.violations.isEmpty }
    /// The violation with which the load fails, or `nil` if the connection is allowed.
    public var primary: ATSViolation? { self.violations.first }

    func after(_ redirect: ATSDestination) -> ATSVerdict {
        ATSVerdict(
            requirements: self.requirements,
            violations: self.violations.map { violation in
                var violation = violation
                violation.redirect = redirect
                return violation
            })
    }
}
