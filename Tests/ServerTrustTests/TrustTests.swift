//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

/// Questions of trust about the test PKI.
enum TestTrust {
    static func trust(
        _ chain: TestChain, host: String? = "www.example.com", anchors: TrustAnchors? = nil
    ) throws -> Trust {
        let certificates = [chain.leaf, chain.second, chain.first].map(Certificate.init)
        var trust = try Trust(
            certificates: certificates, policy: .tlsServer(hostname: host),
            configuration: TrustConfiguration(anchors: anchors ?? .only([Certificate(chain.root)])))
        trust.verifyDate = Date(testTime)
        return trust
    }

    /// The checks that failed, the worst first.
    static func checks(_ trust: Trust) -> [TrustCheck] { trust.evaluate().failure?.reasons.map(\.check) ?? [] }

    /// A leaf with an RSA key below 1,024 bits, which nothing can lift.
    static let weakLeaf: @Sendable (inout CraftedCertificate) -> Void = {
        $0.key = TestKey.rsaInfo(DER.sequence(DER.element(2, [0x55] + Array(repeating: 0, count: 63)), DER.integer(3)))
    }
}

@Suite("Trust")
struct TrustTests {
    @Test("Nothing, and nothing trusted, is never trusted")
    func nothing() throws {
        #expect(throws: TrustError(.noCertificates)) {
            try Trust(certificates: [], policy: .basicX509, configuration: .only([]))
        }
        #expect("\(TrustError(.noCertificates))".contains("chain"))
        let chain = try TestChain()
        for anchors in [TrustAnchors.none, .only([])] {
            let result = try TestTrust.trust(chain, anchors: anchors).evaluate()
            #expect(result.resultType == .recoverableTrustFailure)
            #expect(result.isTrusted == false)
            #expect(result.anchorClass == nil)
            #expect(result.failure?.osStatus == .createChainFailed)
        }
        #expect(TrustResult.empty(at: Date()).isTrusted == false)
        #expect(TrustResult.empty(at: Date()).resultType == .invalid)
    }

    @Test("The kind of an answer is Apple's: unspecified, proceed, recoverable or fatal")
    func resultTypes() throws {
        let chain = try TestChain()
        #expect(try TestTrust.trust(chain).evaluate().resultType == .unspecified)
        var user = TrustAnchors.none
        user.add(Certificate(chain.root), as: .user)
        #expect(try TestTrust.trust(chain, anchors: user).evaluate().resultType == .proceed)
        #expect(try TestTrust.trust(chain, anchors: user).evaluate().anchorClass == .user)
        #expect(
            try TestTrust.trust(chain, host: "other.example", anchors: user).evaluate().resultType
                == .recoverableTrustFailure)
        let weak = try TestChain(leaf: TestTrust.weakLeaf)
        #expect(try TestTrust.trust(weak).evaluate().resultType == .fatalTrustFailure)
        #expect(try TestTrust.trust(weak, anchors: user).evaluate().isTrusted == false)
        #expect(TrustResultType.allCases.map(\.rawValue) == Array(0...7))
        #expect(TrustResultType.unspecified.name == "kSecTrustResultUnspecified")
    }

    @Test("Of several reasons the worst is reported: untrusted root, then use, then name, then date")
    func ranking() throws {
        let client: CraftedAuthority.Change = {
            $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.2"))
            $0.notAfter = DER.utcTime("260502000000Z")
        }
        let chain = try TestChain(leaf: client)
        let certificates = [chain.leaf, chain.second, chain.first, chain.root].map(Certificate.init)
        func primary(_ anchors: TrustAnchors, _ chain: TestChain, _ host: String) throws -> TrustCheck? {
            var trust = try TestTrust.trust(chain, host: host, anchors: anchors)
            if anchors.certificates.isEmpty {
                trust = try Trust(
                    certificates: certificates, policies: trust.policies,
                    configuration: TrustConfiguration(anchors: anchors))
            }
            trust.verifyDate = Date(testTime)
            return trust.evaluate().failure?.primary.check
        }
        let trusted = TrustAnchors.only([Certificate(chain.root)])
        #expect(try primary(.none, chain, "other.example") == .anchorTrusted)
        #expect(try primary(trusted, chain, "other.example") == .extendedKeyUsage)
        let expired = try TestChain(leaf: { $0.notAfter = DER.utcTime("260502000000Z") })
        #expect(try primary(.only([Certificate(expired.root)]), expired, "other.example") == .sslHostname)
        #expect(try primary(.only([Certificate(expired.root)]), expired, "www.example.com") == .temporalValidity)
        // On a tie the certificate nearest to the leaf.
        let both = try TestChain(
            first: { $0.notAfter = DER.utcTime("260502000000Z") }, leaf: { $0.notAfter = DER.utcTime("260502000000Z") })
        #expect(try TestTrust.trust(both).evaluate().failure?.reasons.map(\.certificateIndex) == [0, 2])
    }

    @Test("The details name every failed check of every certificate")
    func details() throws {
        let chain = try TestChain(
            second: { $0.notAfter = DER.utcTime("260502000000Z") }, leaf: { $0.notAfter = DER.utcTime("260502000000Z") }
        )
        let result = try TestTrust.trust(chain, host: "other.example").evaluate()
        #expect(
            result.details == [
                ["TemporalValidity": false, "SSLHostname": false], ["TemporalValidity": false], [:], [:],
            ])
        let dictionary = result.resultDictionary
        #expect(dictionary["TrustResultDetails"] as? [[String: Bool]] == result.details)
        #expect(dictionary["TrustResultValue"] as? Int == 5)
        #expect(dictionary["TrustEvaluationDate"] as? Date == Date(testTime))
        #expect(result.path.map(\.subjectSummary) == ["www.example.com", "Second", "First", "Root"])
        #expect(result.certificateTransparency == .notRequired)
    }

    @Test("Every reason has a sentence, a remedy and its certificate")
    func sentences() throws {
        let chain = try TestChain(leaf: { $0.notAfter = DER.utcTime("260502000000Z") })
        let failure = try #require(try TestTrust.trust(chain, host: "other.example").evaluate().failure)
        #expect(failure.reasons.count == 2)
        #expect(failure.description.contains("other.example"))
        #expect(failure.description.hasSuffix("(and 1 more reason)"))
        #expect(failure.reasons[1].message.contains("expired on 2026-05-02T00:00:00Z"))
        #expect(failure.reasons[1].certificate == Certificate(chain.leaf))
        #expect(failure.reasons[1].evidence.first?.value == "2026-05-02T00:00:00Z")
        for reason in failure.reasons {
            #expect(reason.message.hasSuffix("."))
            #expect(reason.remedy.advice.hasSuffix("."))
        }
    }

    @Test("Several policies must all agree, and none at all is basic X.509")
    func policies() throws {
        let chain = try TestChain(leaf: { $0.set(.alternativeNames([.dns("www.example.com"), .dns("a.example")])) })
        var trust = try TestTrust.trust(chain)
        trust.policies = [.tlsServer(hostname: "www.example.com"), .tlsServer(hostname: "a.example")]
        #expect(trust.evaluate().isTrusted)
        trust.policies.append(.tlsServer(hostname: "b.example"))
        #expect(TestTrust.checks(trust) == [.sslHostname])
        trust.policies = [.tlsServer(hostname: nil), .tlsClient()]
        #expect(TestTrust.checks(trust) == [.extendedKeyUsage])
        trust.policies = []
        #expect(trust.evaluate().isTrusted)
        trust.policies = [.basicX509]
        #expect(trust.evaluate().isTrusted)
        #expect(TrustPolicy.tlsServer(hostname: "a.example").hostname == "a.example")
        #expect(TrustPolicy.basicX509.hostname == nil)
        trust.policies = [.tlsServer(hostname: "https://www.example.com")]
        #expect(TestTrust.checks(trust) == [.sslHostname])
        trust.policies = [.tlsServer(hostname: "")]
        #expect(TestTrust.checks(trust) == [.sslHostname])
    }

    @Test("The settings of a question reach the engine")
    func settings() throws {
        let chain = try TestChain()
        var trust = try TestTrust.trust(chain)
        trust.maximumIntermediates = 1
        #expect(TestTrust.checks(trust) == [.chainLength])
        trust = try TestTrust.trust(chain)
        trust.certificatePolicies.requiresExplicitPolicy = true
        #expect(TestTrust.checks(trust) == [.policyConstraints])
        trust = try TestTrust.trust(chain)
        trust.budget.signatures = 1
        #expect(TestTrust.checks(trust).contains(.workLimit))
        trust = try TestTrust.trust(
            try TestChain(leaf: { $0.set(.alternativeNames([.dns("*.github.io")])) }), host: "a.github.io")
        #expect(trust.evaluate().isTrusted)
        trust.publicSuffixes = PublicSuffixList(parsing: Array("github.io\n".utf8))
        #expect(TestTrust.checks(trust) == [.sslHostname])
        trust = try TestTrust.trust(chain)
        trust.profile = .webPKI
        #expect(trust.evaluate().isTrusted)
        trust.verifyDate = Date(timeIntervalSince1970: 0)
        #expect(TestTrust.checks(trust).allSatisfy { $0 == .temporalValidity })
        #expect(trust.key == Certificate(chain.leaf).publicKey)
    }

    @Test("Without a date the moment of the evaluation counts; dates no certificate holds are never in one")
    func dates() throws {
        let chain = try TestChain(
            root: { $0.notAfter = DER.generalizedTime("99991231235959Z") },
            first: { $0.notAfter = DER.generalizedTime("99991231235959Z") },
            second: { $0.notAfter = DER.generalizedTime("99991231235959Z") },
            leaf: {
                $0.notBefore = DER.utcTime("150101000000Z")
                $0.notAfter = DER.generalizedTime("99991231235959Z")
            })
        var trust = try TestTrust.trust(chain)
        trust.verifyDate = nil
        trust.profile = .rfc5280
        #expect(trust.evaluate().isTrusted)
        #expect(abs(trust.evaluate().evaluationDate.timeIntervalSinceNow) < 60)
        for date in [
            Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: -.infinity),
            Date(timeIntervalSince1970: .nan),
        ] {
            trust.verifyDate = date
            #expect(trust.evaluate().isTrusted == false)
        }
    }

    @Test("Anchors are values: adding one to a copy changes nothing elsewhere")
    func values() throws {
        let chain = try TestChain()
        let empty = try TestTrust.trust(chain, anchors: TrustAnchors.none)
        var copy = empty
        copy.anchors.add(Certificate(chain.root))
        #expect(copy.evaluate().isTrusted)
        #expect(empty.evaluate().isTrusted == false)
        let anchors = TrustAnchors.only([TestCertificates.other])
        #expect(anchors.adding(Certificate(chain.root)).certificates.count == 2)
        #expect(anchors.certificates.count == 1)
        #expect(try TestTrust.trust(chain, anchors: anchors.adding(Certificate(chain.root))).evaluate().isTrusted)
    }

    @Test("Stores and a program's own anchors are trusted together, the program's own first")
    func stores() throws {
        let chain = try TestChain()
        let store = try TrustStore([Certificate(chain.root)], anchorClass: .system)
        #expect(try TestTrust.trust(chain, anchors: .store(store)).evaluate().anchorClass == .system)
        var anchors = TrustAnchors.store(store)
        anchors.add(TestCertificates.other)
        #expect(try TestTrust.trust(chain, anchors: anchors).evaluate().anchorClass == .system)
        anchors.add(Certificate(chain.root))
        #expect(try TestTrust.trust(chain, anchors: anchors).evaluate().anchorClass == .application)
        var both = TrustAnchors.only([TestCertificates.other])
        #expect(try TestTrust.trust(chain, anchors: both).evaluate().isTrusted == false)
        both.add(store)
        #expect(try TestTrust.trust(chain, anchors: both).evaluate().isTrusted)
    }
}
