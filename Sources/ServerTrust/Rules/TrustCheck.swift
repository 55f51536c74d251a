//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The checks of Apple's policies, under the names of Apple's result details (SecPolicyChecks.list).
///
/// Each case describes the condition that the check requires. This is the one table of the properties of a failed check: its
/// `OSStatus`, the older CSSM code, its severity, and its rank among several failed checks.
public enum TrustCheck: String, Sendable, Hashable, CaseIterable {
    /// The certificate matches the host.
    case sslHostname = "SSLHostname"
    /// The date of the evaluation is within the validity period.
    case temporalValidity = "TemporalValidity"
    /// The self-signed end of the path is a trust anchor.
    case anchorTrusted = "AnchorTrusted"
    /// No root of the path is blocked, by certificate or by key.
    case blackListedKey = "BlackListedKey"
    /// The path reaches a self-signed certificate or an anchor.
    case missingIntermediate = "MissingIntermediate"
    /// Keys are usable and not hopelessly weak.
    case weakKeySize = "WeakKeySize"
    /// Keys have the size that a TLS server needs.
    case keySize = "KeySize"
    /// No signature is over MD2, MD4 or MD5.
    case weakSignature = "WeakSignature"
    /// No signature on a TLS server's path is over SHA-1.
    case signatureHashAlgorithms = "SignatureHashAlgorithms"
    /// Extended key usages allow the use.
    case extendedKeyUsage = "ExtendedKeyUsage"
    /// A TLS server's certificate names serverAuth.
    case serverAuthEKU = "ServerAuthEKU"
    /// Key usages allow the use.
    case keyUsage = "KeyUsage"
    /// Issuers have basic constraints.
    case basicConstraints = "BasicConstraints"
    /// Issuers are certificate authorities.
    case basicConstraintsCA = "BasicConstraintsCA"
    /// The path length constraints of the issuers are kept.
    case basicConstraintsPathLen = "BasicConstraintsPathLen"
    /// The path is not too long.
    case chainLength = "ChainLength"
    /// Critical extensions are known.
    case criticalExtensions = "CriticalExtensions"
    /// Known extensions can be read.
    case unparseableExtension = "UnparseableExtension"
    /// No extension occurs twice.
    case duplicateExtension = "DuplicateExtension"
    /// Names satisfy the name constraints of the issuers.
    case nameConstraints = "NameConstraints"
    /// Certificate policies allow the path.
    case policyConstraints = "PolicyConstraints"
    /// Key identifiers link each certificate with its issuer.
    case idLinkage = "IdLinkage"
    /// Subjects are present where they are required.
    case nonEmptySubject = "NonEmptySubject"
    /// The lifetime is within the limit below system roots.
    case systemTrustValidityPeriod = "SystemTrustValidityPeriod"
    /// The lifetime is within the limit below any root.
    case otherTrustValidityPeriod = "OtherTrustValidityPeriod"
    /// The leaf's key is pinned.
    case leafSPKISHA256 = "LeafSPKISHA256"
    /// An authority's key is pinned.
    case caspkiSHA256 = "CAspkiSHA256"
    /// A key or certificate on the path, or its anchor, is pinned. Not a check of Apple's, which pins leaves and authorities
    /// separately.
    case pinnedPath = "PinnedPath"
    /// No certificate of the path is revoked.
    case revocation = "Revocation"
    /// The revocation status of the path's certificates is known.
    case revocationResponseRequired = "RevocationResponseRequired"
    /// The server staples an OCSP response if its certificate promises one. Not a check of Apple's.
    case stapledResponseRequired = "StapledResponseRequired"
    /// A server's certificate below a public root has signed certificate timestamps.
    case systemTrustedCTRequired = "SystemTrustedCTRequired"
    /// A server's certificate satisfies Chrome's policy of certificate transparency. Not a check of Apple's.
    case chromeTransparency = "ChromeCertificateTransparency"
    /// Certificates have the form that the profile prescribes. Not a check of Apple's.
    case certificateProfile = "CertificateProfile"
    /// The evaluation stayed within its work limit. Not a check of Apple's, whose limits lead to a missing issuer.
    case workLimit = "WorkLimit"
}

extension TrustCheck {
    /// The effect of a failed check on the result.
    public enum Severity: String, Sendable, Hashable {
        /// A failure that an exception can lift.
        case recoverable
        /// A failure that no exception can lift.
        case fatal
    }

    /// The groups of failures from worst to least (SecTrust.c `SecTrustCopyErrorStrings`): the worst gives the error code.
    enum Subtype: Int, Comparable {
        case blocked, revoked, keySize, weakHash, denied, compliance, pinning, trust, usage, name, expired
        /// A group that Apple does not have: pins of a path matter only if the path has no other fault.
        case pinnedPath

        static func < (left: Subtype, right: Subtype) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Row {
        let status: OSStatusCode
        let cssm: UInt32?
        let subtype: Subtype
        var severity = Severity.recoverable
    }

    /// The status code that Apple's Security framework reports for the check.
    public var osStatus: OSStatusCode { self.row.status }
    /// The CSSM code of macOS's older interfaces, if Apple documents one.
    public var cssmCode: UInt32? { self.row.cssm }
    /// The error code of another vendor's program for the check, or `nil` if the rule is not from another vendor.
    package var foreignCode: String? {
        self == .chromeTransparency ? "net::ERR_CERTIFICATE_TRANSPARENCY_REQUIRED (-214)" : nil
    }
    var isApples: Bool {
        switch self {
        case .pinnedPath, .stapledResponseRequired, .chromeTransparency, .certificateProfile, .workLimit: false
        default: true
        }
    }
    /// The severity of a failure.
    public var severity: Severity { self.row.severity }
    /// `true` if the check is only about the form of certificates, which Apple does not check.
    var isAboutForm: Bool { self == .certificateProfile }
    /// The rank among failed checks. The worst has the lowest.
    package var rank: Int { self.subtype.rawValue }
    var subtype: Subtype { self.row.subtype }

    private var row: Row {
        switch self {
        case .sslHostname: Row(status: .hostNameMismatch, cssm: 0x8001_2400, subtype: .name)
        case .temporalValidity: Row(status: .certificateExpired, cssm: 0x8001_210A, subtype: .expired)
        case .anchorTrusted: Row(status: .notTrusted, cssm: 0x8001_212A, subtype: .trust)
        case .blackListedKey:
            Row(status: .certificateRevoked, cssm: 0x8001_210C, subtype: .blocked, severity: .fatal)
        case .missingIntermediate: Row(status: .createChainFailed, cssm: 0x8001_212A, subtype: .trust)
        case .weakKeySize:
            Row(status: .unsupportedKeySize, cssm: 0x8001_2115, subtype: .keySize, severity: .fatal)
        case .keySize: Row(status: .unsupportedKeySize, cssm: 0x8001_0918, subtype: .keySize)
        case .weakSignature:
            Row(status: .invalidDigestAlgorithm, cssm: 0x8001_0955, subtype: .weakHash, severity: .fatal)
        case .signatureHashAlgorithms:
            Row(status: .invalidDigestAlgorithm, cssm: 0x8001_0913, subtype: .weakHash)
        case .extendedKeyUsage, .serverAuthEKU:
            Row(status: .invalidExtendedKeyUsage, cssm: 0x8001_2407, subtype: .usage)
        case .keyUsage: Row(status: .invalidKeyUsageForPolicy, cssm: 0x8001_2406, subtype: .usage)
        case .basicConstraints: Row(status: .noBasicConstraints, cssm: nil, subtype: .compliance)
        case .basicConstraintsCA: Row(status: .noBasicConstraintsCA, cssm: nil, subtype: .compliance)
        case .basicConstraintsPathLen, .chainLength:
            Row(status: .pathLengthConstraintExceeded, cssm: nil, subtype: .compliance)
        case .criticalExtensions: Row(status: .unknownCriticalExtensionFlag, cssm: nil, subtype: .compliance)
        case .unparseableExtension: Row(status: .unknownCertExtension, cssm: nil, subtype: .compliance)
        case .duplicateExtension: Row(status: .certificateDuplicateExtension, cssm: nil, subtype: .compliance)
        case .nameConstraints: Row(status: .invalidName, cssm: nil, subtype: .compliance)
        case .policyConstraints: Row(status: .invalidPolicyIdentifiers, cssm: nil, subtype: .compliance)
        case .idLinkage: Row(status: .invalidIDLinkage, cssm: nil, subtype: .compliance)
        case .nonEmptySubject: Row(status: .invalidSubjectName, cssm: nil, subtype: .compliance)
        case .systemTrustValidityPeriod, .otherTrustValidityPeriod:
            Row(status: .certificateValidityPeriodTooLong, cssm: 0x8001_210D, subtype: .compliance)
        case .leafSPKISHA256, .caspkiSHA256:
            Row(status: .sslATSCertificateTrustViolation, cssm: nil, subtype: .pinning)
        case .pinnedPath: Row(status: .sslATSCertificateTrustViolation, cssm: nil, subtype: .pinnedPath)
        case .revocation:
            Row(status: .certificateRevoked, cssm: 0x8001_210C, subtype: .revoked, severity: .fatal)
        case .revocationResponseRequired, .stapledResponseRequired:
            Row(status: .incompleteCertRevocationCheck, cssm: 0x8001_2423, subtype: .compliance)
        case .systemTrustedCTRequired: Row(status: .verifyActionFailed, cssm: 0x8001_2114, subtype: .compliance)
        case .certificateProfile, .chromeTransparency: Row(status: .notTrusted, cssm: nil, subtype: .compliance)
        case .workLimit: Row(status: .createChainFailed, cssm: nil, subtype: .trust)
        }
    }
}
