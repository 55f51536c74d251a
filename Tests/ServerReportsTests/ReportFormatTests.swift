//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import ReportSupport
import ServerDiagnosis
import TLSWire
import Testing

@testable import ServerReports

/// A report of each type, and the formats of it.
private let reports: [(any Report, Set<ReportFormat>)] = [
    (DiagnosisReport([]), Set(ReportFormat.allCases).subtracting([.plist])),
    (LintReport([], ATSLinter(system: .newest, strictness: .engine), failOn: .error), [.text, .json, .sarif, .junit]),
    (CheckReport(remarks: ReportRemarks([], .unchecked, publicTrust: nil)), [.text, .json, .html]),
    (SuggestionReport(.init(), client: .app), [.text, .json, .plist]),
    (ExplanationReport([], by: "Info.plist", configuration: .init(), client: .app), [.text, .json]),
    (ExplainReport(Array(CodeIndex.all.prefix(2))), [.text, .json]),
    (ShowReport([InspectedFile("a.txt", Array("text".utf8), at: .distantPast)], areAllOpened: true), [.text, .json]),
]

@Suite("The formats of reports")
struct ReportFormatTests {
    @Test("A report is written in its formats, and in no other", arguments: reports.indices)
    func formats(index: Int) throws {
        let (report, formats) = reports[index]
        #expect(type(of: report).formats == formats)
        for format in ReportFormat.allCases where formats.contains(format) {
            #expect(throws: Never.self) { try report.text(as: format) }
        }
        for format in ReportFormat.allCases where !formats.contains(format) {
            #expect(throws: UnsupportedFormat(format: format)) { try report.text(as: format) }
        }
    }

    @Test("A file that cannot be read, in part or at all, makes no report that is trusted", arguments: [true, false])
    func unreadFiles(areAllOpened: Bool) {
        let text = InspectedFile("a.txt", Array("text".utf8), at: .distantPast)
        let empty = InspectedFile("empty", [], at: .distantPast)
        #expect(ShowReport([text], areAllOpened: areAllOpened).verdict == (areAllOpened ? .trusted : .notEvaluated))
        #expect(ShowReport([text, empty], areAllOpened: areAllOpened).verdict == .notEvaluated)
    }

    @Test("What is written server by server is what is written at once", arguments: DiagnosisReport.formats)
    func gradually(format: ReportFormat) async throws {
        let fixture = try DiagnosisFixture()
        let servers = [
            try await fixture.server(fixture.facts([(.tls13, [0x1301])])),
            try await fixture.server(fixture.facts([(.tls11, [0xC013])])),
        ]
        var report = DiagnosisReport([])
        var written = ""
        for server in servers {
            written += report.part(server, as: format, isFirst: report.servers.isEmpty, style: .plain)
            report.servers.append(server)
        }
        written += try report.end(as: format, style: .plain)
        #expect(try written == DiagnosisReport(servers).text(as: format))
        #expect(report.verdict == .notTrusted)
    }
}
