//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import NIOSSL
import ServerTrust
import ServerTrustTesting
import Synchronization
import TLSWire
import Testing

@testable import ServerTrustNIO

/// One judge sees all connections to a destination, and keeps its last answer.
@Suite("The judge of a destination")
struct ConnectionJudgeTests {
    private static func judge(_ change: (inout ServerTrustSettings) -> Void = { _ in }) throws -> ConnectionJudge {
        var settings = ServerTrustSettings(trust: TrustConfiguration(anchors: try ATSFixture.authority.get().anchors))
        settings.signatureCache = nil
        change(&settings)
        let destination = ATSDestination(host: ATSTestClient.host)
        return ConnectionJudge(
            settings, destination, requirements: ServerTrustGate(settings).requirements(for: destination),
            hostname: destination.host)
    }

    private static func judgment(_ judge: ConnectionJudge, _ chain: [TestCertificate]) throws -> ConnectionJudgment {
        try judge.judge(
            chain.map { try NIOSSLCertificate(bytes: $0.der, format: .der) }, version: .tls13, expecting: [])
    }

    /// `trusted`, or the code of the first reason.
    private static func outcome(_ judge: ConnectionJudge, _ chain: [TestCertificate]) throws -> String {
        switch try Self.judgment(judge, chain).outcome {
        case .success: return "trusted"
        case .failure(let error): return error.verdict.primary?.code ?? "no reason"
        }
    }

    @Test("Each connection has an answer of its own time, and its signatures are verified", arguments: [false, true])
    func again(isRemembered: Bool) throws {
        let judge = try Self.judge { $0.signatureCache = isRemembered ? SignatureCache(remembersLeaves: true) : nil }
        let chain = try ATSFixture.ecdsa.get()
        var last = Date.distantPast
        for index in 0..<3 {
            let result = try #require(try Self.judgment(judge, chain).outcome.get().result)
            #expect(result.isTrusted && result.path.count == 3)
            #expect(result.verifiedSignatures == (isRemembered && index > 0 ? 0 : 2))
            #expect(result.evaluationDate > last)
            last = result.evaluationDate
        }
    }

    @Test("A server that was trusted is refused with other certificates, and trusted with its own again")
    func others() throws {
        let judge = try Self.judge()
        let good = try ATSFixture.ecdsa.get()
        let stranger = try TestAuthority()
        let strange = try stranger.issue(.leaf(dnsNames: [ATSTestClient.host]))
        let expired = try ATSFixture.chain(.p256) {
            $0.notBefore = Date.now.addingTimeInterval(-7_200)
            $0.notAfter = Date.now.addingTimeInterval(-3_600)
        }
        let otherName = try ATSFixture.chain(.p256) { $0.dnsNames = ["other.test"] }
        for (chain, code) in [
            ([strange], "untrusted"), ([strange, good[1]], "untrusted"), ([good[0]], "untrusted"),
            (expired, "untrusted"), (otherName, "untrusted"), ([good[1]], "untrusted"),
            ([good[1], good[0]], "untrusted"),
            ([good[0], strange], "untrusted"),
        ] {
            #expect(try Self.outcome(judge, good) == "trusted")
            #expect(try Self.outcome(judge, chain) == code)
        }
        #expect(try Self.outcome(judge, good + [strange]) == "trusted")
        #expect(try Self.outcome(judge, good) == "trusted")
    }

    @Test("Each machine of a server is judged by its own certificates")
    func machines() throws {
        let judge = try Self.judge()
        let chains = [try ATSFixture.ecdsa.get(), try ATSFixture.rsa.get()]
        for chain in chains + chains + chains.reversed() {
            let result = try #require(try Self.judgment(judge, chain).outcome.get().result)
            #expect(result.path.first?.derRepresentation == chain[0].der)
        }
    }

    @Test("A server whose certificate expires is refused from then on")
    func expiring() async throws {
        let judge = try Self.judge()
        let end = Date.now.addingTimeInterval(6)
        let chain = try ATSFixture.chain(.p256) { $0.notAfter = end }
        try #require(try Self.outcome(judge, chain) == "trusted")
        try await Task.sleep(for: .seconds(max(0, end.timeIntervalSinceNow) + 1.5))
        let judgment = try Self.judgment(judge, chain)
        #expect(judgment.connection.trust?.failure?.primary.code == "expired")
        guard case .failure = judgment.outcome else {
            Issue.record("An expired certificate was accepted.")
            return
        }
    }

    @Test("A program's own evaluator is asked about every connection")
    func evaluator() throws {
        let evaluator = CountingEvaluator()
        for transportSecurity in [TransportSecurity.strict, .withoutAppTransportSecurity] {
            let before = evaluator.count
            let judge = try Self.judge {
                $0.evaluator = evaluator
                $0.transportSecurity = transportSecurity
            }
            for _ in 0..<3 { #expect(try Self.outcome(judge, try ATSFixture.ecdsa.get()) == "trusted") }
            #expect(evaluator.count == before + 3)
        }
    }
}

/// Trusts by the ordinary rules, and counts how often it is asked.
private final class CountingEvaluator: ServerTrustEvaluating {
    private let asked = Mutex(0)

    var count: Int { self.asked.withLock { $0 } }

    func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        self.asked.withLock { $0 += 1 }
        return ServerTrustEvaluator.default.evaluate(trust, forHost: host)
    }
}
