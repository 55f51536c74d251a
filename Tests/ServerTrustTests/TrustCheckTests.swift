//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Testing

@testable import ServerTrust

@Suite("Apple's checks and codes")
struct TrustCheckTests {
    /// SecPolicyChecks.list: the code, the CSSM code, and how bad it is.
    static let table: [(TrustCheck, String, Int32, UInt32?, TrustCheck.Severity)] = [
        (.sslHostname, "SSLHostname", -67602, 0x8001_2400, .recoverable),
        (.temporalValidity, "TemporalValidity", -67818, 0x8001_210A, .recoverable),
        (.anchorTrusted, "AnchorTrusted", -67843, 0x8001_212A, .recoverable),
        (.blackListedKey, "BlackListedKey", -67820, 0x8001_210C, .fatal),
        (.missingIntermediate, "MissingIntermediate", -25318, 0x8001_212A, .recoverable),
        (.weakKeySize, "WeakKeySize", -67735, 0x8001_2115, .fatal),
        (.keySize, "KeySize", -67735, 0x8001_0918, .recoverable),
        (.weakSignature, "WeakSignature", -67815, 0x8001_0955, .fatal),
        (.signatureHashAlgorithms, "SignatureHashAlgorithms", -67815, 0x8001_0913, .recoverable),
        (.extendedKeyUsage, "ExtendedKeyUsage", -67609, 0x8001_2407, .recoverable),
        (.serverAuthEKU, "ServerAuthEKU", -67609, 0x8001_2407, .recoverable),
        (.keyUsage, "KeyUsage", -67608, 0x8001_2406, .recoverable),
        (.basicConstraints, "BasicConstraints", -67604, nil, .recoverable),
        (.basicConstraintsCA, "BasicConstraintsCA", -67605, nil, .recoverable),
        (.basicConstraintsPathLen, "BasicConstraintsPathLen", -67611, nil, .recoverable),
        (.chainLength, "ChainLength", -67611, nil, .recoverable),
        (.criticalExtensions, "CriticalExtensions", -67603, nil, .recoverable),
        (.unparseableExtension, "UnparseableExtension", -67618, nil, .recoverable),
        (.duplicateExtension, "DuplicateExtension", -67903, nil, .recoverable),
        (.nameConstraints, "NameConstraints", -67689, nil, .recoverable),
        (.policyConstraints, "PolicyConstraints", -67835, nil, .recoverable),
        (.idLinkage, "IdLinkage", -67610, nil, .recoverable),
        (.nonEmptySubject, "NonEmptySubject", -67655, nil, .recoverable),
        (.systemTrustValidityPeriod, "SystemTrustValidityPeriod", -67901, 0x8001_210D, .recoverable),
        (.otherTrustValidityPeriod, "OtherTrustValidityPeriod", -67901, 0x8001_210D, .recoverable),
        (.leafSPKISHA256, "LeafSPKISHA256", -9886, nil, .recoverable),
        (.caspkiSHA256, "CAspkiSHA256", -9886, nil, .recoverable),
        (.pinnedPath, "PinnedPath", -9886, nil, .recoverable),
        (.revocation, "Revocation", -67820, 0x8001_210C, .fatal),
        (.revocationResponseRequired, "RevocationResponseRequired", -67635, 0x8001_2423, .recoverable),
        (.stapledResponseRequired, "StapledResponseRequired", -67635, 0x8001_2423, .recoverable),
        (.systemTrustedCTRequired, "SystemTrustedCTRequired", -67825, 0x8001_2114, .recoverable),
        (.chromeTransparency, "ChromeCertificateTransparency", -67843, nil, .recoverable),
        (.certificateProfile, "CertificateProfile", -67843, nil, .recoverable),
        (.workLimit, "WorkLimit", -25318, nil, .recoverable),
    ]

    @Test("Every check has Apple's name, code and severity")
    func codes() {
        #expect(Self.table.map(\.0) == TrustCheck.allCases)
        for (check, name, status, cssm, severity) in Self.table {
            #expect(check.rawValue == name)
            #expect(check.osStatus.rawValue == status)
            #expect(check.cssmCode == cssm)
            #expect(check.severity == severity)
        }
        #expect(OSStatusCode.certificateExpired.name == "errSecCertificateExpired")
        #expect(OSStatusCode.sslATSCertificateTrustViolation.name == "errSSLATSCertificateTrustViolation")
        #expect(Set(OSStatusCode.allCases.map(\.name)).count == OSStatusCode.allCases.count)
    }

    @Test("Groups are ranked as Apple ranks them")
    func ranking() {
        let order: [TrustCheck] = [
            .weakKeySize, .weakSignature, .basicConstraints, .leafSPKISHA256, .anchorTrusted, .extendedKeyUsage,
            .sslHostname,
            .temporalValidity,
        ]
        for (worse, better) in zip(order, order.dropFirst()) { #expect(worse.subtype < better.subtype) }
    }

    /// One path for every reason that a path can give, with Apple's check for it.
    static let reasons: [(TrustCheck, RejectionReason)] = {
        let time = Timestamp(secondsSinceEpoch: 0)
        let oid = OID(contents: [0x2A])
        func limit(_ classes: Set<AnchorClass>) -> LifetimeLimit {
            LifetimeLimit(issuedFrom: time, maximumSeconds: 86_400, anchorClasses: classes, source: "test")
        }
        return [
            (.temporalValidity, .expired(notAfter: time, at: time)),
            (.temporalValidity, .notYetValid(notBefore: time, at: time)),
            (.anchorTrusted, .untrustedRoot), (.missingIntermediate, .unknownIssuer),
            (.missingIntermediate, .badSignature),
            (.missingIntermediate, .signatureAlgorithmMismatch), (.missingIntermediate, .malformedName),
            (.missingIntermediate, .unsupportedIssuerKey(.p224, bits: 224)),
            (.weakKeySize, .weakKey(.rsa, bits: 512, minimum: 1_024)),
            (.keySize, .keyTooSmallForServer(.rsa, bits: 1_024, minimum: 2_048)), (.weakSignature, .brokenDigest(.md5)),
            (.signatureHashAlgorithms, .weakDigest(.sha1)),
            (.extendedKeyUsage, .extendedKeyUsage(required: [oid], present: [])),
            (.serverAuthEKU, .serverAuthenticationMissing(present: [])), (.keyUsage, .keyUsage(missing: .keyCertSign)),
            (.basicConstraints, .basicConstraintsMissing), (.basicConstraints, .oldVersionIssuer(version: 1)),
            (.basicConstraintsCA, .notCertificateAuthority),
            (.basicConstraintsPathLen, .pathLengthExceeded(limit: 0, actual: 1)),
            (.chainLength, .tooManyIntermediates(limit: 0, actual: 1)),
            (.criticalExtensions, .unknownCriticalExtension(oid)),
            (.unparseableExtension, .malformedExtension(oid)), (.duplicateExtension, .duplicateExtension(oid)),
            (.policyConstraints, .certificatePolicies), (.idLinkage, .keyIdentifierMismatch),
            (.nonEmptySubject, .emptySubject),
            (.systemTrustValidityPeriod, .lifetimeTooLong(seconds: 1, limit: limit([.system]))),
            (.otherTrustValidityPeriod, .lifetimeTooLong(seconds: 1, limit: limit([.system, .user]))),
            (.certificateProfile, .certificateRule(.version3)), (.leafSPKISHA256, .leafKeyNotPinned),
            (.caspkiSHA256, .authorityKeyNotPinned), (.pinnedPath, .pathNotPinned), (.pinnedPath, .anchorNotPinned),
            (.stapledResponseRequired, .stapledResponseMissing(.noInformation)),
            (.stapledResponseRequired, .stapledResponseMissing(.notUsable)),
            (.certificateProfile, .tlsFeatureMissing([5, 17, 99])), (.workLimit, .budgetExceeded(.signatures)),
        ]
    }()

    @Test(
        "Every reason fails one check of Apple's, and has a code, a sentence and a remedy", arguments: 0..<reasons.count
    )
    func mapping(index: Int) {
        let (check, reason) = Self.reasons[index]
        #expect(reason.check == check)
        #expect(!reason.code.isEmpty)
        for role in CertificateRole.allCases {
            let breach = RuleBreach(reason: reason, certificate: TestCertificates.root, role: role)
            let account = breach.account
            #expect(account.message.hasSuffix("."))
            #expect(!account.found.isEmpty && !account.required.isEmpty)
            #expect(account.evidence.allSatisfy { !$0.name.isEmpty })
            #expect(breach.remedy.advice.hasSuffix(".") && !breach.remedy.actions.isEmpty)
            let rules = TrustRule.all.filter { $0.account(of: breach) != nil }
            #expect(reason.rules.allSatisfy { rule in rules.contains { $0.id == rule.id } }, "no row tells of it")
        }
    }

    @Test("Identifiers people know are written by name")
    func names() {
        #expect(OIDNames.name(of: OID(contents: [0x55, 0x1D, 0x13])) == "basicConstraints (2.5.29.19)")
        #expect(OIDNames.name(of: OID(contents: [0x2A, 0x03])) == "1.2.3")
        #expect(KeyUsage([.keyCertSign, .cRLSign]).names == "keyCertSign, cRLSign")
        #expect((0..<24).allSatisfy { CertificateRules(rawValue: 1 << UInt32($0)).names.count == 1 })
    }
}
