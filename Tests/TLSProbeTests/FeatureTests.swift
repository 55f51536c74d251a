//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire
import Testing

@Suite("What else servers do")
struct FeatureTests {
    @Test("Features that are there are seen")
    func present() async {
        var server = FakeServer.modern
        server.extensions.formUnion([15, 18, 22])
        server.suites[.tls12]?.append(CipherSuite(rawValue: 0x0035))
        server.stapledResponse = [7]
        server.compresses = true
        server.protocols = ["http/1.1", "h2"]
        let features = await server.facts(.standard).facts.features
        #expect(features.extendedMasterSecret == true && features.secureRenegotiation == true)
        #expect(features.compression == true && features.encryptThenMAC == true && features.sessionTickets == true)
        #expect(features.ocspStapling == true && features.signedCertificateTimestamps == true)
        #expect(features.heartbeat == true && features.fallbackSCSV == true && features.downgradeSentinel == true)
        #expect(features.applicationProtocols == ["http/1.1", "h2"])
    }

    @Test(
        "Every protocol of ALPN is found, however few suites there are to ask about",
        arguments: [[0xC02F], [0xC02F, 0xC030], [0xC02F, 0xC030, 0x0035]] as [[UInt16]],
        [CipherSuiteFacts.Order.server, .client])
    func protocols(suites: [UInt16], order: CipherSuiteFacts.Order) async {
        for version in [TLSProtocolVersion.tls12, .tls13] {
            var server = FakeServer([.tls12: suites, .tls13: [0x1301]])
            if version == .tls12 { server.suites[.tls13] = nil }
            (server.protocols, server.order) = (["h2", "http/1.1"], order)
            let features = await server.facts(.standard).facts.features
            #expect(features.applicationProtocols == ["h2", "http/1.1"], "\(version)")
        }
    }

    @Test("Features that are not there are told from those that were not asked for")
    func absent() async {
        var server = FakeServer([.tls12: [0xC02F, 0x0035], .tls11: [0x0035]])
        server.extensions = []
        server.knowsFallbackSignal = false
        let features = await server.facts(.standard).facts.features
        #expect(features.extendedMasterSecret == false && features.secureRenegotiation == false)
        #expect(features.compression == false && features.encryptThenMAC == false && features.sessionTickets == false)
        #expect(features.ocspStapling == false && features.signedCertificateTimestamps == false)
        #expect(features.heartbeat == false && features.fallbackSCSV == false && features.downgradeSentinel == nil)
        #expect(features.applicationProtocols == [])
        let alone = await FakeServer([.tls13: [0x1301]]).facts(.standard).facts.features
        #expect(alone.extendedMasterSecret == nil && alone.compression == nil && alone.fallbackSCSV == nil)
    }

    @Test("Primes of Diffie-Hellman show their size")
    func primes() async {
        var server = FakeServer.old
        server.primeBits = 1024
        let facts = await server.facts(.standard).facts
        #expect(facts.groups.first { $0.version == .tls12 }?.primeSizes == [1024])
    }

    @Test("What is signed with is found in the server's order")
    func signatureSchemes() async {
        let facts = await FakeServer.modern.facts(.deep).facts
        #expect(facts.features.signatureSchemes?.map(\.rawValue) == [0x0804, 0x0401, 0x0201])
    }

    @Test("SSL 2.0 is supported, refused, or unknown")
    func ssl2() async {
        var server = FakeServer.old
        #expect(
            await server.facts(.deep).facts.support(of: .ssl20) == .refused(.alert(TLSAlertDescription(rawValue: 70))))
        server.speaksSSL2 = true
        #expect(await server.facts(.deep).facts.support(of: .ssl20) == .supported)
        #expect(await server.facts(.standard).facts.support(of: .ssl20) == nil)
    }

    @Test("A warning before the hello does not keep from anything, and is told of")
    func warnings() async {
        let (named, _) = await FakeServer.modern.with(.warning(112)).facts(.standard)
        FakeServer.modern.expectExactly(named)
        #expect(named.anomalies.contains(.unrecognizedName))
        let (other, _) = await FakeServer.modern.with(.warning(90)).facts(.standard)
        FakeServer.modern.expectExactly(other)
        #expect(other.anomalies.contains(.warningAlert(TLSAlertDescription(rawValue: 90))))
    }

    @Test("A flight in records of one octet each is read like any other")
    func records() async {
        let (facts, _) = await FakeServer.old.with(.singleOctetRecords).facts(.standard)
        FakeServer.old.expectExactly(facts)
    }

    @Test("A server that speaks something else than TLS is asked once", arguments: ProbePlan.allCases)
    func notTLS(plan: ProbePlan) async {
        let http = FakeServer.Reaction.bytes(Array("HTTP/1.1 400 Bad Request\r\n".utf8))
        let (facts, exchange) = await FakeServer.modern.with(.after(0, http)).facts(plan)
        #expect(facts.failure == .notTLS(beginning: "HTTP/1.1 400 Bad Request.."))
        #expect(exchange.connections <= 2 && facts.versions.isEmpty)
    }

    @Test("Of a server that shows ever other chains, some are kept", arguments: ProbePlan.allCases)
    func manyChains(plan: ProbePlan) async {
        let changing = Quirk { server, hello, number in
            var other = server
            other.rsaChain = [[0x30, UInt8(number % 256), UInt8(number / 256)]]
            return other.sensibleReaction(to: hello)
        }
        let (facts, exchange) = await FakeServer.old.with(changing).facts(plan)
        #expect(facts.chains.count == (plan == .ats ? 6 : 16), "\(facts.chains.count)")
        #expect(exchange.connections < 100)
        #expect(facts.anomalies.count(where: { $0 == .manyChains }) == (plan == .ats ? 0 : 1))
        #expect(facts.selections.compactMap(\.chain).allSatisfy(facts.chains.indices.contains))
    }

    @Test("A long chain is told of, and so are 100 certificates")
    func longChain() async {
        var server = FakeServer([.tls12: [0xC02F]])
        server.rsaChain = (0..<100).map { [0x30, UInt8($0)] }
        let facts = await server.facts(.ats).facts
        #expect(facts.anomalies.contains(.longChain(count: 100)))
        #expect(facts.chains.first?.certificates.count == 100)
    }
}
