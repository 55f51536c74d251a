//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire
import TestSupport
import Testing

private let suite = CipherSuite(rawValue: 0xC02F)
private let tls13Suite = CipherSuite(rawValue: 0x1301)
private let hello = ScriptedServer.record(ScriptedServer.hello(.tls12, suite))

/// Flights that begin with a hello and come to nothing.
private let cutFlights: [[UInt8]] = [
    hello, hello + ScriptedServer.alert(40), hello + ScriptedServer.alert(80), hello + Array("HTTP/1.1".utf8),
    hello + ScriptedServer.record([0], type: 24), hello + ScriptedServer.record(ScriptedServer.message(20, [])),
    hello + ScriptedServer.record(ScriptedServer.certificate([[0x30]])) + ScriptedServer.alert(80),
]

/// Hellos that break TLS's own rules, and what is said of them.
private let lawlessHellos: [(hello: [UInt8], anomaly: String)] = [
    (ScriptedServer.hello(.tls13, tls13Suite), "TLS 1.3 without the extension for versions"),
    (
        ScriptedServer.hello(.tls12, suite, extensions: [ScriptedServer.serverExtension(43, [3, 3])]),
        "TLS 1.2 with the extension for versions"
    ),
    (ScriptedServer.hello(.tls12, suite, random: ScriptedServer.retryRandom), "another hello in TLS 1.2"),
    (ScriptedServer.hello(.tls11, suite), "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 in TLS 1.1"),
    (ScriptedServer.hello(.tls10, CipherSuite(rawValue: 0x003C)), "TLS_RSA_WITH_AES_128_CBC_SHA256 in TLS 1.0"),
]

@Suite("What counts as an agreement")
struct AgreementTests {
    @Test("A flight that is cut after the hello does not count, and shows no lack of anything", arguments: cutFlights)
    func cut(flight: [UInt8]) async {
        for plan in [ProbePlan.standard, .deep] {
            let (facts, exchange) = await FakeServer.modern.with(.first(.max, .bytes(flight))).facts(plan)
            #expect(!facts.speaksTLS && facts.chains.isEmpty && facts.cipherSuites.isEmpty)
            #expect(facts.features.ocspStapling == nil && facts.features.extendedMasterSecret == nil)
            #expect(facts.versions.allSatisfy { if case .supported = $0.support { false } else { true } })
            #expect(exchange.connections < 20)
        }
    }

    @Test("A server that ends every flight of one suite is not said to have that suite")
    func cutSuite() async {
        let broken = Quirk { server, hello, _ in
            guard case .bytes(let bytes) = server.sensibleReaction(to: hello), bytes.count > 100,
                hello.suites.contains(CipherSuite(rawValue: 0xC02F)), !hello.suites.contains(tls13Suite)
            else { return nil }
            return .bytes(Array(bytes.prefix(60)) + [])
        }
        let (facts, _) = await FakeServer.modern.with(broken).facts(.standard)
        #expect(facts.cipherSuites(of: .tls12)?.suites.contains(suite) != true)
    }

    @Test("Hellos against TLS's rules agree on nothing", arguments: lawlessHellos)
    func lawless(hello: [UInt8], anomaly: String) async {
        let answer = ScriptedServer.record(hello + ScriptedServer.certificate([[0x30, 1]]) + ScriptedServer.done)
        let (facts, _) = await FakeServer.modern.with(.first(.max, .bytes(answer))).facts(.standard)
        #expect(!facts.speaksTLS && facts.anomalies.contains(.choseUnoffered(anomaly)), "\(facts.anomalies)")
    }

    @Test("A group or a signature that Apple's systems do not offer is no agreement with them")
    func notForApple() async {
        var server = FakeServer([.tls12: [0xC02F]])
        (server.groups, server.schemes) = ([.secp256r1], [SignatureScheme(rawValue: 0x0401)])
        for (group, number) in [(NamedGroup.x448, UInt16(0x0401)), (.secp256r1, 0x0301)] {
            // The same, whatever was offered.
            let scheme = SignatureScheme(rawValue: number)
            let key = ScriptedServer.keyExchange(group, signedWith: scheme)
            let flight =
                ScriptedServer.hello(.tls12, suite) + ScriptedServer.certificate([[0x30, 1]]) + key
                + ScriptedServer.done
            let stubborn = Quirk.when({ $0.suites.contains(suite) }, .bytes(ScriptedServer.record(flight)))
            let (facts, _) = await server.with(stubborn).facts(.ats)
            let wide: [ServerSelection.Offer] = [.everything, .tls11, .tls10]
            #expect(facts.selections.allSatisfy { wide.contains($0.offer) }, "\(facts.selections)")
            #expect(facts.unclearOffers.contains(.fcp))
            let unoffered = facts.anomalies.map { if case .choseUnoffered(let what) = $0 { what } else { "" } }
            #expect(unoffered.contains("\(group)") || unoffered.contains("\(scheme)"), "\(unoffered)")
            let (whole, _) = await server.with(stubborn).facts(.standard)
            #expect(whole.cipherSuites(of: .tls12)?.suites == server.suites[.tls12])
            #expect(whole.unclearOffers == [.atsTLS12, .fcp])
            #expect(whole.selections.allSatisfy { $0.offer == .everything })
        }
    }

    @Test("A server that fails at extensions has nothing for Apple's systems, which send them")
    func extensionsForApple() async {
        let server = FakeServer([.tls12: [0xC02F, 0x009E]]).with(.when({ $0.extensions != nil }, .alert(40)))
        let (facts, _) = await server.facts(.standard)
        #expect(facts.supportedVersions == [.tls12])
        #expect(facts.refusedOffers == [.atsTLS12, .fcp] && facts.selections.allSatisfy { $0.offer == .everything })
    }
}
