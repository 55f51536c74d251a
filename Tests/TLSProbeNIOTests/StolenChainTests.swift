//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrustTesting
import TLSProbe
import TLSProbeNIO
import TestTurns
import Testing

@Suite("Probing a server that shows somebody else's chain", .takingTurns, .timeLimit(.minutes(1)))
struct StolenChainTests {
    @Test("Its key is not proven, whatever else it sends or asks for", arguments: [ProbePlan.ats, .standard])
    func stolen(plan: ProbePlan) async throws {
        let leaf = try TestAuthority().issue(.leaf(dnsNames: ["server.test"]))
        // Signed with nothing that would fit, and asking for a certificate, for the lack of which others end handshakes.
        let messages =
            ServerWords.hello(.tls12, CipherSuite(rawValue: 0xC02B)) + ServerWords.certificate([leaf.der])
            + ServerWords.keyExchange(.x25519, signedWith: SignatureScheme(rawValue: 0x0403))
            + ServerWords.certificateRequest([]) + ServerWords.done
        try await RawServer.with(.answer(ServerWords.record(messages))) { server in
            let facts = try await Prober(.patient).facts(server.port, plan)
            #expect(facts.chains.map(\.certificates) == [[leaf.der]])
            #expect(!facts.chains.contains { $0.isProven || facts.holdsKey(of: $0) })
            #expect(facts.handshake != .completed)
        }
    }
}
