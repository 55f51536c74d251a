//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Asks a server what it speaks, and says what Apple's systems make of it.

import ServerDiagnosis
import ServerTrust
import TLSProbeNIO

// snippet.diagnose
func diagnosis(of endpoint: TLSEndpoint, anchors: TrustAnchors) async throws -> ServerDiagnosis {
    var configuration = Prober.Configuration()
    configuration.timeout = .seconds(3)
    let facts = await Prober(configuration).facts(about: endpoint, plan: .standard)
    let policy = ATSRequirements().trustPolicy(hostname: endpoint.host.text)
    // What cannot be read is not trusted, and not known to be.
    let trust = facts.chains.map { chain -> TrustResult? in
        let certificates = chain.certificates.compactMap { try? Certificate(der: $0) }
        return try? Trust(certificates: certificates, policy: policy, anchors: anchors).evaluate()
    }
    return ServerDiagnosis(host: endpoint.host.text, facts: facts, trust: trust)
}
// snippet.end

let answer = try await diagnosis(of: TLSEndpoint(parsing: "localhost:8443"), anchors: .store(try .system()))
for verdict in answer.verdicts { print(verdict.subject, verdict.outcome) }
for advice in answer.advice { print(advice.snippet(for: .nginx)) }
