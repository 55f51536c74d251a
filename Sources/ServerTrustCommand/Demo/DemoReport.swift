//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust
import ServerTrustTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The results of the demo, as text or as a document.
struct DemoReport: DocumentReport {
    /// A server of the range and its report.
    struct Entry: Sendable {
        let fault: TLSFault
        let report: ServerReport

        /// `true` if the verdict and the reason are those of the fault.
        var isAsExpected: Bool { DemoExpectation(self.report) == DemoExpectation(self.fault) }
    }

    let entries: [Entry]
    /// The instructions for servers that keep running, or `nil` if they are shut down.
    var invitation: DemoInvitation?

    var isAsExpected: Bool { self.entries.allSatisfy(\.isAsExpected) }

    var verdict: ReportVerdict { self.isAsExpected ? .trusted : .notTrusted }

    var document: DemoDocument { DemoDocument(self) }

    /// Returns a table and a summary. On a narrow terminal each server has a paragraph instead.
    func text(_ style: TextStyle) -> String { self.found(style) + (self.invitation?.text ?? "") }

    private func found(_ style: TextStyle) -> String {
        let summary = style.wrapped("\n" + style.bold(self.summary) + "\n")
        let width = style.width ?? Self.usualWidth
        guard width >= Self.leastWidth else {
            return self.entries.map { style.wrapped(Self.paragraph($0, style)) }.joined(separator: "\n") + summary
        }
        let header = ["SERVER", "ASKED FOR", "VERDICT", "WHY"].map { TextTable.Cell($0, styled: style.dim($0)) }
        let table = TextTable(header: header, rows: self.entries.map { Self.row($0, style) }, width: width)
        return table.text + summary
    }

    private static let usualWidth = 120
    /// The least width in columns for a table of four columns.
    private static let leastWidth = 100

    private static func paragraph(_ entry: Entry, _ style: TextStyle) -> String {
        let verdict = style.coloured(entry.report.verdict.headline, entry.report.verdict)
        return "\(verdict)  \(style.bold(entry.fault.rawValue))\n  asked for \(entry.fault.referenceIdentity)\n"
            + "  \(Self.why(entry.report))\n"
    }

    var summary: String {
        let wrong = self.entries.filter { !$0.isAsExpected }
        let trusted = self.entries.count { $0.report.verdict == .trusted }
        let counts = "\(self.entries.count) servers: \(trusted) trusted, \(self.entries.count - trusted) not trusted"
        guard !wrong.isEmpty else { return "\(counts). Every verdict and reason is as it should be." }
        let names = wrong.map { "\($0.fault.rawValue) (should be \(DemoExpectation($0.fault).text))" }
        return "\(counts); \(wrong.count) wrong: \(names.joined(separator: ", "))"
    }

    private static func row(_ entry: Entry, _ style: TextStyle) -> [TextTable.Cell] {
        let verdict = entry.report.verdict
        return [
            TextTable.Cell(entry.fault.rawValue),
            TextTable.Cell(entry.fault.referenceIdentity),
            TextTable.Cell(verdict.headline, styled: style.coloured(verdict.headline, verdict)),
            TextTable.Cell(Self.why(entry.report)),
        ]
    }

    /// Returns the reason in one sentence.
    private static func why(_ report: ServerReport) -> String {
        switch report.outcome {
        case .failed(let failure), .refused(_, let failure): return DisplayText.text(failure.message)
        case .judged(let server):
            let path = server.judgment.result.path
            guard let finding = server.findings.first else {
                return "Valid path to “\(path.last?.subjectSummary ?? "")”."
            }
            return Self.shortened(finding.message, leaf: path.first?.subjectSummary ?? "")
        }
    }

    /// Returns a message without the name of the leaf, which is already in the row of the table.
    private static func shortened(_ message: String, leaf: String) -> String {
        message.replacing("The certificate “\(leaf)”", with: "The certificate")
            .replacing("The server's certificate “\(leaf)”", with: "The server's certificate")
            .replacing("“\(leaf)”", with: "the server's certificate")
    }
}

/// The output of `servertrust demo --format json`.
struct DemoDocument: Encodable {
    private let format = "servertrust.demo/1"
    private let isAsExpected: Bool
    private let servers: [Entry]
    private let rootFile: String?

    private struct Entry: Encodable {
        let fault: String
        let summary: String
        let expected: String
        let isAsExpected: Bool
        let report: JSONServer
    }

    init(_ report: DemoReport) {
        self.isAsExpected = report.isAsExpected
        self.rootFile = report.invitation?.rootFile
        self.servers = report.entries.map { entry in
            Entry(
                fault: entry.fault.rawValue, summary: entry.fault.summary,
                expected: DemoExpectation(entry.fault).text, isAsExpected: entry.isAsExpected,
                report: JSONServer(entry.report))
        }
    }
}
