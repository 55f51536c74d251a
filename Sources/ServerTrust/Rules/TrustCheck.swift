//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The checks of Apple's policies, by the names Apple's details dictionaries use (SecPolicyChecks.list).
///
/// The one table of what each reports: its `OSStatus`, the older CSSM code, how severe it is, and where it stands among
/// others when several fail.
public enum TrustCheck: String, Sendable, Hashable, CaseIterable {
    /// The certificate is for the host.
    case sslHostname = "SSLHostname"
    /// The moment is within the validity.
    case temporalValidity = "TemporalValidity"
    /// The self-signed end of the path is trusted.
    case anchorTrusted = "AnchorTrusted"
    /// No key of the path is blocked.
    case blackListedKey = "BlackListedKey"
    /// The path reaches an end.
    case missingIntermediate = "MissingIntermediate"
    /// Keys are usable and not hopelessly weak.
    case weakKeySize = "WeakKeySize"
    /// Keys have the size a TLS server needs.
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
    /// Issuers' path lengths are kept.
    case basicConstraintsPathLen = "BasicConstraintsPathLen"
    /// The path is not too long.
    case chainLength = "ChainLength"
    /// Critical extensions are known.
    case criticalExtensions = "CriticalExtensions"
    /// Known extensions can be read.
    case unparseableExtension = "UnparseableExtension"
    /// Extensions stand once.
    case duplicateExtension = "DuplicateExtension"
    /// Names keep the issuers' constraints.
    case nameConstraints = "NameConstraints"
    /// Certificate policies allow the path.
    case policyConstraints = "PolicyConstraints"
    /// Key identifiers link each certificate with its issuer.
    case idLinkage = "IdLinkage"
    /// Subjects are there where they must be.
    case nonEmptySubject = "NonEmptySubject"
    /// The lifetime keeps the limit below system roots.
    case systemTrustValidityPeriod = "SystemTrustValidityPeriod"
    /// The lifetime keeps the limit below any root.
    case otherTrustValidityPeriod = "OtherTrustValidityPeriod"
    /// The leaf's key is pinned.
    case leafSPKISHA256 = "LeafSPKISHA256"
    /// An authority's key is pinned.
    case caspkiSHA256 = "CAspkiSHA256"
    /// Something on the path, or its anchor, is pinned. Not a check of Apple's, which pins leaves and authorities apart.
    case pinnedPath = "PinnedPath"
    /// No certificate of the path is revoked.
    case revocation = "Revocation"
    /// The revocation status of the path's certificates is known.
    case revocationResponseRequired = "RevocationResponseRequired"
    /// The server staples an OCSP response where its certificate promises one. Not a check of Apple's.
    case stapledResponseRequired = "StapledResponseRequired"
    /// A server's certificate below a public root has signed certificate timestamps.
    case systemTrustedCTRequired = "SystemTrustedCTRequired"
    /// A server's certificate keeps Chrome's policy of certificate transparency. Not a check of Apple's.
    case chromeTransparency = "ChromeCertificateTransparency"
    /// Certificates have the form their profile prescribes. Not a check of Apple's.
    case certificateProfile = "CertificateProfile"
    /// The work for one evaluation sufficed. Not a check of Apple's, whose limits end in a missing issuer.
    case workLimit = "WorkLimit"
}

extension TrustCheck {
    /// What a failed check means for the result.
    public enum Severity: String, Sendable, Hashable {
        /// Someone may decide to go on: exceptions can lift it.
        case recoverable
        /// Nothing can lift it.
        case fatal
    }

    /// The groups of failures from worst to least (SecTrust.c `SecTrustCopyErrorStrings`): the worst gives the error code.
    enum Subtype: Int, Comparable {
        case blocked, revoked, keySize, weakHash, denied, compliance, pinning, trust, usage, name, expired
        /// Not a group of Apple's: what a path is pinned to is looked at when nothing else is wrong with it.
        case pinnedPath

        static func < (left: Subtype, right: Subtype) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Row {
        let status: OSStatusCode
        let cssm: UInt32?
        let subtype: Subtype
        var severity = Severity.recoverable
    }

    /// The code Security reports for the check.
    public var osStatus: OSStatusCode { self.row.status }
    /// The CSSM code of macOS's older interfaces, where Apple documents one.
    public var cssmCode: UInt32? { self.row.cssm }
    /// What another program than Apple's reports for the check; `nil` where the rule is not another program's.
    package var foreignCode: String? {
        self == .chromeTransparency ? "net::ERR_CERTIFICATE_TRANSPARENCY_REQUIRED (-214)" : nil
    }
    /// True if Apple's systems have a check of this name.
    var isApples: Bool {
        switch self {
        case .pinnedPath, .stapledResponseRequired, .chromeTransparency, .certificateProfile, .workLimit: false
        default: true
        }
    }
    /// What failing means.
    public var severity: Severity { self.row.severity }
    /// True if the check is about the form of certificates alone, which Apple does not judge.
    var isAboutForm: Bool { self == .certificateProfile }
    /// The rank among failed checks, the worst first.
    package var rank: Int { self.subtype.rawValue }
    /// The group the check belongs to.
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
