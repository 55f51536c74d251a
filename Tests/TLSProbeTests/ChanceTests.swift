//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire
import TestSupport
import Testing

private let losses: [FakeServer.Reaction] = [.close, .reset]

/// What only manners, and no chance, are a reason for.
private let manners: [ProbeAnomaly] = [
    .intolerantOfManySuites, .intolerantOfNewVersions, .needsKeyShare, .intolerantOfExtensions,
]

@Suite("Servers that lose connections by chance")
struct ChanceTests {
    @Test("One lost connection is never a refusal, also of a server that refuses by closing", arguments: losses)
    func oneLoss(loss: FakeServer.Reaction) async {
        for base in [FakeServer.modern, .old] {
            let server = base.with(.insteadOfAlerts(.close))
            for plan in ProbePlan.allCases {
                let whole = await server.facts(plan).exchange.connections
                for number in stride(from: 1, through: whole, by: plan == .deep ? 5 : 1) {
                    let lossy = server.with(Quirk { _, _, count in count == number ? loss : nil })
                    var lossyFirst = lossy
                    lossyFirst.quirks.reverse()
                    let (facts, _) = await lossyFirst.facts(plan)
                    base.expectNoMore(facts, "\(plan), connection \(number)")
                }
            }
        }
    }

    @Test("Where chance shows, what silence seemed to say is not known any more")
    func doubt() async {
        // Everything that is refused is refused by closing; the last question, a fallback, is lost the first time.
        let isFallback: @Sendable (SentHello) -> Bool = { $0.suites.contains { $0.rawValue == 0x5600 } }
        var server = FakeServer.modern.with(.once(isFallback, .close), .insteadOfAlerts(.close))
        server.knowsFallbackSignal = false
        let (facts, _) = await server.facts(.standard)
        #expect(facts.supportedVersions == [.tls13, .tls12])
        #expect(facts.support(of: .tls11) == .unknown(.closed) && facts.support(of: .ssl30) == .unknown(.closed))
        #expect(facts.cipherSuites.count == 2)
        #expect(facts.cipherSuites.allSatisfy { !$0.isComplete && $0.failure == .closed })
        #expect(facts.groups.allSatisfy { !$0.isComplete } && !facts.anomalies.contains(.refusesSilently))
    }

    @Test("Lost connections say nothing about alerts that may mean anything")
    func kinds() async {
        let server = FakeServer.modern.with(.first(1, .close), .insteadOfAlerts(.alert(80)))
        for plan in ProbePlan.allCases {
            let (facts, _) = await server.facts(plan)
            #expect(facts.support(of: .tls11) == .refused(.alert(TLSAlertDescription(rawValue: 80))))
        }
        let (whole, _) = await server.facts(.standard)
        FakeServer.modern.expectExactly(whole)
    }

    @Test("A sick machine of three, which drops every connection, makes hardly any facts")
    func sickMachine() async {
        var wrong = 0
        for seed in 1...48 {
            for plan in [ProbePlan.standard, .deep] {
                let lots = Quirk.lost(oneOf: 3, seed: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
                let (facts, _) = await FakeServer.old.with(lots).facts(plan)
                let own = FakeServer.old.suites
                let isWrong = facts.versions.contains { fact in
                    if case .refused = fact.support { own.keys.contains(fact.version) } else { false }
                }
                let isShort = facts.cipherSuites.contains { found in
                    found.isComplete && Set(found.suites) != Set(own[found.version] ?? [])
                }
                if isWrong || isShort { wrong += 1 }
            }
        }
        // The lots may always fall as one server would answer.
        #expect(wrong <= 3, "\(wrong) of 96")
    }

    @Test(
        "A server that loses the first connections is asked as any other after that",
        arguments: [FakeServer.Reaction.close, .reset, .silence, .alert(80)])
    func firstLost(loss: FakeServer.Reaction) async {
        for base in [FakeServer.modern, .old] {
            for count in 1...3 {
                let (facts, _) = await base.with(.first(count, loss)).facts(.standard)
                base.expectExactly(facts)
                #expect(!facts.anomalies.contains(where: manners.contains), "\(count)")
            }
            // With more of them lost it may be that nothing is known; manners are never made of it.
            for count in 4...8 {
                let (facts, _) = await base.with(.first(count, loss)).facts(.standard)
                base.expectNoMore(facts, "\(count)")
                #expect(!facts.anomalies.contains(where: manners.contains), "\(count)")
            }
        }
    }

    @Test("A real handshake whose connection is lost is tried again, once", arguments: losses + [.refusal, .alert(80)])
    func handshake(loss: FakeServer.Reaction) async {
        let (facts, _) = await FakeServer.modern.with(.first(1, loss)).facts(.ats)
        #expect(facts.handshake == .completed && facts.effort.retries == 1 && facts.failure == nil)
        #expect(facts.supportedVersions == [.tls13, .tls12])
    }

    @Test("A server that says “later” before TLS is asked once more, and one that says “no” is not")
    func preamble() async {
        for plan in ProbePlan.allCases {
            let later = FakeServer.Reaction.failure(.preamble("421 too many connections", mayPass: true))
            let (facts, _) = await FakeServer.modern.with(.first(1, later)).facts(plan)
            #expect(facts.failure == nil && facts.supportedVersions == [.tls13, .tls12])
            let never = FakeServer.Reaction.failure(.preamble("554 no"))
            let (none, exchange) = await FakeServer.modern.with(.first(1, never)).facts(plan)
            #expect(none.failure == .preamble("554 no") && exchange.connections == 1)
        }
    }

    @Test("Without repetitions, or fewer than none, silence is no refusal", arguments: [0, -1])
    func noRetries(retries: Int) async {
        var limits = ProbeLimits()
        limits.retries = retries
        let (facts, _) = await FakeServer.modern.with(.insteadOfAlerts(.close)).facts(.standard, limits: limits)
        #expect(facts.supportedVersions == [.tls13, .tls12] && facts.effort.retries == 0)
        #expect(facts.support(of: .tls11) == .unknown(.closed))
    }

    @Test("SSL 2.0 is refused by two silences, and not by one", arguments: [ConnectionFailure.closed, .reset])
    func ssl2(failure: ConnectionFailure) async {
        let overload = Result<[UInt8], ConnectionFailure>.success(ScriptedServer.alert(80))
        var server = FakeServer.old
        server.speaksSSL2 = true
        for answer in [.failure(failure), overload] {
            server.answersToSSL2 = [answer]
            #expect(await server.facts(.deep).facts.support(of: .ssl20) == .supported)
        }
        server.answersToSSL2 = [.failure(failure), .failure(failure)]
        #expect(await server.facts(.deep).facts.support(of: .ssl20) == .refused(.silence))
        server.answersToSSL2 = [overload, overload]
        let refusal = ProbeRefusal.alert(TLSAlertDescription(rawValue: 80))
        #expect(await server.facts(.deep).facts.support(of: .ssl20) == .refused(refusal))
        server.answersToSSL2 = [.failure(.timedOut(.silent))]
        #expect(await server.facts(.deep).facts.support(of: .ssl20) == .unknown(.timedOut(.silent)))
    }
}
