//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrustNIO
import ServerTrustTesting
import TLSProbe
import TLSWire
import TestSupport
import Testing

@Suite("The hello of Apple's systems", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ClientHelloFormTests {
    @Test("It is the captured hello, octet by octet, but for what is drawn by lot")
    func octets() throws {
        let captured = ATSClientHello.captured
        var offer = HandshakeOffer()
        (offer.minimumVersion, offer.serverName) = (.tls12, "www.example.com")
        (offer.applicationProtocols, offer.cipherSuites) = (["h2", "http/1.1"], captured.cipherSuites)
        (offer.groups, offer.signatureSchemes, offer.form) = (captured.groups, captured.signatureSchemes, captured.form)
        for _ in 0..<50 {
            var chance = SystemRandomNumberGenerator()
            let opening = offer.opening(using: &chance, verifiedBy: CertificateKeyVerifier())
            try CapturedHello.expect(opening.hello.encoded(), versions: [0x0304, 0x0303])
        }
    }

    @Test(
        "On the wire it also offers what exceptions of an app allow, behind the rest",
        arguments: [ProbePlan.ats, .standard])
    func wire(plan: ProbePlan) async throws {
        let authority = try TestAuthority()
        let chain = [try authority.issue(.leaf(dnsNames: ["www.example.com"])), authority.root]
        try await OpenSSLServer.with(["-tls1_3"], chain) { backend in
            try await HelloGate.with(before: backend) { _ in
                .pass
            } _: { gate in
                let facts = try await Prober(.patient).facts(gate.port, plan, host: "www.example.com")
                #expect(facts.handshake == .completed)
                let large = gate.hellos.filter { $0.count > 1_400 }
                #expect(large.count == 1)
                try CapturedHello.expect(
                    try #require(large.first), versions: [0x0304, 0x0303, 0x0302, 0x0301],
                    moreSuites: [0xC023, 0xC024, 0xC027, 0xC028])
            }
        }
    }

    @Test("A server of the hybrid group alone is read with a real key of it", arguments: [ProbePlan.ats, .standard])
    func hybrid(plan: ProbePlan) async throws {
        let leaf = try TestAuthority().issue(.leaf(dnsNames: ["server.test"]))
        var configuration = TestTLSServer.Configuration(certificates: [leaf.der], privateKey: leaf.privateKey)
        configuration.groups = [.x25519MLKEM768]
        try await withTestServer(configuration) { server in
            let facts = try await Prober(.patient).facts(server.port, plan)
            #expect(facts.handshake == .completed && facts.chains.allSatisfy(\.isProven) && !facts.chains.isEmpty)
            #expect(facts.selections.contains { $0.group == .x25519MLKEM768 && $0.isComplete })
        }
    }
}
