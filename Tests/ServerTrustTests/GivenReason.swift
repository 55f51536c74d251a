//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

/// A reason whose evidence does not depend on the certificate, with evidence by chance.
struct GivenReason: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (inout SeededGenerator) -> RejectionReason

    private init(_ name: String, _ make: @escaping @Sendable (inout SeededGenerator) -> RejectionReason) {
        self.testDescription = name
        self.make = make
    }

    static let all: [GivenReason] = Self.ofPaths + Self.ofStatus + Self.ofConstraints + Self.plain

    private static func time(_ chance: inout SeededGenerator) -> Timestamp {
        Timestamp(secondsSinceEpoch: Int64.random(in: 0...4_000_000_000, using: &chance))
    }

    private static func limit(_ seconds: Int64) -> LifetimeLimit {
        LifetimeLimit(
            issuedFrom: Timestamp(secondsSinceEpoch: 0), maximumSeconds: seconds, anchorClasses: [.user], source: "test"
        )
    }

    private static let ofPaths = [
        GivenReason("an end") { chance in
            let end = Self.time(&chance)
            let after = Int64.random(in: 1...100_000, using: &chance)
            return .expired(notAfter: end, at: Timestamp(secondsSinceEpoch: end.secondsSinceEpoch + after))
        },
        GivenReason("a start") { chance in
            let start = Self.time(&chance)
            let before = Int64.random(in: 1...100_000, using: &chance)
            return .notYetValid(notBefore: start, at: Timestamp(secondsSinceEpoch: start.secondsSinceEpoch - before))
        },
        GivenReason("a lifetime") { chance in
            let maximum = Int64.random(in: 1...80_000_000, using: &chance)
            let more = ([1, 59, 3_600, 86_400, 100_000] as [Int64]).randomElement(using: &chance) ?? 1
            return .lifetimeTooLong(seconds: maximum + more, limit: Self.limit(maximum))
        },
        GivenReason("a path length") { chance in
            let limit = Int.random(in: 0...3, using: &chance)
            return .pathLengthExceeded(limit: limit, actual: limit + Int.random(in: 1...3, using: &chance))
        },
        GivenReason("intermediates") { chance in
            let limit = Int.random(in: 0...3, using: &chance)
            return .tooManyIntermediates(limit: limit, actual: limit + Int.random(in: 1...3, using: &chance))
        },
        GivenReason("a long path") { chance in .pathTooLong(limit: Int.random(in: 1...40, using: &chance)) },
        GivenReason("work") { chance in
            .budgetExceeded(Budget.Resource.allCases.randomElement(using: &chance) ?? .paths)
        },
        GivenReason("a small RSA key") { chance in
            let bits = Int.random(in: 512..<2_048, using: &chance)
            return .keyTooSmallForServer(.rsa, bits: bits, minimum: 2_048)
        },
        GivenReason("a weak RSA key") { chance in
            .weakKey(.rsa, bits: Int.random(in: 512..<1_024, using: &chance), minimum: 1_024)
        },
        GivenReason("an issuer's key") { chance in
            .unsupportedIssuerKey(
                [.p192, .p224, .otherCurve, .explicitCurve, .ed448, .mlDSA65, .unknown]
                    .randomElement(using: &chance) ?? .unknown, bits: 0)
        },
        GivenReason("a digest") { chance in
            .brokenDigest([.md2, .md4, .md5].randomElement(using: &chance) ?? .md5)
        },
        GivenReason("a version") { chance in .oldVersionIssuer(version: Int.random(in: 1...2, using: &chance)) },
    ]

    private static let ofStatus = [
        GivenReason("revoked") { chance in
            .revoked(
                RevocationReason.allCases.randomElement(using: &chance) ?? .keyCompromise, since: Self.time(&chance))
        },
        GivenReason("an unknown status") { chance in
            .revocationStatusUnknown(UnknownRevocation.allCases.randomElement(using: &chance) ?? .notUsable)
        },
        GivenReason("no staple") { chance in
            .stapledResponseMissing(UnknownRevocation.allCases.randomElement(using: &chance) ?? .notUsable)
        },
        GivenReason("features") { chance in
            .tlsFeatureMissing((0...2).map { _ in UInt32.random(in: 0...20, using: &chance) })
        },
        GivenReason("timestamps") { chance in Self.timestamps(.apple, &chance) },
        GivenReason("timestamps for Chrome") { chance in Self.timestamps(.chrome, &chance) },
        GivenReason("a blocked root") { chance in
            .blockedRoot(BlockedRoot(match: chance.chance(2) ? .key : .certificate, source: "test"))
        },
    ]

    private static func timestamps(_ rules: TransparencyRules, _ chance: inout SeededGenerator) -> RejectionReason {
        let needed = Int.random(in: 2...5, using: &chance)
        // Enough logs of one operator are too few for Chrome.
        let counted = Int.random(in: 0..<(rules == .chrome ? needed + 2 : needed), using: &chance)
        let unknown = Int.random(in: 0...2, using: &chance)
        return .transparencyMissing(
            TransparencyShortfall(
                rules: rules, needed: needed, counted: counted, countedOperators: min(counted, 1),
                timestamps: counted + unknown, unknownLogs: unknown))
    }

    private static let ofConstraints = [
        GivenReason("a constraint") { chance in
            let kinds: [NameConstraintViolation.Kind] = [
                .excluded, .notPermitted, .malformedName, .malformedConstraint, .unsupportedForm,
                .tooManySubtrees(count: Int.random(in: 1...9_999, using: &chance)), .unreadable, .budgetExceeded,
            ]
            let names = ["example.com", "www.example.com", ".example.com", "*.example.com", "WWW.example.com"]
            let name = names.randomElement(using: &chance) ?? ""
            return .nameConstraints(
                NameConstraintViolation(
                    kinds.randomElement(using: &chance) ?? .excluded, form: .dNSName, name: name,
                    constraints: names.filter { _ in chance.chance(2) } + ["example.org"]))
        }
    ]

    /// Reasons without evidence of their own, and those whose certificate has to fit.
    private static let plain: [GivenReason] = [
        RejectionReason.untrustedRoot, .unknownIssuer, .leafKeyNotPinned, .authorityKeyNotPinned, .pathNotPinned,
        .anchorNotPinned, .keyAlgorithmNotAccepted, .malformedName,
        .signatureAlgorithmNotAccepted(SignatureAlgorithm(.rsaPSS, .sha256)),
    ].map { reason in GivenReason(reason.code) { _ in reason } }
}
