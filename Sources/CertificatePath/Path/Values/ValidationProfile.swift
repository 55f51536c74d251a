//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Which rules a path must keep, one property for each.
///
/// The rules every profile keeps — signatures, names chaining, RFC 5280 §6.1's state, unknown critical extensions — have
/// no switch. Start from ``apple``, ``webPKI``, ``rfc5280`` or ``legacy`` and change what has to differ.
public struct ValidationProfile: Sendable, Hashable {
    /// The name of the profile, for explanations.
    public var name: String

    // MARK: Keys

    /// The smallest RSA modulus of any certificate of the path, anchor included, in bits. Smaller is beyond repair.
    public var minimumRSABits = 1_024
    /// The smallest curve of any certificate of the path, anchor included, in bits.
    public var minimumEllipticCurveBits = 160
    /// The smallest RSA modulus on a TLS server's path, in bits.
    public var minimumServerRSABits = 1_024
    /// The smallest curve on a TLS server's path, in bits.
    public var minimumServerEllipticCurveBits = 160
    /// Whether Ed25519 and Ed448 keys may stand on a TLS server's path.
    public var allowsEdwardsKeysOnServers = true
    /// Whether only RSA and P-256, P-384 and P-521 may be used at all (CA/Browser Forum BR 6.1.5).
    public var requiresWebKeyKinds = false

    // MARK: Signatures

    /// Whether signatures by RSASSA-PSS, and keys of the kind id-RSASSA-PSS, count in certificates, revocation lists and OCSP
    /// responses (RFC 4055). No Apple system verifies them there: `SecKeyAlgorithmFromDERAlgorithmId` in
    /// SecSignatureVerificationSupport.c knows PKCS #1 v1.5 alone for RSA keys.
    public var acceptsRSASSAPSS = true

    // MARK: Digests

    /// Whether SHA-1 may sign certificates that are not self-signed. MD5 and its elders never may.
    public var allowsSHA1 = false
    /// Whether SHA-1 may do so on a TLS server's path.
    public var allowsSHA1OnServers = false
    /// Whether the digest that an anchor's certificate is signed over matters although its signature is not verified: Apple
    /// asks it of anchors that are not self-signed.
    public var judgesDigestOfAnchors = false

    // MARK: Time

    /// The longest lifetimes of a TLS server's certificate.
    public var serverLifetimeLimits: [LifetimeLimit] = []

    // MARK: Usage

    /// When a TLS server's certificate must name serverAuth itself.
    public var serverAuthentication = ServerAuthenticationRule.ifUsagesArePresent
    /// Whether the server-gated-crypto usages of the nineties still mean serverAuth.
    public var acceptsServerGatedCrypto = false

    // MARK: Path

    /// Whether a child's authority key identifier must equal its issuer's subject key identifier when both are there.
    public var requiresKeyIdentifierLinkage = false
    /// Whether version 1 and 2 certificates are authorities below a version 1 or 2 anchor. Apple accepts them.
    ///
    /// - Warning: Such a certificate cannot say that it is an end entity: below a version 1 root, each holder of a version 1
    ///   server certificate can then be any host.
    public var dangerouslyAcceptsOldIntermediatesBelowOldAnchors = false
    /// Whether a critical extension is accepted that is known and not processed here: Apple accepts several, among them its
    /// own. RFC 5280 §4.2 demands to reject the certificate.
    public var acceptsUnprocessedCriticalExtensions = false
    /// How many subtrees name constraints may have before they are refused; `nil` leaves it to the budget.
    public var maximumNameConstraintSubtrees: Int? = nil
    /// What becomes of name constraints on forms of name that cannot be compared.
    public var unknownNameConstraintForms = UnknownNameConstraintForms.refusedWhereNamesHaveThem
    /// Whether a DNS constraint may begin with a dot, meaning sub-domains only. RFC 5280 §4.2.1.10 has it for URIs alone.
    public var acceptsLeadingDotInDNSConstraints = true
    /// Whether a constraint on mail addresses is about the emailAddress attributes of a subject beside alternative names too:
    /// Apple's `nc_compare_subject_to_subtrees` says so. RFC 5280 §4.2.1.10 looks at them only without alternative names.
    public var alwaysConstrainsSubjectMailboxes = false
    /// Whether a user's own trust in the leaf lifts the strength and lifetime rules of TLS servers.
    public var userTrustInLeafIsLenient = false
    /// The form a certificate must have beyond what path validation needs.
    public var certificateRules: CertificateRules = []

    // MARK: Revocation

    /// What a delegated OCSP responder's certificate must be.
    public var responderRules: ResponderRules = []
    /// How old lists and responses may be that clear a certificate. A ``RevocationPolicy`` may have its own limits.
    public var revocationAgeLimits = RevocationAgeLimits.generous

    /// A profile with the rules of RFC 5280 and nothing else.
    ///
    /// - Parameter name: The name used in explanations.
    public init(name: String) {
        self.name = name
    }
}

extension ValidationProfile {
    /// Whether a signature algorithm counts in certificates, revocation lists and OCSP responses.
    func accepts(_ algorithm: SignatureAlgorithm) -> Bool { self.acceptsRSASSAPSS || algorithm.scheme != .rsaPSS }
}

/// The longest lifetime of certificates issued from some instant on.
public struct LifetimeLimit: Sendable, Hashable {
    /// The first `notBefore` the limit is about, inclusive.
    public var issuedFrom: Timestamp
    /// The longest `notAfter - notBefore`, in seconds, inclusive.
    public var maximumSeconds: Int64
    /// The anchors below which the limit holds.
    public var anchorClasses: Set<AnchorClass>
    /// Where the limit comes from, for explanations.
    public var source: String

    /// A limit.
    ///
    /// - Parameters:
    ///   - issuedFrom: The first `notBefore` the limit is about, inclusive.
    ///   - maximumSeconds: The longest lifetime in seconds, inclusive.
    ///   - anchorClasses: The anchors below which the limit holds.
    ///   - source: Where the limit comes from.
    public init(issuedFrom: Timestamp, maximumSeconds: Int64, anchorClasses: Set<AnchorClass>, source: String) {
        self.issuedFrom = issuedFrom
        self.maximumSeconds = maximumSeconds
        self.anchorClasses = anchorClasses
        self.source = source
    }
}

/// When a TLS server's certificate must name serverAuth (1.3.6.1.5.5.7.3.1) itself.
public enum ServerAuthenticationRule: Sendable, Hashable {
    /// Only if it has the extension at all; anyExtendedKeyUsage will do.
    case ifUsagesArePresent
    /// Always.
    case always
    /// Below a system anchor always; below a program's anchor when issued after the instant; else if usages are present.
    case appleSince(Timestamp)

    /// True if a certificate must name serverAuth, whatever usages it has.
    ///
    /// - Parameters:
    ///   - leaf: The server's certificate.
    ///   - anchorClass: What the path ends at.
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

/// What becomes of name constraints on forms of name that cannot be compared: other names, X.400, EDI, registered ids.
public enum UnknownNameConstraintForms: Sendable, Hashable {
    /// Certificates that have a name of such a form are refused, and no others (RFC 5280 §4.2.1.10's "or reject").
    case refusedWhereNamesHaveThem
    /// Every certificate below is refused when the extension is critical; otherwise such constraints are ignored, as
    /// Apple does.
    case refusedIfCritical
}

/// Rules on the form of certificates that RFC 5280 and the CA/Browser Forum set for those who issue them.
public struct CertificateRules: OptionSet, Sendable, Hashable {
    /// One bit for each rule.
    public let rawValue: UInt32

    /// A set of rules.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A positive serial number of at most 20 octets; an anchor's may be zero (RFC 5280 §4.1.2.2).
    public static let serialNumber = CertificateRules(rawValue: 1 << 0)
    /// An issuer that is not empty (RFC 5280 §4.1.2.4).
    public static let nonEmptyIssuer = CertificateRules(rawValue: 1 << 1)
    /// An authority key identifier with a key identifier on everything below the anchor (RFC 5280 §4.2.1.1).
    public static let authorityKeyIdentifier = CertificateRules(rawValue: 1 << 2)
    /// A subject key identifier on every certificate authority (RFC 5280 §4.2.1.2).
    public static let subjectKeyIdentifier = CertificateRules(rawValue: 1 << 3)
    /// Criticality as RFC 5280 §4.2 prescribes it for each extension.
    public static let criticality = CertificateRules(rawValue: 1 << 4)
    /// Name constraints only on certificate authorities (RFC 5280 §4.2.1.10).
    public static let nameConstraintsOnAuthoritiesOnly = CertificateRules(rawValue: 1 << 5)
    /// keyCertSign if and only if cA (RFC 5280 §4.2.1.3, §4.2.1.9).
    public static let keyCertSignOnAuthoritiesOnly = CertificateRules(rawValue: 1 << 6)
    /// Path length only with cA and keyCertSign (RFC 5280 §4.2.1.9).
    public static let pathLengthOnAuthoritiesOnly = CertificateRules(rawValue: 1 << 7)
    /// A key usage on every certificate authority (RFC 5280 §4.2.1.3).
    public static let keyUsageOnAuthorities = CertificateRules(rawValue: 1 << 8)
    /// Critical basic constraints on every certificate authority (RFC 5280 §4.2.1.9).
    public static let criticalBasicConstraints = CertificateRules(rawValue: 1 << 9)
    /// Version 3 for everything (CA/Browser Forum BR 7.1.1).
    public static let version3 = CertificateRules(rawValue: 1 << 10)
    /// A server's certificate is not a certificate authority (CA/Browser Forum BR 7.1.2.7.8).
    public static let leafIsNotAuthority = CertificateRules(rawValue: 1 << 11)
    /// Extended key usage never critical, never on a root, and without anyExtendedKeyUsage on a server's certificate
    /// (CA/Browser Forum BR 7.1.2.1.2, 7.1.2.7.6, 7.1.2.7.10).
    public static let webExtendedKeyUsage = CertificateRules(rawValue: 1 << 12)
    /// Every common name of a server's certificate is one of its alternative names, letter by letter (CA/Browser Forum BR
    /// 7.1.4.3).
    public static let commonNameInSubjectAlternativeName = CertificateRules(rawValue: 1 << 13)
    /// An authority key identifier that names no certificate by issuer and serial number (CA/Browser Forum BR 7.1.2.11.1).
    public static let authorityKeyIdentifierWithoutIssuer = CertificateRules(rawValue: 1 << 14)
    /// A subject alternative name on every server's certificate, critical exactly when the subject is empty
    /// (CA/Browser Forum BR 7.1.2.7.12).
    public static let subjectAlternativeName = CertificateRules(rawValue: 1 << 15)
    /// An RSA modulus whose size is a multiple of eight bits (CA/Browser Forum BR 6.1.5).
    public static let wholeOctetModulus = CertificateRules(rawValue: 1 << 16)

    /// Dates in UTC with seconds, no padding bits set in a key usage, and no unique identifiers in version 1 (RFC 5280
    /// §4.1.2.5, §4.1.2.8, X.690 §11.2).
    public static let conformingEncoding = CertificateRules(rawValue: 1 << 17)
    /// The signed and the unsigned AlgorithmIdentifier are identical, parameters included (RFC 5280 §4.1.1.2).
    public static let identicalSignatureAlgorithms = CertificateRules(rawValue: 1 << 18)
    /// No certificate policy stands twice (RFC 5280 §4.2.1.4).
    public static let distinctPolicies = CertificateRules(rawValue: 1 << 19)
    /// Critical certificate policies have no qualifier that this library does not know (RFC 5280 §4.2.1.4).
    public static let knownPolicyQualifiers = CertificateRules(rawValue: 1 << 20)
    /// DNS names are made of letters, digits and hyphens, a whole label of asterisk aside, and addresses of 4 or 16 octets
    /// (RFC 5280 §4.2.1.6; CA/Browser Forum BR 7.1.2.7.12).
    public static let preferredNameSyntax = CertificateRules(rawValue: 1 << 21)
    /// The authority key identifier of a root, if there is one, is its own key's (CA/Browser Forum BR 7.1.2.1.3).
    public static let rootAuthorityKeyIdentifier = CertificateRules(rawValue: 1 << 22)
    /// ECDSA signatures have no parameters (RFC 5758 §3.2).
    public static let signatureParameters = CertificateRules(rawValue: 1 << 23)

    /// What RFC 5280 §4 tells those who read certificates to refuse. Every standard profile but `apple` asks it.
    public static let readers: CertificateRules = [
        .conformingEncoding, .identicalSignatureAlgorithms, .distinctPolicies,
    ]

    /// The rules about a server's certificate alone.
    static let servers: CertificateRules = [
        .leafIsNotAuthority, .webExtendedKeyUsage, .subjectAlternativeName, .preferredNameSyntax,
        .commonNameInSubjectAlternativeName,
    ]

    /// The rules one by one, in the order of their bits.
    var each: [CertificateRules] {
        self.isEmpty ? [] : (0..<32).map { CertificateRules(rawValue: 1 << $0) }.filter(self.contains)
    }

    /// What RFC 5280 §4 demands of conforming issuers.
    public static let rfc5280: CertificateRules = [
        .serialNumber, .nonEmptyIssuer, .authorityKeyIdentifier, .subjectKeyIdentifier, .criticality,
        .nameConstraintsOnAuthoritiesOnly, .keyCertSignOnAuthoritiesOnly, .pathLengthOnAuthoritiesOnly,
        .criticalBasicConstraints, .conformingEncoding, .identicalSignatureAlgorithms, .distinctPolicies,
        .knownPolicyQualifiers, .preferredNameSyntax, .signatureParameters,
    ]

    /// What the CA/Browser Forum's baseline requirements demand beyond.
    public static let baselineRequirements: CertificateRules = [
        .version3, .leafIsNotAuthority, .webExtendedKeyUsage, .commonNameInSubjectAlternativeName,
        .authorityKeyIdentifierWithoutIssuer, .subjectAlternativeName, .wholeOctetModulus, .rootAuthorityKeyIdentifier,
    ]
}
