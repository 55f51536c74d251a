//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ValidationProfile {
    /// The rules of Apple's `SecTrust` (Security-61901: SecPolicy.c, SecPolicyServer.c). This is the default.
    ///
    /// The purpose of a request selects the rules for basic X.509, TLS clients or TLS servers, like the functions
    /// `SecPolicyCreate…`.
    public static let apple: ValidationProfile = {
        var profile = ValidationProfile(name: "apple")
        profile.minimumServerRSABits = 2_048
        profile.minimumServerEllipticCurveBits = 256
        profile.allowsEdwardsKeysOnServers = false
        profile.acceptsRSASSAPSS = false
        profile.allowsSHA1 = true
        profile.serverLifetimeLimits = Self.appleLifetimeLimits
        profile.serverAuthentication = .appleSince(Self.july2019)
        profile.acceptsServerGatedCrypto = true
        profile.requiresKeyIdentifierLinkage = true
        profile.acceptsUnprocessedCriticalExtensions = true
        profile.judgesDigestOfAnchors = true
        profile.maximumNameConstraintSubtrees = 1_023
        profile.unknownNameConstraintForms = .refusedIfCritical
        profile.alwaysConstrainsSubjectMailboxes = true
        profile.userTrustInLeafIsLenient = true
        profile.responderRules = .apple
        return profile
    }()

    /// The CA/Browser Forum's baseline requirements in a strict reading, with RFC 5280's rules for issuers.
    ///
    /// There are no limits on lifetimes. The forum sets them for issuers by the date of issue, and ``apple`` enforces them.
    public static let webPKI: ValidationProfile = {
        var profile = ValidationProfile(name: "webpki")
        profile.minimumRSABits = 2_048
        profile.minimumServerRSABits = 2_048
        profile.minimumEllipticCurveBits = 256
        profile.minimumServerEllipticCurveBits = 256
        profile.allowsEdwardsKeysOnServers = false
        profile.requiresWebKeyKinds = true
        profile.serverAuthentication = .always
        profile.requiresKeyIdentifierLinkage = true
        profile.maximumNameConstraintSubtrees = 1_023
        profile.acceptsLeadingDotInDNSConstraints = false
        profile.certificateRules = [.rfc5280, .baselineRequirements]
        profile.responderRules = .baselineRequirements
        profile.revocationAgeLimits = .baselineRequirements
        return profile
    }()

    /// The path validation of RFC 5280 §6.1 with the rules of §4 for readers of certificates. SHA-2 and RSA of 2,048
    /// bits are the minimum.
    public static let rfc5280: ValidationProfile = {
        var profile = ValidationProfile(name: "rfc5280")
        profile.minimumRSABits = 2_048
        profile.minimumServerRSABits = 2_048
        profile.minimumEllipticCurveBits = 224
        profile.minimumServerEllipticCurveBits = 224
        profile.certificateRules = .readers
        return profile
    }()

    /// The path validation of RFC 5280 §6 with the rules of §4 for the certificates of conforming issuers.
    public static let rfc5280Strict: ValidationProfile = {
        var profile = Self.rfc5280
        profile.name = "rfc5280-strict"
        profile.requiresKeyIdentifierLinkage = true
        profile.acceptsLeadingDotInDNSConstraints = false
        profile.certificateRules = .rfc5280
        return profile
    }()

    /// RFC 5280 with SHA-1 and RSA of 1,024 bits, for archives and old devices. Signatures with either are forgeable
    /// or soon will be.
    public static let legacy: ValidationProfile = {
        var profile = ValidationProfile(name: "legacy")
        profile.allowsSHA1 = true
        profile.allowsSHA1OnServers = true
        profile.certificateRules = .readers
        return profile
    }()

    /// The standard profiles, with the default first.
    public static let standard: [ValidationProfile] = [.apple, .webPKI, .rfc5280, .rfc5280Strict, .legacy]

    /// Returns the standard profile with a name, or `nil` if there is none.
    public static func named(_ name: String) -> ValidationProfile? {
        Self.standard.first { $0.name == name }
    }

    /// The start of Apple's serverAuth rule. SecPolicyServer.c compares with CFAbsoluteTime 583628400. Its comment
    /// says "1 July 2019", but the value is an hour earlier.
    private static let july2019 = Timestamp(year: 2019, month: 6, day: 30, hour: 23)

    /// The limits of SecPolicy.c, `set_ssl_validity_periods`. The extra hour is Apple's tolerance for leap seconds and
    /// imprecise issuers. The rule of 2020 has none.
    private static let appleLifetimeLimits: [LifetimeLimit] = [
        LifetimeLimit(
            issuedFrom: Timestamp(year: 2018, month: 3, day: 1), maximumSeconds: 825 * 86_400 + 3_600,
            anchorClasses: [.system], source: "Apple: 825 days below a system root since 2018-03-01"),
        LifetimeLimit(
            issuedFrom: Timestamp(year: 2020, month: 9, day: 1), maximumSeconds: 398 * 86_400,
            anchorClasses: [.system], source: "Apple: 398 days below a system root since 2020-09-01"),
        LifetimeLimit(
            issuedFrom: Self.july2019, maximumSeconds: 825 * 86_400 + 3_600,
            anchorClasses: [.application, .user, .system], source: "Apple: 825 days below any root since 2019-07-01"),
    ]
}
