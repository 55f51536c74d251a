//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ReportSupport
import ServerDiagnosis
import TLSProbe
import TLSWire
import Testing

@testable import ServerReports

/// What servers speak, the codes that a fleet's faults are counted by, and the questions that they answer with no.
private let faults: [([(TLSProtocolVersion, [UInt16])], [String], [String])] = [
    ([(.tls13, [0x1301])], [], []), ([(.tls12, [0x009D])], ["cipher-suite"], ["ats", "fcp"]),
    ([(.tls11, [0xC013])], ["tls-version-too-old"], ["ats", "fcp", "trust"]),
]

@Suite("What a scan finds")
struct ScanFindingTests {
    @Test("Where there is no handshake, the finding is why, and not the alert", arguments: faults.indices)
    func causes(index: Int) async throws {
        let fixture = try DiagnosisFixture()
        var facts = fixture.facts(faults[index].0)
        facts.groups = [GroupFacts(.tls12, [.x25519], isComplete: true)]
        let diagnosis = try await fixture.server(facts).diagnosis
        let findings = ScanFinding.findings(diagnosis)
        #expect(findings.map(\.code) == faults[index].1)
        for finding in findings {
            #expect(finding.questions == faults[index].2 && finding.remedy?.hasSuffix(".") == true)
            #expect(!finding.message.contains("handshake_failure"))
        }
    }
}
