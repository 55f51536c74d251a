//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
public import TLSWire

/// A requirement that a connection does not meet.
public struct ATSViolation: Sendable {
    /// Which, with the evidence.
    public enum Reason: Sendable {
        /// The load is over plain HTTP.
        case insecureLoad
        /// There is no connection.
        case connectionFailed(ATSConnectionFailure)
        /// The version is too old; the least is `nil` when no version passes.
        case versionTooOld(TLSProtocolVersion, minimum: TLSProtocolVersion?)
        /// The cipher suite is not among those demanded.
        case cipherSuite(CipherSuite, ATSCipherSuiteGroup)
        /// TLS 1.2 without the extended master secret.
        case noExtendedMasterSecret
        /// The server's key is too small.
        case keyTooSmall(PublicKeyKind, bits: Int, minimum: Int)
        /// The server's certificate is signed over too weak a digest.
        case leafDigest(SignatureDigest)
        /// A certificate above the server's is signed over too weak a digest; counted from the leaf (0).
        case issuerDigest(SignatureDigest, certificateIndex: Int)
        /// The certificate's signature is of an algorithm that was not offered.
        case signatureAlgorithmNotOffered(SignatureAlgorithm)
        /// The chain is not trusted.
        case untrusted(TrustFailure)
        /// The server's own key is not pinned. `found` and `pinned` are SHA-256 digests of SubjectPublicKeyInfo.
        case leafNotPinned(found: [UInt8]?, pinned: [[UInt8]])
        /// No authority's key is pinned. `found`, leaf excepted, and `pinned` are SHA-256 digests of SubjectPublicKeyInfo.
        case authorityNotPinned(found: [[UInt8]], pinned: [[UInt8]])
        /// A fact that the requirements are about is not known.
        case unknown(Fact)
    }

    /// A fact that may be missing.
    public enum Fact: String, Sendable, Hashable, CaseIterable {
        /// The version of TLS.
        case version
        /// The cipher suite.
        case cipherSuite
        /// Whether the extended master secret is in use.
        case extendedMasterSecret
        /// What the chain is worth.
        case trust
        /// Where it redirects to in the end.
        case redirect
    }

    /// Which requirement, with the evidence.
    public let reason: Reason

    /// Whether the app's own decision about the chain can take its place: App Transport Security's cannot.
    public let isOverridable: Bool

    /// Where the load had been redirected to; `nil` where it is about the destination itself.
    public internal(set) var redirect: ATSDestination?

    package init(_ reason: Reason, isOverridable: Bool = false) {
        self.reason = reason
        self.isOverridable = isOverridable
    }
}

/// Whether App Transport Security lets a connection through, and if not, why not.
public struct ATSVerdict: Sendable {
    /// What was asked of the connection.
    public let requirements: ATSRequirements
    /// What it does not meet, the first that Apple's systems would stumble over first.
    public let violations: [ATSViolation]
    /// Whether it is let through.
    public var isAllowed: Bool { self.violations.isEmpty }
    /// What it fails with.
    public var primary: ATSViolation? { self.violations.first }

    /// The same about a load that had been redirected.
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
