//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire
import Testing

/// Servers, what of them each offer of App Transport Security finds, and in how many connections.
private let atsServers: [(server: FakeServer, selections: [ServerSelection.Offer: UInt16], connections: Int)] = [
    (.modern, [.everything: 0x1302, .atsTLS12: 0xC02F], 3),
    (FakeServer([.tls12: FakeServer.intermediateSuites]), [.everything: 0xC02F, .fcp: 0xC02F], 3),
    (FakeServer([.tls13: [0x1301]]), [.everything: 0x1301], 5),
    (.old, [.everything: 0xC030, .fcp: 0xC030, .tls11: 0xC014, .tls10: 0xC014], 4),
    (FakeServer([.tls12: [0xC014, 0xC030, 0x9D]]), [.everything: 0xC014, .fcp: 0xC030], 3),
    (FakeServer([.tls12: [0x9D, 0x2F]]), [.everything: 0x9D], 4),
    (FakeServer([.tls12: [0x000A, 0x9D]]), [.everything: 0x000A, .compatible: 0x009D], 5),
    (FakeServer([.tls12: [0x9F]]), [.everything: 0x9F], 6),
    (FakeServer([.tls10: [0x0005]]), [.tls11: 0x0005], 6),
    (FakeServer([.ssl30: [0x0005]]), [:], 7),
]

@Suite("The plan for App Transport Security")
struct ATSPlanTests {
    @Test("Seven connections are enough for every server", arguments: atsServers)
    func connections(server: FakeServer, selections: [ServerSelection.Offer: UInt16], connections: Int) async {
        let (facts, exchange) = await server.facts(.ats)
        #expect(exchange.connections == connections)
        #expect(connections <= 7)
        #expect(facts.effort.connections == exchange.connections)
        #expect(facts.effort.retries == 0 && facts.failure == nil)
        server.expectNoMore(facts, "")
        let newest = server.suites.keys.filter { $0 > .ssl30 }
        #expect(Set(facts.supportedVersions).isSubset(of: server.suites.keys))
        #expect(newest.max().map(facts.supportedVersions.contains) ?? true)
        for (offer, suite) in selections {
            let found = facts.selections.filter { $0.offer == offer }.map(\.cipherSuite.rawValue)
            #expect(found == [suite], "\(offer)")
        }
    }

    @Test(
        "Of older versions than were offered only the alert about versions says anything",
        arguments: [UInt8(40), 47, 70])
    func older(alert: UInt8) async {
        // TLS 1.1 is refused for whatever reason, and TLS 1.0 is spoken.
        let server = FakeServer([.tls12: [0xC02F], .tls10: FakeServer.oldSuites])
        for plan in ProbePlan.allCases {
            let quirk = Quirk.when({ $0.legacyVersion == .tls11 }, .alert(alert))
            let (facts, exchange) = await server.with(quirk).facts(plan)
            #expect(facts.support(of: .tls11) == .refused(.alert(TLSAlertDescription(rawValue: alert))))
            if alert != 70 { #expect(facts.support(of: .tls10) == .supported) }
            #expect(plan != .ats || exchange.connections == (alert == 70 ? 3 : 4))
        }
        let modern = FakeServer.modern.with(.when({ $0.legacyVersion <= .tls11 }, .alert(alert)))
        #expect(await modern.facts(.ats).exchange.connections == (alert == 70 ? 3 : 4))
        #expect(await modern.facts(.standard).exchange.connections == (alert == 70 ? 19 : 21))
    }

    @Test("Silence in place of alerts costs repetitions and no conclusion", arguments: atsServers)
    func silence(server: FakeServer, selections: [ServerSelection.Offer: UInt16], connections: Int) async {
        for reaction in [FakeServer.Reaction.close, .reset, .silence, .refusal] {
            let (facts, exchange) = await server.with(.insteadOfAlerts(reaction)).facts(.ats)
            server.expectNoMore(facts, "\(reaction)")
            #expect(exchange.connections <= 21)
        }
    }

    @Test("A chain that only a real handshake shows is proven, and a chain before TLS 1.3 may be another")
    func chains() async {
        var server = FakeServer.modern
        server.ecdsaChain = [[0x30, 2]]
        let (facts, _) = await server.facts(.ats)
        #expect(facts.chains.map(\.isProven) == [true, true])
        #expect(facts.chains.map(\.versions) == [[.tls13], [.tls12]])
        #expect(facts.anomalies == [.chainDependsOnVersion])
        #expect(facts.handshake == .completed)
    }

    @Test(
        "Each key is proven, and a chain that is only shown to hellos never is",
        arguments: [ProbePlan.ats, .standard, .deep])
    func proof(plan: ProbePlan) async {
        var honest = FakeServer([.tls12: [0x9D, 0xC02B, 0xC02F]])
        honest.ecdsaChain = [[0x30, 2]]
        let (facts, exchange) = await honest.facts(plan)
        #expect(facts.chains.count == 2 && facts.chains.allSatisfy(\.isProven))
        if plan == .ats { #expect(exchange.connections <= 7) }
        // Who shakes hands in earnest is told from hellos by the few groups that a TLS library has.
        var stolen = honest
        (stolen.rsaChain, stolen.ecdsaChain) = ([[0x30, 7]], nil)
        let victim = stolen
        let split = Quirk { _, hello, _ in hello.groups?.count == 3 ? nil : victim.sensibleReaction(to: hello) }
        let (forged, _) = await honest.with(split).facts(plan)
        #expect(forged.chains.contains { $0.certificates == [[0x30, 7]] && !$0.isProven && !forged.holdsKey(of: $0) })
    }

    @Test("A server that wants a client certificate proves nothing, and says what it wants")
    func clientCertificate() async {
        var server = FakeServer.modern
        server.clientAuthorities = [[0x30, 0]]
        let (facts, _) = await server.facts(.ats)
        #expect(facts.handshake == .unproven(.alert(TLSAlertDescription(rawValue: 116))))
        #expect(facts.features.clientCertificate?.authorities == [[0x30, 0]])
        #expect(facts.supportedVersions == [.tls13, .tls12])
    }

    @Test(
        "A TLS 1.3 chain that could not be seen is said to be unknown, and why", arguments: [ProbePlan.ats, .standard])
    func unknownChain(plan: ProbePlan) async {
        // Only a group that the TLS library has not.
        var server = FakeServer([.tls13: [0x1301]])
        server.groups = [.x448]
        let (facts, _) = await server.facts(plan)
        #expect(facts.supportedVersions == [.tls13] || plan == .ats)
        #expect(plan == .ats || facts.anomalies.contains(.chainUnknown(.alert(TLSAlertDescription(rawValue: 40)))))
    }

    @Test("One machine is not taken for several", arguments: atsServers.map(\.server))
    func oneMachine(server: FakeServer) async {
        for plan in ProbePlan.allCases {
            let (facts, _) = await server.facts(plan)
            #expect(!facts.anomalies.contains { $0.isSeveralMachines }, "\(plan)")
        }
    }

    @Test(
        "Two machines behind one address are noticed from what one interview shows, whichever answers first",
        arguments: [MachinePair.certificates, .versions, .masterSecret], [false, true])
    func twoMachines(pair: MachinePair, isTurned: Bool) async {
        let (first, second) = isTurned ? (pair.machines.1, pair.machines.0) : pair.machines
        // Every other connection meets the other machine.
        let quirk = Quirk { _, hello, number in number.isMultiple(of: 2) ? second.sensibleReaction(to: hello) : nil }
        let (facts, exchange) = await first.with(quirk).facts(.ats)
        #expect(facts.anomalies.contains { $0.isSeveralMachines }, "\(facts.anomalies)")
        #expect(exchange.connections <= 7)
    }
}

/// Two machines behind one address, and in what they differ.
enum MachinePair: Sendable {
    case certificates, versions, masterSecret

    var machines: (FakeServer, FakeServer) {
        var one = FakeServer([.tls12: FakeServer.intermediateSuites])
        var other = one
        switch self {
        case .certificates: other.rsaChain = [[0x30, 9]]
        case .versions: one = .modern
        // RFC 7627 is about all suites of a server, or none.
        case .masterSecret: other.extensions.remove(23)
        }
        return (one, other)
    }
}

extension ProbeAnomaly {
    fileprivate var isSeveralMachines: Bool {
        if case .severalMachines = self { true } else { false }
    }
}
