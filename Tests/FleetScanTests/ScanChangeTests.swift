//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ReportSupport
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports

/// What was, what is, and what is said to have changed and whether for the worse; `nil` for nothing.
private let changes: [(ScanRecord, ScanRecord, [String]?, Bool)] = [
    (passingRecord(), passingRecord(), nil, false),
    (
        passingRecord(),
        passingRecord {
            $0.outcome.ats = "failed"
            $0.reasons = ["expired"]
        }, ["ats", "reasons"], true
    ),
    (passingRecord { $0.outcome.ats = "failed" }, passingRecord(), ["ats"], false),
    (passingRecord { $0.outcome.ats = "unknown" }, passingRecord { $0.outcome.ats = "failed" }, ["ats"], true),
    (passingRecord { $0.outcome.ats = "failed" }, passingRecord { $0.outcome.ats = "unknown" }, ["ats"], false),
    (passingRecord(), passingRecord { $0.versions = ["TLS 1.2"] }, ["versions"], false),
    (passingRecord(), passingRecord { $0.cipherSuites = [] }, ["cipherSuites"], false),
    // Another plan asks about other suites; a host that does not answer has not changed its versions.
    (
        passingRecord(),
        passingRecord {
            $0.cipherSuites = []
            $0.plan = "deep"
        }, nil, false
    ),
    (
        passingRecord(),
        passingRecord {
            $0.versions = []
            $0.cipherSuites = []
            $0.outcome.trust = "unknown"
        }, ["trust"], true
    ),
    (
        passingRecord(),
        passingRecord {
            $0.date = "later"
            $0.milliseconds = 9
            $0.connections = 9
        }, nil, false
    ),
]

@Suite("Changes between scans", .limitedConcurrency)
struct ScanChangeTests {
    @Test("What has changed is said, and nothing else", arguments: changes)
    private func differences(old: ScanRecord, new: ScanRecord, fields: [String]?, isWorse: Bool) {
        let change = ScanChange(from: old, to: new)
        #expect(change?.changes.map(\.field) == fields)
        #expect((change?.isWorse ?? false) == isWorse)
    }

    @Test("What changes while a host does not answer is said when it does, and what had failed is no worse then")
    func silence() throws {
        let failing = passingRecord {
            $0.outcome.ats = "failed"
            $0.certificate = Self.certificate("old")
        }
        let silent = passingRecord {
            $0.outcome = .init()
            ($0.versions, $0.cipherSuites) = ([], [])
        }
        var back = failing
        back.certificate = Self.certificate("new")
        let kept = silent.remembering(silent.remembering(failing))
        let change = try #require(ScanChange(from: kept, to: back))
        #expect(change.changes.map(\.field).prefix(3) == ["ats", "trust", "certificate"] && !change.isWorse)
        // What was in order before is worse, and silence is said once.
        var worse = back
        worse.outcome.trust = "failed"
        #expect(ScanChange(from: kept, to: worse)?.worsened == [.trust])
        #expect(ScanChange(from: failing, to: silent)?.worsened == [.trust])
        #expect(ScanChange(from: kept, to: silent) == nil)
    }

    @Test("Rounds of a watch remember a host through one that has no answer")
    func rememberedRounds() throws {
        let certificates = [Self.certificate("old"), nil, Self.certificate("new")]
        let recorders = try certificates.map { _ in try RoundRecorder() }
        for (index, certificate) in certificates.enumerated() {
            let comparison =
                index > 0
                ? ChangeReceiver(try Self.discarding(), recorders[index - 1].results, criterion: .ats) : nil
            var receiver = RoundReceiver(recorders[index], comparison)
            let host = passingRecord {
                $0.certificate = certificate
                if certificate == nil { ($0.versions, $0.outcome) = ([], .init()) }
            }
            try receiver.receive(ScanResult(record: host))
        }
        var results = recorders[1].results
        let kept = try results.latest(passingRecord().identity)
        #expect(
            kept?.certificate?.sha256 == "old" && kept?.outcome.ats == "unknown" && kept?.lastAnswers?.ats == "passed")
        var last = recorders[2].results
        #expect(try last.latest(passingRecord().identity)?.certificate?.sha256 == "new")
    }

    @Test("A round that is recorded has the last result of each host, and those that were not compared are left over")
    func rounds() throws {
        let recorder = try RoundRecorder()
        for plan in ["ats", "standard", "deep"] {
            recorder.receive(ScanResult(record: passingRecord { $0.plan = plan }))
        }
        recorder.receive(ScanResult(record: passingRecord { $0.host = "b.test" }))
        var results = recorder.results
        let identity = passingRecord().identity
        #expect(try results.latest(identity)?.plan == "deep" && results.latest(identity)?.plan == "deep")
        var left: [String?] = []
        try results.forEachLeft { left.append($0.host) }
        #expect(left == ["b.test"])
        #expect(try results.latest(passingRecord { $0.host = "c.test" }.identity) == nil)
    }

    private static func certificate(_ digest: String) -> ScanCertificate {
        ScanCertificate(
            subject: "x", issuer: "y", notAfter: "z", daysLeft: 90, key: "EC", sha256: digest, spkiSHA256: digest)
    }

    private static func discarding() throws -> ChangeWriter {
        ChangeWriter(try ResultStream.replacing(Descriptor.temporary(), "none", kinds: []), nil, criterion: .ats)
    }
}
