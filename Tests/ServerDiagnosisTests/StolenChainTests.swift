//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
import ServerTrustTesting
import TLSProbe
import TLSWire
import TestSupport
import Testing

@Suite("Probing a server that shows the chain of another", .limitedConcurrency, .timeLimit(.minutes(10)))
struct StolenChainTests {
    @Test("Its key is not proven, whatever else it sends or asks for", arguments: [ProbePlan.ats, .standard])
    func stolen(plan: ProbePlan) async throws {
        let leaf = try TestAuthority().issue(.leaf(dnsNames: ["server.test"]))
        // Signed with nothing that would fit, and asking for a certificate, for the lack of which others end handshakes.
        let messages =
            ScriptedServer.hello(.tls12, CipherSuite(rawValue: 0xC02B)) + ScriptedServer.certificate([leaf.der])
            + ScriptedServer.keyExchange(.x25519, signedWith: SignatureScheme(rawValue: 0x0403))
            + ScriptedServer.certificateRequest([]) + ScriptedServer.done
        try await RawServer.with(.answer(ScriptedServer.record(messages))) { server in
            let facts = try await Prober(.patient).facts(server.port, plan)
            #expect(facts.chains.map(\.certificates) == [[leaf.der]])
            #expect(!facts.chains.contains { $0.isProven || facts.holdsKey(of: $0) })
            #expect(facts.handshake != .completed)
        }
    }
}
