//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A set of rules for paths, with a property for each rule.
///
/// Some rules hold in every profile and have no property: signatures, chained names, the state of RFC 5280 §6.1, and
/// unknown critical extensions. Start from ``apple``, ``webPKI``, ``rfc5280`` or ``legacy`` and change the properties
/// that have to differ.
///
/// ```swift
/// var profile = ValidationProfile.apple
/// profile.name = "internal"
/// profile.allowsSHA1 = false
/// ```
public struct ValidationProfile: Sendable, Hashable {
    /// The name of the profile in reports.
    public var name: String

    // MARK: Keys

    /// The minimum RSA modulus of every certificate on the path, including the anchor, in bits. A smaller key is always rejected.
    public var minimumRSABits = 1_024
    /// The minimum curve size of every certificate on the path, including the anchor, in bits.
    public var minimumEllipticCurveBits = 160
    /// The minimum RSA modulus on a TLS server's path, in bits.
    public var minimumServerRSABits = 1_024
    /// The minimum curve size on a TLS server's path, in bits.
    public var minimumServerEllipticCurveBits = 160
    /// `true` if a TLS server's path may have Ed25519 and Ed448 keys.
    public var allowsEdwardsKeysOnServers = true
    /// `true` if only RSA, P-256, P-384 and P-521 keys are accepted (CA/Browser Forum BR 6.1.5).
    public var requiresWebKeyKinds = false

    // MARK: Signatures

    /// `true` if signatures by RSASSA-PSS and keys of the kind id-RSASSA-PSS are accepted in certificates, revocation
    /// lists and OCSP responses (RFC 4055).
    ///
    /// No Apple system verifies them there. `SecKeyAlgorithmFromDERAlgorithmId` in SecSignatureVerificationSupport.c
    /// only knows PKCS #1 v1.5 for RSA keys.
    public var acceptsRSASSAPSS = true

    // MARK: Digests

    /// `true` if SHA-1 is accepted in the signatures of certificates that are not self-signed. MD5 and older digests never are.
    public var allowsSHA1 = false
    /// `true` if SHA-1 is accepted on a TLS server's path.
    public var allowsSHA1OnServers = false
    /// `true` if the digest in an anchor's certificate matters, although its signature is not verified. Apple checks
    /// it for anchors that are not self-signed.
    public var judgesDigestOfAnchors = false

    // MARK: Time

    /// The limits on the lifetime of a TLS server's certificate.
    public var serverLifetimeLimits: [LifetimeLimit] = []

    // MARK: Usage

    /// The condition under which a TLS server's certificate must have the usage serverAuth.
    public var serverAuthentication = ServerAuthenticationRule.ifUsagesArePresent
    /// `true` if the server-gated-crypto usages of the nineties count as serverAuth.
    public var acceptsServerGatedCrypto = false

    // MARK: Path

    /// `true` if a certificate's authority key identifier must equal its issuer's subject key identifier when both are present.
    public var requiresKeyIdentifierLinkage = false
    /// `true` if version 1 and 2 certificates count as authorities below a version 1 or 2 anchor. Apple accepts them.
    ///
    /// - Warning: Such a certificate cannot be marked as an end entity. Below a version 1 root, each holder of a
    ///   version 1 server certificate can then impersonate any host.
    public var dangerouslyAcceptsOldIntermediatesBelowOldAnchors = false
    /// `true` if critical extensions that are known but not processed are accepted. Apple accepts several, including
    /// its own. RFC 5280 §4.2 requires rejecting the certificate.
    public var acceptsUnprocessedCriticalExtensions = false
    /// The maximum number of subtrees in name constraints, or `nil` for no limit except the budget.
    public var maximumNameConstraintSubtrees: Int? = nil
    /// The treatment of name constraints on forms of name that cannot be compared.
    public var unknownNameConstraintForms = UnknownNameConstraintForms.refusedWhereNamesHaveThem
    /// `true` if a DNS constraint may begin with a dot, which covers sub-domains only. RFC 5280 §4.2.1.10 defines the
    /// dot for URIs alone.
    public var acceptsLeadingDotInDNSConstraints = true
    /// `true` if constraints on mail addresses apply to the emailAddress attributes of a subject even if the
    /// certificate has alternative names, as in Apple's `nc_compare_subject_to_subtrees`. RFC 5280 §4.2.1.10 checks
    /// them only without alternative names.
    public var alwaysConstrainsSubjectMailboxes = false
    /// `true` if the user's trust in the leaf itself lifts the strength and lifetime rules for TLS servers.
    public var userTrustInLeafIsLenient = false
    /// The rules on the form of certificates beyond the needs of path validation.
    public var certificateRules: CertificateRules = []

    // MARK: Revocation

    /// The rules for a delegated OCSP responder's certificate.
    public var responderRules: ResponderRules = []
    /// The limits on the age of lists and responses that clear a certificate. A ``RevocationPolicy`` may have limits of its own.
    public var revocationAgeLimits = RevocationAgeLimits.generous

    /// Creates a profile with the rules of RFC 5280 only.
    ///
    /// - Parameter name: The name in reports.
    public init(name: String) {
        self.name = name
    }
}

extension ValidationProfile {
    /// Returns `true` if a signature algorithm is accepted in certificates, revocation lists and OCSP responses.
    func accepts(_ algorithm: SignatureAlgorithm) -> Bool { self.acceptsRSASSAPSS || algorithm.scheme != .rsaPSS }
}

/// A limit on the lifetime of certificates that were issued from a moment on.
///
/// A profile may have several limits. If a certificate exceeds more than one, the report has the shortest.
public struct LifetimeLimit: Sendable, Hashable {
    /// The first `notBefore` to which the limit applies, inclusive.
    public var issuedFrom: Timestamp
    /// The maximum of `notAfter - notBefore`, in seconds, inclusive.
    public var maximumSeconds: Int64
    /// The classes of anchors below which the limit applies.
    public var anchorClasses: Set<AnchorClass>
    /// The source of the limit, for reports.
    public var source: String

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - issuedFrom: The first `notBefore` to which the limit applies, inclusive.
    ///   - maximumSeconds: The maximum lifetime in seconds, inclusive.
    ///   - anchorClasses: The classes of anchors below which the limit applies.
    ///   - source: The source of the limit.
    public init(issuedFrom: Timestamp, maximumSeconds: Int64, anchorClasses: Set<AnchorClass>, source: String) {
        self.issuedFrom = issuedFrom
        self.maximumSeconds = maximumSeconds
        self.anchorClasses = anchorClasses
        self.source = source
    }
}

/// The condition under which a TLS server's certificate must have the usage serverAuth (1.3.6.1.5.5.7.3.1).
public enum ServerAuthenticationRule: Sendable, Hashable {
    /// The usage is required if the certificate has extended key usages. anyExtendedKeyUsage also suffices.
    case ifUsagesArePresent
    /// The usage is always required.
    case always
    /// The usage is always required below a system anchor. Below a program's anchor it is required in certificates
    /// issued after the moment, and otherwise if the certificate has extended key usages.
    case appleSince(Timestamp)

    /// Returns `true` if a certificate must have serverAuth regardless of its other usages.
    ///
    /// - Parameters:
    ///   - leaf: The server's certificate.
    ///   - anchorClass: The class of the path's anchor.
    package func isRequired(of leaf: CertificateView, below anchorClass: AnchorClass) -> Bool {
        switch self {
        case .ifUsagesArePresent: false
        case .always: true
        case .appleSince(let instant):
            switch anchorClass {
            case .system: true
            case .application: leaf.notBefore > instant
            case .user: false
            }
        }
    }
}

/// The treatment of name constraints on forms of name that cannot be compared: other names, X.400, EDI and registered IDs.
public enum UnknownNameConstraintForms: Sendable, Hashable {
    /// Only certificates with a name of such a form are rejected (RFC 5280 §4.2.1.10's "or reject").
    case refusedWhereNamesHaveThem
    /// Every certificate below is rejected if the extension is critical. Otherwise such constraints are ignored, as Apple does.
    case refusedIfCritical
}

/// The rules on the form of certificates that RFC 5280 and the CA/Browser Forum set for issuers.
///
/// A broken rule says that the issuer did not keep the profile that it claims, not that the certificate is forged.
public struct CertificateRules: OptionSet, Sendable, Hashable {
    /// The rules as bits.
    public let rawValue: UInt32

    /// Creates a set of rules.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The serial number is positive and has at most 20 octets. An anchor's may be zero (RFC 5280 §4.1.2.2).
    public static let serialNumber = CertificateRules(rawValue: 1 << 0)
    /// The issuer is not empty (RFC 5280 §4.1.2.4).
    public static let nonEmptyIssuer = CertificateRules(rawValue: 1 << 1)
    /// Every certificate below the anchor has an authority key identifier with a key identifier (RFC 5280 §4.2.1.1).
    public static let authorityKeyIdentifier = CertificateRules(rawValue: 1 << 2)
    /// Every certificate authority has a subject key identifier (RFC 5280 §4.2.1.2).
    public static let subjectKeyIdentifier = CertificateRules(rawValue: 1 << 3)
    /// Every extension has the criticality that RFC 5280 §4.2 prescribes.
    public static let criticality = CertificateRules(rawValue: 1 << 4)
    /// Only certificate authorities have name constraints (RFC 5280 §4.2.1.10).
    public static let nameConstraintsOnAuthoritiesOnly = CertificateRules(rawValue: 1 << 5)
    /// Only certificates with cA have keyCertSign (RFC 5280 §4.2.1.3, §4.2.1.9).
    public static let keyCertSignOnAuthoritiesOnly = CertificateRules(rawValue: 1 << 6)
    /// Only certificates with cA have a path length, and if they have a key usage, it includes keyCertSign (RFC 5280 §4.2.1.9).
    public static let pathLengthOnAuthoritiesOnly = CertificateRules(rawValue: 1 << 7)
    /// Every certificate authority has a key usage (RFC 5280 §4.2.1.3).
    public static let keyUsageOnAuthorities = CertificateRules(rawValue: 1 << 8)
    /// Every certificate authority has critical basic constraints (RFC 5280 §4.2.1.9).
    public static let criticalBasicConstraints = CertificateRules(rawValue: 1 << 9)
    /// Every certificate has version 3 (CA/Browser Forum BR 7.1.1).
    public static let version3 = CertificateRules(rawValue: 1 << 10)
    /// A server's certificate is not a certificate authority (CA/Browser Forum BR 7.1.2.7.8).
    public static let leafIsNotAuthority = CertificateRules(rawValue: 1 << 11)
    /// Extended key usage is never critical and never on a root. A server's certificate has no anyExtendedKeyUsage
    /// (CA/Browser Forum BR 7.1.2.1.2, 7.1.2.7.6, 7.1.2.7.10).
    public static let webExtendedKeyUsage = CertificateRules(rawValue: 1 << 12)
    /// Every common name of a server's certificate equals one of its alternative names character for character
    /// (CA/Browser Forum BR 7.1.4.3).
    public static let commonNameInSubjectAlternativeName = CertificateRules(rawValue: 1 << 13)
    /// The authority key identifier does not name a certificate by issuer and serial number (CA/Browser Forum BR 7.1.2.11.1).
    public static let authorityKeyIdentifierWithoutIssuer = CertificateRules(rawValue: 1 << 14)
    /// Every server's certificate has a subject alternative name, which is critical exactly if the subject is empty
    /// (CA/Browser Forum BR 7.1.2.7.12).
    public static let subjectAlternativeName = CertificateRules(rawValue: 1 << 15)
    /// The size of an RSA modulus is a multiple of eight bits (CA/Browser Forum BR 6.1.5).
    public static let wholeOctetModulus = CertificateRules(rawValue: 1 << 16)

    /// Dates are in UTC with seconds, no padding bits of a key usage are set, and version 1 has no unique identifiers
    /// (RFC 5280 §4.1.2.5, §4.1.2.8, X.690 §11.2).
    public static let conformingEncoding = CertificateRules(rawValue: 1 << 17)
    /// The signed and the unsigned AlgorithmIdentifier are identical, including their parameters (RFC 5280 §4.1.1.2).
    public static let identicalSignatureAlgorithms = CertificateRules(rawValue: 1 << 18)
    /// No certificate policy occurs twice (RFC 5280 §4.2.1.4).
    public static let distinctPolicies = CertificateRules(rawValue: 1 << 19)
    /// Critical certificate policies have no unknown qualifier (RFC 5280 §4.2.1.4).
    public static let knownPolicyQualifiers = CertificateRules(rawValue: 1 << 20)
    /// DNS names consist of letters, digits and hyphens, except that the first label may be an asterisk. Addresses
    /// have 4 or 16 octets (RFC 5280 §4.2.1.6; CA/Browser Forum BR 7.1.2.7.12).
    public static let preferredNameSyntax = CertificateRules(rawValue: 1 << 21)
    /// The authority key identifier of a root, if present, is that of its own key (CA/Browser Forum BR 7.1.2.1.3).
    public static let rootAuthorityKeyIdentifier = CertificateRules(rawValue: 1 << 22)
    /// ECDSA signatures have no parameters (RFC 5758 §3.2).
    public static let signatureParameters = CertificateRules(rawValue: 1 << 23)

    /// The rules of RFC 5280 §4 for readers of certificates. Every standard profile except `apple` has them.
    public static let readers: CertificateRules = [
        .conformingEncoding, .identicalSignatureAlgorithms, .distinctPolicies,
    ]

    /// The rules for a server's certificate only.
    static let servers: CertificateRules = [
        .leafIsNotAuthority, .webExtendedKeyUsage, .subjectAlternativeName, .preferredNameSyntax,
        .commonNameInSubjectAlternativeName,
    ]

    /// The single rules, in the order of their bits.
    var each: [CertificateRules] {
        self.isEmpty ? [] : (0..<32).map { CertificateRules(rawValue: 1 << $0) }.filter(self.contains)
    }

    /// The rules of RFC 5280 §4 for conforming issuers.
    public static let rfc5280: CertificateRules = [
        .serialNumber, .nonEmptyIssuer, .authorityKeyIdentifier, .subjectKeyIdentifier, .criticality,
        .nameConstraintsOnAuthoritiesOnly, .keyCertSignOnAuthoritiesOnly, .pathLengthOnAuthoritiesOnly,
        .criticalBasicConstraints, .conformingEncoding, .identicalSignatureAlgorithms, .distinctPolicies,
        .knownPolicyQualifiers, .preferredNameSyntax, .signatureParameters,
    ]

    /// The additional rules of the CA/Browser Forum's baseline requirements.
    public static let baselineRequirements: CertificateRules = [
        .version3, .leafIsNotAuthority, .webExtendedKeyUsage, .commonNameInSubjectAlternativeName,
        .authorityKeyIdentifierWithoutIssuer, .subjectAlternativeName, .wholeOctetModulus, .rootAuthorityKeyIdentifier,
    ]
}
