//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ValidationProfile {
    /// What Apple's `SecTrust` enforces (Security-61901: SecPolicy.c, SecPolicyServer.c). The default.
    ///
    /// Basic X.509, TLS client and TLS server rules are told apart by the purpose of a request, as `SecPolicyCreate…`
    /// tells them apart.
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

    /// The CA/Browser Forum's baseline requirements read strictly, and RFC 5280's demands on issuers.
    ///
    /// Lifetimes are left out: the forum limits them by the date of issuance, for issuers; ``apple`` enforces them.
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

    /// Path validation as RFC 5280 §6.1 describes it, and what §4 tells readers to refuse, with SHA-2 and RSA of 2,048 bits
    /// as the floor.
    public static let rfc5280: ValidationProfile = {
        var profile = ValidationProfile(name: "rfc5280")
        profile.minimumRSABits = 2_048
        profile.minimumServerRSABits = 2_048
        profile.minimumEllipticCurveBits = 224
        profile.minimumServerEllipticCurveBits = 224
        profile.certificateRules = .readers
        return profile
    }()

    /// RFC 5280 §4 and §6: path validation, and the form that certificates of conforming issuers have.
    public static let rfc5280Strict: ValidationProfile = {
        var profile = Self.rfc5280
        profile.name = "rfc5280-strict"
        profile.requiresKeyIdentifierLinkage = true
        profile.acceptsLeadingDotInDNSConstraints = false
        profile.certificateRules = .rfc5280
        return profile
    }()

    /// RFC 5280 with SHA-1 and RSA of 1,024 bits, for archives and old devices. Both are forgeable or soon will be.
    public static let legacy: ValidationProfile = {
        var profile = ValidationProfile(name: "legacy")
        profile.allowsSHA1 = true
        profile.allowsSHA1OnServers = true
        profile.certificateRules = .readers
        return profile
    }()

    /// The standard profiles, the default first.
    public static let standard: [ValidationProfile] = [.apple, .webPKI, .rfc5280, .rfc5280Strict, .legacy]

    /// A standard profile by its name; `nil` without one of that name.
    public static func named(_ name: String) -> ValidationProfile? {
        Self.standard.first { $0.name == name }
    }

    /// SecPolicyServer.c compares with CFAbsoluteTime 583628400, commented "1 July 2019" and really an hour less.
    private static let july2019 = Timestamp(year: 2019, month: 6, day: 30, hour: 23)

    /// SecPolicy.c, `set_ssl_validity_periods`. The hour is Apple's slip for leap seconds and sloppy issuers; the rule
    /// of 2020 has none.
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
