//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import ReportSupport
import ServerDiagnosis
import ServerTrust
import TLSProbe
import TLSWire
import TestSupport
import Testing

@testable import ServerReports

/// What --fail-on names, and the exit codes for a server without forward secrecy on iOS 27.
private let criteria: [(FailCriterion, ReportVerdict)] = [
    (.subject(.ats), .notTrusted), (.subject(.fcp), .notTrusted), (.subject(.trust), .trusted), (.row(1), .notTrusted),
    (.row(2), .trusted), (.row(7), .trusted), (.row(3), .notTrusted), (.row(17), .notTrusted),
]

@Suite("What a diagnosis comes to by what may fail it", .limitedConcurrency)
struct FailCriterionTests {
    @Test("What --fail-on names decides the exit code", arguments: criteria)
    private func criterion(criterion: FailCriterion, verdict: ReportVerdict) async throws {
        let fixture = try DiagnosisFixture()
        let server = try await fixture.server(fixture.facts([(.tls12, [0x009D])]))
        #expect(server.verdict(by: criterion) == verdict)
    }

    @Test("What is not known, or contradicted, is exit code 2")
    func unknown() async throws {
        let fixture = try DiagnosisFixture()
        var facts = fixture.facts([(.tls12, [0xC02F])])
        var server = try await fixture.server(facts)
        #expect(server.verdict(by: .subject(.ats)) == .trusted)
        let test = try #require(server.diagnosis.row(1)?.test)
        server.confirmations = [Confirmation(test: test, computed: .passed, observed: .unknown, violation: nil)]
        #expect(server.verdict(by: .subject(.ats)) == .trusted && server.complaints.isEmpty)
        server.confirmations = [Confirmation(test: test, computed: .passed, observed: .failed, violation: nil)]
        #expect(server.verdict(by: .subject(.ats)) == .notEvaluated && server.complaints.count == 1)
        facts.versions[0] = VersionFact(.tls13, .unknown(.reset))
        #expect(try await fixture.server(facts).verdict(by: .subject(.ats)) == .notEvaluated)
    }

    @Test("An Info.plist is held against the server, with the key and the line that decide")
    func app() async throws {
        let fixture = try DiagnosisFixture()
        try await withTemporaryFolder { folder in
            let file = try folder.file(
                "Info.plist",
                """
                <plist><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict>
                <key>a.test</key><dict>
                <key>NSExceptionRequiresForwardSecrecy</key><false/>
                </dict></dict></dict></dict></plist>
                """)
            let policy = ATSPolicy(try InfoPropertyList(contentsOf: file))
            let app = ServerDiagnoser.App(policy: policy, name: file)
            let server = try await fixture.server(fixture.facts([(.tls12, [0x009D])]), app: app)
            #expect(server.verdict(by: .subject(.plist)) == .trusted)
            #expect(server.verdict(by: .subject(.ats)) == .notTrusted)
            let lines = server.appLines.flatMap(\.values)
            #expect(lines.contains { $0.contains("NSExceptionRequiresForwardSecrecy, line 3") }, "\(lines)")
        }
    }
}
