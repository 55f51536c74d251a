//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire
import Testing

private let failures: [FakeServer.Reaction] = [.silence, .reset, .close, .alert(40), .alert(80)]

/// TLS 1.0 without curves, as the machines spoke it that stumble over extensions.
private let ancient = FakeServer([.tls10: [0x0005, 0x0004, 0x000A]])

@Suite("Servers that stumble over hellos")
struct IntoleranceTests {
    @Test(
        "A server that fails at 128 suites is asked in smaller offers, and found out all the same", arguments: failures)
    func manySuites(reaction: FakeServer.Reaction) async {
        let server = FakeServer.old.with(.when({ $0.suites.count >= 128 }, reaction))
        for plan in [ProbePlan.standard, .deep] {
            let (facts, exchange) = await server.facts(plan)
            server.expectExactly(facts)
            #expect(facts.anomalies.contains(.intolerantOfManySuites))
            #expect(!facts.anomalies.contains(.intolerantOfExtensions))
            #expect(facts.failure == nil && exchange.connections < 120)
        }
    }

    @Test("Nor does it matter when such a server has TLS 1.3 as well", arguments: failures)
    func manySuitesAndTLS13(reaction: FakeServer.Reaction) async {
        let server = FakeServer.modern.with(.when({ $0.suites.count >= 128 }, reaction))
        let (facts, _) = await server.facts(.standard)
        server.expectExactly(facts)
        #expect(facts.anomalies.contains(.intolerantOfManySuites))
    }

    @Test("A server that never answers hellos of 256 to 511 octets is sent none", arguments: ProbePlan.allCases)
    func lengths(plan: ProbePlan) async {
        for server in [FakeServer.modern, .old, ancient, FakeServer([.ssl30: [5, 10]])] {
            let server = server.with(.when({ (256..<512).contains($0.length) }, .silence))
            let (facts, exchange) = await server.facts(plan)
            #expect(exchange.hellos.allSatisfy { !(256..<512).contains($0.length) })
            #expect(facts.effort.retries == 0 || plan == .ats)
            if plan != .ats { server.expectExactly(facts) }
        }
    }

    @Test("A server that wants the signal for renegotiation gets it", arguments: [ProbePlan.standard, .deep])
    func signal(plan: ProbePlan) async {
        let server = FakeServer.old.with(.when({ !$0.suites.contains { $0.rawValue == 0x00FF } }, .alert(40)))
        let (facts, _) = await server.facts(plan)
        server.expectExactly(facts)
    }

    @Test("Versions beyond those of old in the record or the hello come in a trial only", arguments: failures)
    func versions(reaction: FakeServer.Reaction) async {
        let server = FakeServer.old.with(
            .when({ $0.recordVersion > 0x0301 }, reaction), .when({ $0.legacyVersion > .tls12 }, reaction))
        let (facts, _) = await server.facts(.deep)
        server.expectExactly(facts)
        let trial = facts.features.tolerance.first { $0.trial == .futureLegacyVersion }
        #expect(trial != nil && trial?.isTolerated != true)
    }

    @Test("A server that fails at TLS 1.3's extension is found out without it", arguments: failures)
    func supportedVersions(reaction: FakeServer.Reaction) async {
        let server = FakeServer.old.with(.when({ $0.has(43) }, reaction))
        let (facts, _) = await server.facts(.standard)
        server.expectExactly(facts)
        #expect(facts.anomalies.contains(.intolerantOfNewVersions))
        #expect(!facts.anomalies.contains(.intolerantOfManySuites))
        if case .silence = reaction { #expect(facts.support(of: .tls13) == .unknown(.timedOut(.silent))) }
    }

    @Test("A server that fails at extensions gets none", arguments: failures)
    func extensions(reaction: FakeServer.Reaction) async {
        let server = ancient.with(.when({ $0.extensions != nil }, reaction))
        let (facts, exchange) = await server.facts(.standard)
        #expect(facts.supportedVersions == [.tls10])
        #expect(facts.cipherSuites(of: .tls10)?.suites == server.suites[.tls10])
        #expect(facts.cipherSuites(of: .tls10)?.isComplete == true)
        #expect(facts.anomalies.contains(.intolerantOfExtensions))
        #expect(!facts.anomalies.contains(.intolerantOfManySuites))
        #expect(exchange.connections < 40)
    }

    @Test("A server of SSL 3.0 that answers to nothing newer is found", arguments: failures)
    func ssl30(reaction: FakeServer.Reaction) async {
        let server = FakeServer([.ssl30: [0x0005, 0x000A]]).with(.when({ $0.legacyVersion > .ssl30 }, reaction))
        let (facts, _) = await server.facts(.standard)
        #expect(facts.supportedVersions == [.ssl30])
        #expect(facts.cipherSuites(of: .ssl30)?.suites == server.suites[.ssl30])
    }

    @Test("A server that wants a key from the beginning gets one", arguments: failures + [.alert(109), .alert(47)])
    func keyShare(reaction: FakeServer.Reaction) async {
        for base in [FakeServer.modern, FakeServer([.tls13: [0x1301, 0x1302]])] {
            let server = base.with(.when({ $0.keyShares?.isEmpty == true }, reaction))
            let (facts, _) = await server.facts(.standard)
            #expect(Set(facts.supportedVersions) == Set(server.suites.keys))
            for version in server.suites.keys {
                #expect(facts.cipherSuites(of: version)?.suites == server.suites[version])
            }
            #expect(facts.groups.first { $0.version == .tls13 }?.groups == [.x25519, .secp256r1])
            #expect(facts.groups.first { $0.version == .tls13 }?.isComplete == false)
            #expect(facts.anomalies.contains(.needsKeyShare))
            #expect(!facts.anomalies.contains(.intolerantOfManySuites))
        }
    }

    @Test("A legacy chain, which only who takes SHA-1 gets to see, is seen", arguments: ProbePlan.allCases)
    func sha1(plan: ProbePlan) async {
        let needsSHA1 = Quirk.when({ $0.schemes?.contains(SignatureScheme(rawValue: 0x0201)) == false }, .alert(40))
        let (facts, _) = await FakeServer.old.with(needsSHA1).facts(plan)
        #expect(facts.speaksTLS && facts.chains.map(\.certificates) == [FakeServer.old.rsaChain])
    }

    @Test("A server that wants to hear its name says so", arguments: [UInt8(112), 40])
    func serverName(alert: UInt8) async {
        let server = FakeServer.modern.with(.when({ $0.serverName == nil }, .alert(alert)))
        let (unnamed, _) = await server.facts(.standard, serverName: nil)
        #expect(!unnamed.speaksTLS && unnamed.failure == nil)
        #expect(unnamed.anomalies.contains(.unrecognizedName) == (alert == 112))
        let (named, _) = await server.facts(.deep)
        server.expectExactly(named)
        #expect(named.features.tolerance.first { $0.trial == .noServerName }?.isTolerated == false)
    }

    @Test("Reserved values without a meaning are tried once, and not tolerating them is a finding of its own")
    func grease() async {
        let isGREASE: @Sendable (SentHello) -> Bool = { $0.suites.contains(where: \.isGREASE) }
        for reaction in failures {
            let (facts, exchange) = await FakeServer.modern.with(.when(isGREASE, reaction)).facts(.deep)
            FakeServer.modern.expectExactly(facts)
            #expect(exchange.hellos.count(where: isGREASE) <= 2)
            for tolerance in facts.features.tolerance {
                #expect((tolerance.isTolerated == true) == (tolerance.trial != .grease), "\(tolerance)")
            }
        }
        let (facts, _) = await FakeServer.modern.facts(.standard)
        #expect(facts.features.tolerance.isEmpty)
    }

    @Test("A server that drops every trial is still asked what comes after them")
    func droppedTrials() async {
        let server = FakeServer.modern.with(
            .when(
                { $0.suites.contains(where: \.isGREASE) || $0.keyShares?.first?.group.isPostQuantum == true }, .silence),
            .when({ $0.versions?.contains { $0.rawValue == 0x0305 } == true || $0.serverName == nil }, .silence))
        let (facts, _) = await server.facts(.deep)
        #expect(facts.failure == nil && facts.support(of: .ssl20) != nil)
        #expect(facts.features.tolerance.count(where: { $0.isTolerated == nil }) == 4)
    }
}
