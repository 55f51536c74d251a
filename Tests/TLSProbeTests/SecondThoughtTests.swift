//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire
import TestSupport
import Testing

@Suite("What is asked again, to be thorough")
struct SecondThoughtTests {
    private func isContradiction(_ anomaly: ProbeAnomaly) -> Bool {
        if case .contradiction = anomaly { true } else { false }
    }

    @Test("Suites for keys on curves that were refused once are found all the same")
    func curves() async {
        var server = FakeServer([.tls12: [0xC02F, 0xC02B, 0xC030, 0xC02C]])
        server.ecdsaChain = [[0x30, 2]]
        let onCurves: @Sendable (SentHello) -> Bool = { hello in
            hello.suites.filter { !$0.isSignaling }.allSatisfy { $0.authentication == .ecdsa }
        }
        let (facts, _) = await server.with(.once(onCurves, .alert(40))).facts(.deep)
        #expect(Set(facts.cipherSuites(of: .tls12)?.suites ?? []) == Set(server.suites[.tls12] ?? []))
        #expect(facts.cipherSuites(of: .tls12)?.isComplete == true && facts.anomalies.contains(where: isContradiction))
        #expect(facts.chains.count == 2)
    }

    @Test("Suites and groups of TLS 1.3 that were refused once are found all the same")
    func tls13() async {
        let isLess: @Sendable (SentHello) -> Bool = { hello in
            hello.versions == [.tls13] && !hello.suites.contains(CipherSuite(rawValue: 0x1302))
        }
        let (facts, _) = await FakeServer.modern.with(.once(isLess, .alert(40))).facts(.deep)
        FakeServer.modern.expectExactly(facts)
        #expect(facts.anomalies.contains(where: isContradiction))
    }

    @Test("A second answer that is not clear leaves a list open")
    func unclear() async {
        let isRest: @Sendable (SentHello) -> Bool = { hello in
            hello.versions == [.tls13] && !hello.suites.contains { $0.rawValue == 0x1302 || $0.rawValue == 0x1301 }
        }
        var server = FakeServer([.tls13: [0x1302, 0x1301]])
        server = server.with(.once(isRest, .alert(40)), .when(isRest, .silence))
        let (facts, _) = await server.facts(.deep)
        #expect(facts.cipherSuites(of: .tls13)?.isComplete == false)
        #expect(facts.cipherSuites(of: .tls13)?.failure == .timedOut(.silent))
    }

    @Test("An order of TLS 1.3's suites is the server's only where its favorite is chosen, or suites are equal to it")
    func order() async {
        let (first, middle) = (CipherSuite(rawValue: 0x1302), CipherSuite(rawValue: 0x1303))
        let last = CipherSuite(rawValue: 0x1301)
        // Neither the client's favorite nor the server's, once the last one is the client's.
        let isTurned: @Sendable (SentHello) -> Bool = { hello in
            hello.suites.count == 3 && hello.suites.first == last && hello.suites.contains(first)
        }
        let other = ScriptedServer.record(ScriptedServer.retryRequest(middle, .x25519))
        let equals = FakeServer.modern.with(.when(isTurned, .bytes(other)))
        #expect(await equals.facts(.standard).facts.cipherSuites(of: .tls13)?.order == .server)
        let strange = equals.with(.when({ $0.versions == [.tls13] && $0.suites == [last] }, .alert(40)))
        let (facts, _) = await strange.facts(.standard)
        #expect(facts.cipherSuites(of: .tls13)?.order == .unknown && facts.anomalies.contains(where: isContradiction))
    }

    @Test("What is signed with is not told where the last answer was not clear")
    func signatureSchemes() async {
        let first = SignatureScheme(rawValue: 0x0804)
        let isSecond: @Sendable (SentHello) -> Bool = { $0.schemes?.contains(first) == false }
        let (facts, _) = await FakeServer.modern.with(.when(isSecond, .silence)).facts(.deep)
        #expect(facts.features.signatureSchemes == nil)
    }
}
