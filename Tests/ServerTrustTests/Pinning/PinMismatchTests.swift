//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

/// A path that has no pin and another fault, by what else is wrong with it.
private struct FaultyServer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: String
    let change: @Sendable (inout Trust) -> Void
    var host = "www.example.com"

    static let all = [
        FaultyServer(testDescription: "an unknown root", code: "unknown-issuer") { $0.anchors = .none },
        FaultyServer(testDescription: "an expired path", code: "expired") {
            $0.verifyDate = Date(Timestamp(secondsSinceEpoch: 1_800_000_000))
        },
        FaultyServer(testDescription: "another name", code: "name-mismatch", change: { _ in }, host: "other.example"),
    ]
}

@Suite struct PinMismatchTests {
    static let server = PinnedServer.all[0]
    static let stranger = Pin(keyOf: TestCertificates.other)

    @Test(arguments: FaultyServer.all, PinRequirement.Scope.allCases)
    private func `The path's own faults come before the pins, with both sides of the comparison`(
        faulty: FaultyServer, scope: PinRequirement.Scope
    ) throws {
        var trust = try Self.server.trust
        faulty.change(&trust)
        let manager = try ServerTrustManager(
            evaluators: [faulty.host: .pins(try PinSet([Self.stranger], scope: scope))])
        let decision = manager.evaluate(trust, forHost: faulty.host)
        let failure = try #require(decision.failure)
        #expect(failure.code == faulty.code)
        guard case .untrusted(let untrusted) = failure.reason else { throw CancellationError() }
        #expect(untrusted.primary.code == faulty.code)
        #expect(untrusted.reasons.contains { $0.check.isPinning })
        let mismatch = try #require(failure.mismatch)
        #expect(!mismatch.isPathTrusted)
        let text = "\(failure)"
        #expect(text.contains("more reason"))
        #expect(text.contains("\(Pin(keyOf: Self.server.sent[0]))") && text.contains("\(Self.stranger)"))
        for advice in [text, failure.remedy] + untrusted.reasons.map(\.remedy.advice) {
            #expect(!advice.contains("update the pins"))
        }
        guard case .mismatched? = decision.pinning else { throw CancellationError() }
    }

    @Test(arguments: [
        (PinRequirement.Scope.path, "path-not-pinned"), (.leaf, "leaf-key-not-pinned"),
        (.authorities, "authority-key-not-pinned"), (.anchor, "anchor-not-pinned"),
    ])
    func `A path that lacks nothing but a pin has one code in every report`(
        scope: PinRequirement.Scope, code: String
    ) throws {
        let decision = PinsTrustEvaluator(try PinSet([Self.stranger], scope: scope))
            .evaluate(try Self.server.trust, forHost: "www.example.com")
        #expect(decision.failure?.code == code)
        #expect(decision.result?.failure?.primary.code == code)
        #expect(decision.failure?.mismatch?.isPathTrusted == true)
        #expect(decision.failure?.remedy.contains("update the pins") == true)
        #expect(PinReport(decision, port: nil)?.failureCode == code)
    }

    @Test func `Where the pins are what is trusted, another fault than that comes first too`() throws {
        for (host, code) in [("www.example.com", "path-not-pinned"), ("other.example", "name-mismatch")] {
            let evaluator = PinnedCertificatesTrustEvaluator(
                certificates: [TestCertificates.other], acceptSelfSignedCertificates: true)
            let failure = evaluator.evaluate(try Self.server.trust, forHost: host).failure
            #expect(failure?.code == code)
            #expect(failure?.mismatch?.isPathTrusted == (host == "www.example.com"))
        }
    }

    @Test func `Pinned certificates are compared with the certificates of the path, in a form to copy`() throws {
        let certificates = try PinSet([Pin(certificate: TestCertificates.other)])
        let both = try PinSet([Pin(certificate: TestCertificates.other), Self.stranger])
        for (pins, hasKeys) in [(certificates, false), (both, true)] {
            let decision = PinsTrustEvaluator(pins).evaluate(try Self.server.trust, forHost: "www.example.com")
            let text = "\(try #require(decision.failure))"
            for certificate in Self.server.sent {
                #expect(text.contains("    \(Pin(certificate: certificate)): \(certificate.subject)\n"))
                #expect(text.contains("    \(Pin(keyOf: certificate)): \(certificate.subject)\n") == hasKeys)
            }
            #expect(try text.contains("\(Pin("\(Pin(certificate: TestCertificates.other))"))"))
        }
    }

    @Test func `A report can be made without a server, for the test of a handler`() throws {
        let mismatch = PinMismatch(
            try PinSet([Self.stranger]), host: "a.example", date: Date(testTime), presented: Self.server.sent,
            path: Self.server.sent, isPathTrusted: false)
        let report = PinReport(mismatch, port: 443, pattern: try HostPattern("*.example"), failureCode: "expired")
        #expect(report.host == "a.example" && !report.wasTrusted && report.date == Date(testTime))
        #expect(PinReport(mismatch, port: nil, failureCode: nil).wasTrusted)
    }
}

@Suite struct ValueIdentityTests {
    struct Own: ServerTrustEvaluating {
        func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision { .trusted(nil) }
    }

    @Test func `Evaluators are equal when they decide alike, and unknown ones only to themselves`() throws {
        let (a, b) = (TestCertificates.root, TestCertificates.other)
        let different: [ServerTrustEvaluator] = [
            .default, .pins([Pin(keyOf: a)]), .pins([Pin(keyOf: b)]), .anchored([a]), .anchored([a], keepsOthers: true),
            .publicKeys([a.publicKey]), .composite([.default]), .composite([.default, .pins([Pin(keyOf: a)])]),
            .dangerouslyDisabled, .custom(Own()), .custom(Own()), .composite([.custom(Own())]),
        ]
        #expect(Set(different).count == different.count)
        #expect(ServerTrustEvaluator.composite([.pins([Pin(keyOf: a)])]) == .composite([.pins([Pin(keyOf: a)])]))
        #expect(ServerTrustEvaluator(DefaultTrustEvaluator()) == .default)
        let own = ServerTrustEvaluator.custom(Own())
        let copy = own
        #expect(own == copy && own.hashValue == copy.hashValue)
        #expect(ServerTrustEvaluator.composite([own]) == .composite([copy]))
        #expect(CompositeTrustEvaluator([Own()]) != CompositeTrustEvaluator([Own()]))
    }

    @Test func `Stores and anchors are equal when they trust the same for the same`() throws {
        let (a, b) = (TestCertificates.root, TestCertificates.other)
        let stores = [
            try TrustStore([a]), try TrustStore([a], anchorClass: .system), try TrustStore([a, b]), try TrustStore([b]),
        ]
        #expect(Set(stores).count == stores.count)
        #expect(try TrustStore([a]) == stores[0])
        var system = TrustAnchors.none
        system.add(a, as: .system)
        let anchors: [TrustAnchors] = [.none, .only([a]), .only([b]), .only([a, b]), system, .store(stores[0])]
        #expect(Set(anchors).count == anchors.count)
        #expect(TrustAnchors.only([a]).adding(b) == .only([a, b]))
    }
}
