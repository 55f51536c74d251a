//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerDiagnosis
import ServerTrust
import TLSProbe
import TestSupport
import Testing

@Suite("What a server delivers beside its certificates")
struct DeliveredEvidenceTests {
    private static let time = Date(timeIntervalSince1970: 1_780_272_000)
    private static let policy = TrustPolicy.tlsServer(hostname: "www.example.com")

    private static func facts(_ leaf: CertificateView, _ change: (inout ChainFact) -> Void) -> ServerFacts {
        var chain = ChainFact([leaf.bytes])
        change(&chain)
        var facts = ServerFacts(plan: .ats)
        facts.chains = [chain]
        return facts
    }

    private static func configuration() throws -> VerdictBasis {
        var configuration = VerdictBasis(TrustConfiguration(anchors: .only([Certificate(try testRoot.authority())])))
        configuration.verifyDate = Self.time
        return configuration
    }

    @Test(
        "A stapled response that revokes the certificate counts, and one that cannot be read says nothing",
        arguments: [("good", nil), ("revoked", "revoked"), ("malformed", nil), ("absent", nil)]
            as [(String, String?)])
    func staples(kind: String, code: String?) async throws {
        let leaf = try testRoot.leaf { $0.serialNumber = DER.number(4_711) }
        var response = TestOCSPResponse()
        if kind == "revoked" { response.status = DER.element(0xA1, DER.generalizedTime("20260530000000Z")) }
        var octets: [UInt8]? = try response.view().bytes
        if kind == "malformed" { octets = [1, 2, 3] }
        if kind == "absent" { octets = nil }
        let facts = Self.facts(leaf) { $0.ocspResponse = octets }
        let results = try await Self.configuration().results(of: facts, for: Self.policy)
        #expect(results.count == 1 && results[0]?.result.failure?.primary.code == code)
        #expect(results[0]?.result.isTrusted == (code == nil))
    }

    @Test("Timestamps of the handshake count for certificate transparency")
    func timestamps() async throws {
        let leaf = try testRoot.leaf()
        var configuration = try Self.configuration()
        let logs = try [901, 902].map { number in
            try TransparencyLog(subjectPublicKeyInfo: TestKey.p256(number).info)
        }
        var request = TransparencyRequest(logs: TransparencyLogs(logs))
        // A signature is another one each time, and so is the fingerprint.
        let root = Certificate(try testRoot.authority())
        request.publicRoots = .fingerprints([root.sha256Fingerprint])
        configuration.anchors = .only([root])
        configuration.transparency = request
        let list = try TestTimestamp.list([TestTimestamp(901), TestTimestamp(902)], TestTimestamp.entry(leaf.bytes))
        let with = try await configuration.results(of: Self.facts(leaf) { $0.timestamps = list }, for: Self.policy)
        #expect(with[0]?.result.certificateTransparency == .met && with[0]?.result.isTrusted == true)
        let without = try await configuration.results(of: Self.facts(leaf) { _ in }, for: Self.policy)
        #expect(without[0]?.result.failure?.primary.code == "certificate-transparency")
    }
}
