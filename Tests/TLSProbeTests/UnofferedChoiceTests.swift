//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire
import TestSupport
import Testing

/// Answers that no offer allows, and what is said of them.
private let unofferedChoices: [(answer: [UInt8], anomaly: ProbeAnomaly)] = [
    (ScriptedServer.hello(.tls12, CipherSuite(rawValue: 0xFFFE)), .choseUnoffered("0xfffe")),
    (ScriptedServer.hello(.tls12, CipherSuite(rawValue: 0x00FF)), .choseUnoffered("TLS_EMPTY_RENEGOTIATION_INFO_SCSV")),
    (ScriptedServer.hello(.tls12, CipherSuite(rawValue: 0x1301)), .choseUnoffered("TLS_AES_128_GCM_SHA256")),
    (ScriptedServer.hello(.tls12, CipherSuite(rawValue: 0xC02F), compression: 1), .choseUnoffered("compression")),
    (
        ScriptedServer.hello(TLSProtocolVersion(rawValue: 0x0399), CipherSuite(rawValue: 0xC02F)),
        .choseUnoffered("TLS version 0x399")
    ),
    (
        ScriptedServer.retryRequest(CipherSuite(rawValue: 0x1301), NamedGroup(rawValue: 0xFE99)),
        .choseUnoffered("0xfe99")
    ),
    (
        ScriptedServer.retryRequest(CipherSuite(rawValue: 0xC02F), .x25519),
        .choseUnoffered("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    ),
]

@Suite("Choices that were not on offer")
struct UnofferedChoiceTests {
    @Test("Who agrees on what was not offered has agreed on nothing", arguments: unofferedChoices)
    func unoffered(answer: [UInt8], anomaly: ProbeAnomaly) async {
        let answer = FakeServer.Reaction.bytes(ScriptedServer.record(answer + ScriptedServer.done))
        for plan in [ProbePlan.standard, .deep] {
            let (facts, exchange) = await FakeServer.modern.with(.after(0, answer)).facts(plan)
            #expect(facts.anomalies.contains(anomaly), "\(facts.anomalies)")
            #expect(exchange.connections < 25)
            // Where an answer is right for one offer and wrong for another, what it is right for counts.
            for found in facts.cipherSuites { #expect(found.suites.allSatisfy { $0.rawValue != 0xFFFE }) }
        }
    }

    @Test("A server that asks for another hello without saying which group is asked no more")
    func noGroup() async {
        let answer = ScriptedServer.record(ScriptedServer.retryRequest(CipherSuite(rawValue: 0x1301), nil))
        let server = FakeServer([.tls13: [0x1301]]).with(
            .when({ $0.versions?.contains(.tls13) == true }, .bytes(answer)))
        let (facts, exchange) = await server.facts(.standard)
        #expect(facts.support(of: .tls13) == .supported && exchange.connections < 15)
        #expect(facts.groups.first?.failure != nil && facts.groups.first?.groups == [])
        #expect(facts.groups.first?.isComplete == false)
    }

    @Test("A server that always uses the same curve, whatever was offered, is told of, and its suites are found")
    func fixedCurve() async {
        let stubborn = Quirk { server, hello, _ in
            guard hello.versions == nil, hello.groups?.contains(.secp256r1) == false else { return nil }
            guard let suite = server.suite(hello, .tls12) else { return nil }
            return .bytes(server.flight(hello, .tls12, suite))
        }
        var server = FakeServer([.tls12: [0xC02F, 0xC030, 0x009E]])
        server.groups = [.secp256r1]
        let (facts, _) = await server.with(stubborn).facts(.standard)
        #expect(facts.cipherSuites(of: .tls12)?.suites == server.suites[.tls12])
        #expect(facts.anomalies.contains(.choseUnoffered("secp256r1")))
        #expect(facts.groups.first?.groups == [.secp256r1])
    }

    @Test("A protocol that was not offered is told of")
    func unofferedProtocol() async {
        let spdy = ScriptedServer.serverExtension(
            16, ScriptedServer.vector16(ScriptedServer.vector8(Array("spdy/3".utf8))))
        let hello = ScriptedServer.hello(.tls12, CipherSuite(rawValue: 0xC02F), extensions: [spdy])
        let server = FakeServer([.tls12: [0xC02F]]).with(
            .when(
                { $0.has(16) && $0.suites.contains(CipherSuite(rawValue: 0xC02F)) },
                .bytes(ScriptedServer.record(hello))))
        let (facts, _) = await server.facts(.ats)
        #expect(
            facts.anomalies.contains(.choseUnoffered("the protocol spdy/3"))
                || facts.features.applicationProtocols == ["spdy/3"])
    }
}

@Suite("Machines of different settings behind one address")
struct ContradictionTests {
    @Test("What is agreed on in one place and refused in another is told of")
    func contradiction() async {
        let one = FakeServer([.tls12: [0xC02F, 0xC030, 0x009E]])
        let other = FakeServer([.tls12: [0x0035, 0x002F]])
        var count = 0
        for (first, second) in [(one, other), (other, one), (one, one.without(0x009E)), (one.without(0x009E), one)] {
            for seed in 1...32 {
                let seed = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15
                let (facts, exchange) = await first.with(.half(to: second, seed: seed)).facts(.deep)
                if facts.anomalies.contains(where: { if case .contradiction = $0 { true } else { false } }) {
                    count += 1
                }
                #expect(exchange.connections < 80)
            }
        }
        // Not of all: where the lots happen to fall as one server would answer, there is nothing to see.
        #expect(count >= 64, "\(count) of 128")
    }

    @Test("A server that agrees once and then refuses everything contradicts itself", arguments: [UInt8(40), 70])
    func once(alert: UInt8) async {
        for plan in [ProbePlan.standard, .deep] {
            let (facts, exchange) = await FakeServer.old.with(.after(2, .alert(alert))).facts(plan)
            #expect(exchange.connections < 60)
            #expect(facts.cipherSuites(of: .tls12)?.order != .client)
        }
    }

    @Test("A suite that is refused alone, and was agreed on among others, is a contradiction")
    func alone() async {
        let suites = Set(FakeServer.oldSuites.map(CipherSuite.init) + [CipherSuite(rawValue: 0xC030)])
        // Refuses as soon as nothing is on offer but what it has.
        let fickle = Quirk { _, hello, _ in
            let offered = hello.suites.filter { !$0.isSignaling }
            return offered.count > 1 && suites.isSuperset(of: offered) ? .alert(40) : nil
        }
        let (facts, _) = await FakeServer.old.with(fickle).facts(.deep)
        #expect(facts.anomalies.contains(.contradiction("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384")))
        #expect(facts.cipherSuites(of: .tls12)?.order == .unknown)
    }

    @Test("Suites that are the same to a server are no contradiction")
    func equals() async {
        // As BoringSSL's groups of equal preference: the client decides between the first two.
        let equals = [CipherSuite(rawValue: 0xC02F), CipherSuite(rawValue: 0xC030)]
        let server = FakeServer([.tls12: [0xC02F, 0xC030, 0x009E, 0x0035]]).with(
            Quirk { server, hello, _ in
                guard let first = hello.suites.first(where: equals.contains) else { return nil }
                return .bytes(server.flight(hello, .tls12, first))
            })
        let (facts, _) = await server.facts(.standard)
        #expect(facts.cipherSuites(of: .tls12)?.order == .server)
        #expect(!facts.anomalies.contains { if case .contradiction = $0 { true } else { false } })
    }
}
