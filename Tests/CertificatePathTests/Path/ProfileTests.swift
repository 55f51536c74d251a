//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

/// What happens to a certificate or path under each profile, as a server's.
struct ProfileCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let chain: @Sendable () throws -> TestChain
    /// By profile; `accepted` where nothing is said.
    let expected: [String: String]

    init(_ description: String, _ expected: [String: String], _ chain: @escaping @Sendable () throws -> TestChain) {
        self.testDescription = description
        self.expected = expected
        self.chain = chain
    }

    private static func ed25519() throws -> TestChain { try TestChain(leaf: { $0.key = TestKey.ed25519(1).info }) }
    private static func rsa(_ bits: Int) -> [UInt8] {
        TestKey.rsaInfo(
            DER.sequence(
                DER.element(
                    2,
                    (bits % 8 == 0 ? [0] : []) + [UInt8(truncatingIfNeeded: bits % 8 == 0 ? 0x80 : 1 << (bits % 8 - 1))]
                        + Array(repeating: 1, count: (bits - 1) / 8)), DER.number(65_537)))
    }
    private static func leaf(_ key: [UInt8]) throws -> TestChain { try TestChain(leaf: { $0.key = key }) }
    private static func sha1(_ position: Int) throws -> TestChain {
        let none: CraftedAuthority.Change = { _ in }
        let weak: CraftedAuthority.Change = { $0.setAlgorithm(.ecdsaSHA1) }
        return try TestChain(
            root: position == 3 ? weak : none, first: position == 2 ? weak : none, second: position == 1 ? weak : none,
            leaf: position == 0 ? weak : none)
    }

    /// The strict reading of RFC 5280 expects what the other one does, where nothing else is said.
    func expected(of profile: ValidationProfile) -> String {
        let other = profile == .rfc5280Strict ? self.expected["rfc5280"] : nil
        return self.expected[profile.name] ?? other ?? "accepted"
    }

    static let all: [ProfileCase] = [
        ProfileCase(
            "SHA-1 on the leaf",
            ["apple": "0:weak-signature", "webpki": "0:weak-signature", "rfc5280": "0:weak-signature"]
        ) { try sha1(0) },
        ProfileCase(
            "SHA-1 on an intermediate",
            ["apple": "2:weak-signature", "webpki": "2:weak-signature", "rfc5280": "2:weak-signature"]
        ) { try sha1(2) },
        ProfileCase("SHA-1 on the root", [:]) { try sha1(3) },
        ProfileCase(
            "RSA of 1,023 bits",
            [
                "apple": "0:weak-key 0:key-too-small", "webpki": "0:weak-key 0:key-too-small 0:certificate-rule",
                "rfc5280": "0:weak-key 0:key-too-small", "legacy": "0:weak-key 0:key-too-small",
            ]
        ) { try leaf(rsa(1_023)) },
        ProfileCase(
            "RSA of 1,024 bits",
            [
                "apple": "0:key-too-small", "webpki": "0:weak-key 0:key-too-small",
                "rfc5280": "0:weak-key 0:key-too-small",
            ]
        ) { try leaf(rsa(1_024)) },
        ProfileCase(
            "RSA of 2,047 bits",
            [
                "apple": "0:key-too-small", "webpki": "0:weak-key 0:key-too-small 0:certificate-rule",
                "rfc5280": "0:weak-key 0:key-too-small",
            ]
        ) { try leaf(rsa(2_047)) },
        ProfileCase("RSA of 2,048 bits", [:]) { try leaf(rsa(2_048)) },
        ProfileCase("RSA of 2,049 bits", ["webpki": "0:certificate-rule"]) { try leaf(rsa(2_049)) },
        ProfileCase(
            "P-192",
            [
                "apple": "0:key-too-small", "webpki": "0:weak-key 0:key-too-small",
                "rfc5280": "0:weak-key 0:key-too-small",
            ]
        ) { try leaf(TestKey.curveInfo("1.2.840.10045.3.1.1", [4])) },
        ProfileCase("P-224", ["apple": "0:key-too-small", "webpki": "0:weak-key 0:key-too-small"]) {
            try leaf(TestKey.curveInfo("1.3.132.0.33", [4]))
        },
        ProfileCase("P-384", [:]) { try leaf(TestKey.p384(1).info) },
        ProfileCase("P-521", [:]) { try leaf(TestKey.p521(1).info) },
        ProfileCase("Ed25519", ["apple": "0:key-kind", "webpki": "0:weak-key 0:key-kind"]) { try ed25519() },
        ProfileCase("no extended key usage", ["apple": "0:server-auth-missing", "webpki": "0:server-auth-missing"]) {
            try TestChain(leaf: { $0.remove("2.5.29.37") })
        },
        ProfileCase(
            "anyExtendedKeyUsage",
            ["apple": "0:server-auth-missing", "webpki": "0:server-auth-missing 0:certificate-rule"]
        ) {
            try TestChain(leaf: { $0.set(.extendedKeyUsage("2.5.29.37.0")) })
        },
        ProfileCase("an authority as a server", ["webpki": "0:certificate-rule"]) {
            try TestChain(leaf: {
                $0.set(.basicConstraints(true))
                $0.set(.keyUsage(0, 5))
                $0.set(.subjectKeyIdentifier([1]))
            })
        },
        ProfileCase("a lifetime of ten years", ["apple": "0:lifetime-too-long"]) {
            try TestChain(leaf: {
                $0.notBefore = DER.utcTime("250101000000Z")
                $0.notAfter = DER.utcTime("350101000000Z")
            })
        },
        ProfileCase("a version 1 root", ["webpki": "3:certificate-rule"]) {
            try TestChain(root: { $0.makeVersion1() })
        },
        ProfileCase(
            "a version 1 intermediate",
            [
                "apple": "1:old-version-issuer", "rfc5280": "1:old-version-issuer", "legacy": "1:old-version-issuer",
                "webpki": "1:old-version-issuer 1:certificate-rule",
                "rfc5280-strict": "1:old-version-issuer 1:certificate-rule",
            ]
        ) { try TestChain(second: { $0.makeVersion1() }) },
        ProfileCase(
            "a version 1 intermediate below a version 1 root",
            [
                "apple": "1:old-version-issuer", "rfc5280": "1:old-version-issuer", "legacy": "1:old-version-issuer",
                "webpki": "1:old-version-issuer 1:certificate-rule 3:certificate-rule",
                "rfc5280-strict": "1:old-version-issuer 1:certificate-rule",
            ]
        ) { try TestChain(root: { $0.makeVersion1() }, second: { $0.makeVersion1() }) },
    ]
}

@Suite("Profiles")
struct ProfileTests {
    @Test("A situation is judged as each profile says", arguments: ProfileCase.all, ValidationProfile.standard)
    func table(example: ProfileCase, profile: ValidationProfile) throws {
        let verdict = try example.chain().judge { $0.profile = profile }
        let codes = verdict.summary.split(separator: " ").reduce(into: [String]()) {
            if $0.last != String($1) { $0.append(String($1)) }
        }
        #expect(codes.joined(separator: " ") == example.expected(of: profile))
    }

    @Test("Key sizes are asked of every certificate, the anchor included", arguments: 0...3)
    func keySizes(index: Int) throws {
        let keys: [TestKey] = (0...3).map { $0 == index ? .rsa1024 : .p256(UInt16(700 + $0)) }
        let names = ["Leaf", "Second", "First", "Root"]
        let authorities = (0...3).map { CraftedAuthority(names[$0], keys[$0]) }
        let root = try authorities[3].authority()
        let pool = [try authorities[3].authority(authorities[2]), try authorities[2].authority(authorities[1])]
        let leaf = try authorities[1].leaf(keys[0])
        func summary(_ profile: ValidationProfile) -> String {
            judgment(leaf, pool, anchors: .certificates(root)) { $0.profile = profile }.summary
        }
        #expect(summary(.legacy) == "accepted")
        #expect(summary(.apple) == "\(index):key-too-small")
        #expect(summary(.rfc5280) == "\(index):weak-key \(index):key-too-small")
        #expect(summary(.webPKI) == "\(index):weak-key \(index):key-too-small")
        let client = judgment(leaf, pool, anchors: .certificates(root)) {
            ($0.profile, $0.purposes) = (.apple, [PurposeRequirement(.any)])
        }
        #expect(client.summary == "accepted")
    }

    @Test("Apple's rules accept SHA-1 and small keys for anything but servers")
    func applesOtherPurposes() throws {
        let chain = try TestChain(leaf: {
            $0.setAlgorithm(.ecdsaSHA1)
            $0.remove("2.5.29.37")
            $0.notAfter = DER.utcTime("360101000000Z")
        })
        for purpose in [PurposeRequirement.Purpose.client, .any] {
            #expect(
                chain.judge { ($0.profile, $0.purposes) = (.apple, [PurposeRequirement(purpose)]) }.summary
                    == "accepted")
            #expect(chain.judge { $0.purposes = [PurposeRequirement(purpose)] }.summary == "0:weak-signature")
        }
    }

    @Test("A leaf that the user trusts is spared strength and lifetime rules, an intermediate only SHA-1's")
    func userTrust() throws {
        let leaf = try TestChain.root.leaf(.rsa1024) {
            $0.notBefore = DER.utcTime("200101000000Z")
            $0.notAfter = DER.utcTime("360101000000Z")
            $0.setAlgorithm(.ecdsaSHA1)
        }
        func summary(_ anchorClass: AnchorClass, _ profile: ValidationProfile = .apple) -> String {
            judgment(leaf, anchors: [TrustAnchor(leaf, anchorClass: anchorClass)]) { $0.profile = profile }.summary
        }
        #expect(summary(.user) == "accepted")
        #expect(summary(.application) == "0:key-too-small 0:weak-signature 0:lifetime-too-long")
        #expect(summary(.system) == "0:key-too-small 0:weak-signature 0:lifetime-too-long")
        #expect(
            summary(.user, .rfc5280) == "0:weak-key 0:key-too-small", "An anchor's own signature counts nowhere else")
        let tooWeak = try TestChain.root.leaf {
            $0.key = TestKey.rsaInfo(
                DER.sequence(DER.element(2, [0x55] + Array(repeating: 0, count: 63)), DER.integer(3)))
        }
        #expect(
            judgment(tooWeak, anchors: [TrustAnchor(tooWeak, anchorClass: .user)]) { $0.profile = .apple }.summary
                == "0:weak-key")
        // An anchor that is no leaf lifts SHA-1 on itself and nothing below.
        let issuer = try TestChain.root.authority(TestChain.second) { $0.setAlgorithm(.ecdsaSHA1) }
        let good = try TestChain.second.leaf()
        let weak = try TestChain.second.leaf { $0.setAlgorithm(.ecdsaSHA1) }
        #expect(
            judgment(good, anchors: [TrustAnchor(issuer, anchorClass: .user)]) { $0.profile = .apple }.summary
                == "accepted")
        #expect(judgment(good, anchors: [TrustAnchor(issuer)]) { $0.profile = .apple }.summary == "1:weak-signature")
        #expect(
            judgment(weak, anchors: [TrustAnchor(issuer, anchorClass: .user)]) { $0.profile = .apple }.summary
                == "0:weak-signature")
    }

    @Test("Apple wants serverAuth below system roots always, below a program's since July 2019, below a user's never")
    func serverAuthentication() throws {
        let instant = "190630230000Z"
        func summary(_ anchorClass: AnchorClass, _ notBefore: String) throws -> String {
            try TestChain(
                leaf: {
                    $0.remove("2.5.29.37")
                    $0.notBefore = DER.utcTime(notBefore)
                    $0.notAfter = DER.utcTime("190901000000Z")
                }, at: "180101000000Z"
            ).judge(anchorClass: anchorClass) {
                ($0.profile, $0.time) = (.apple, Timestamp(secondsSinceEpoch: 1_562_000_000))
            }.summary
        }
        #expect(try summary(.system, "180101000000Z") == "0:server-auth-missing")
        #expect(try summary(.application, instant) == "accepted")
        #expect(try summary(.application, "190630230001Z") == "0:server-auth-missing")
        #expect(try summary(.user, "190630230001Z") == "accepted")
    }

    @Test("Apple refuses digests that anyone can forge on anchors that are not self-signed too")
    func brokenAnchor() throws {
        let md5 = DER.sequence(DER.oid("1.2.840.113549.1.1.4"), [5, 0])
        let anchor = try TestChain.root.authority(TestChain.second) {
            ($0.innerAlgorithm, $0.outerAlgorithm) = (md5, md5)
        }
        for profile in ValidationProfile.standard {
            let verdict = judgment(try TestChain.second.leaf(), anchors: .certificates(anchor)) {
                $0.profile = profile
            }
            #expect(verdict.has(.brokenDigest(.md5), at: 1) == (profile == .apple))
            if profile == .rfc5280 { #expect(verdict.summary == "accepted") }
        }
    }

    @Test("A self-issued certificate over SHA-1 directly below an anchor that is a name and a key is refused")
    func selfIssuedBelowKey() throws {
        let renewed = try TestChain.root.authority(CraftedAuthority(name: TestChain.root.name, .p256(77))) {
            $0.setAlgorithm(.ecdsaSHA1)
        }
        let leaf = try CraftedAuthority(name: TestChain.root.name, .p256(77)).leaf()
        let anchor = try TrustAnchor(subject: TestChain.root.name, subjectPublicKeyInfo: TestChain.root.key.info)
        for profile in ValidationProfile.standard where profile != .legacy {
            let verdict = judgment(leaf, [renewed], anchors: [anchor]) { $0.profile = profile }
            #expect(verdict.has(.weakDigest(.sha1), at: 1), "\(profile.name): \(verdict.summary)")
        }
    }

    @Test(
        "apple refuses RSASSA-PSS on a self-issued certificate directly below an anchor that is a name and a key",
        arguments: [TestAlgorithm.pssSHA256, .pssSHA384, .pssSHA512])
    func selfIssuedPSS(algorithm: TestAlgorithm) throws {
        let root = CraftedAuthority("Root", .rsa2048)
        let renewed = CraftedAuthority(name: root.name, .otherRSA2048)
        let certificate = try root.authority(renewed) { $0.setAlgorithm(algorithm) }
        let anchor = try TrustAnchor(subject: root.name, subjectPublicKeyInfo: root.key.info)
        for profile in ValidationProfile.standard {
            let verdict = judgment(try renewed.leaf(.rsa2048), [certificate], anchors: [anchor]) {
                $0.profile = profile
            }
            let isRefused = verdict.summary.contains("1:signature-algorithm-not-accepted")
            #expect(isRefused == (profile == .apple), "\(profile.name): \(verdict.summary)")
        }
    }

    @Test("Version 1 certificates are authorities only where a profile says that it is dangerous")
    func versionOne() throws {
        let chain = try TestChain(root: { $0.makeVersion1() }, second: { $0.makeVersion1() })
        for profile in ValidationProfile.standard {
            #expect(chain.judge { $0.profile = profile }.has(.oldVersionIssuer(version: 1), at: 1))
        }
        var profile = ValidationProfile.apple
        profile.dangerouslyAcceptsOldIntermediatesBelowOldAnchors = true
        #expect(chain.judge { $0.profile = profile }.summary == "accepted")
    }

    @Test("Profiles are found by name, the default first")
    func names() {
        #expect(ValidationProfile.standard.map(\.name) == ["apple", "webpki", "rfc5280", "rfc5280-strict", "legacy"])
        #expect(ValidationProfile.named("webpki") == .webPKI)
        #expect(ValidationProfile.named("WebPKI") == nil)
        #expect(ValidationRequest(time: testTime).profile == .apple)
    }
}

/// Apple's limits on the lifetime of a server's certificate.
struct LifetimeCase: Sendable, CustomTestStringConvertible {
    let notBefore: Timestamp
    let seconds: Int64
    /// The limits in days that are broken, by class of anchor; the strictest is reported.
    let system: Int64?
    let other: Int64?
    var testDescription: String { "\(self.notBefore) + \(self.seconds) s" }

    init(_ notBefore: Timestamp, _ seconds: Int64, system: Int64? = nil, other: Int64? = nil) {
        self.notBefore = notBefore
        self.seconds = seconds
        self.system = system
        self.other = other
    }

    static let long: Int64 = 825 * 86_400 + 3_600
    static let short: Int64 = 398 * 86_400
    static let march2018 = Timestamp(year: 2018, month: 3, day: 1)
    static let june2019 = Timestamp(year: 2019, month: 6, day: 30, hour: 23)
    static let september2020 = Timestamp(year: 2020, month: 9, day: 1)

    static let all: [LifetimeCase] = [
        LifetimeCase(Timestamp(secondsSinceEpoch: march2018.secondsSinceEpoch - 1), 10 * long),
        LifetimeCase(march2018, long), LifetimeCase(march2018, long + 1, system: long),
        LifetimeCase(Timestamp(secondsSinceEpoch: june2019.secondsSinceEpoch - 1), long + 1, system: long),
        LifetimeCase(june2019, long), LifetimeCase(june2019, long + 1, system: long, other: long),
        LifetimeCase(Timestamp(secondsSinceEpoch: september2020.secondsSinceEpoch - 1), long),
        LifetimeCase(Timestamp(secondsSinceEpoch: september2020.secondsSinceEpoch - 1), short + 1),
        LifetimeCase(september2020, short), LifetimeCase(september2020, short + 1, system: short),
        LifetimeCase(september2020, long, system: short),
        LifetimeCase(september2020, long + 1, system: short, other: long),
    ]
}

@Suite("Lifetimes")
struct LifetimeTests {
    static func time(_ timestamp: Timestamp) -> [UInt8] {
        DER.generalizedTime(timestamp.description.filter { !"-:T".contains($0) })
    }

    @Test("Apple limits lifetimes by the date of issuance and the class of the anchor", arguments: LifetimeCase.all)
    func limits(example: LifetimeCase) throws {
        let end = Timestamp(secondsSinceEpoch: example.notBefore.secondsSinceEpoch + example.seconds)
        let chain = try TestChain(
            leaf: {
                $0.notBefore = Self.time(example.notBefore)
                $0.notAfter = Self.time(end)
            }, at: "100101000000Z")
        for anchorClass in AnchorClass.allCases {
            let verdict = chain.judge(anchorClass: anchorClass) {
                ($0.profile, $0.time) = (.apple, Timestamp(secondsSinceEpoch: example.notBefore.secondsSinceEpoch + 1))
            }
            let limit = anchorClass == .system ? example.system : example.other
            #expect(verdict.summary == (limit == nil ? "accepted" : "0:lifetime-too-long"))
            guard case .lifetimeTooLong(let seconds, let broken)? = verdict.rejections.first?.reason else { continue }
            #expect(seconds == example.seconds)
            #expect(broken.maximumSeconds == limit)
        }
        for profile in [ValidationProfile.webPKI, .rfc5280, .legacy] {
            #expect(
                chain.judge {
                    ($0.profile, $0.time) = (
                        profile, Timestamp(secondsSinceEpoch: example.notBefore.secondsSinceEpoch + 1)
                    )
                }.summary == "accepted")
        }
    }
}

extension TestChain {
    /// A chain whose authorities are valid from another date on.
    init(leaf: CraftedAuthority.Change, at notBefore: String) throws {
        let early: CraftedAuthority.Change = { $0.notBefore = DER.utcTime(notBefore) }
        try self.init(root: early, first: early, second: early, leaf: leaf)
    }
}
