//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerDiagnosis
import ServerTrust
import ServerTrustNIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The output of `servertrust check` and `evaluate` as a page: the verdict in a sentence, the reasons, and a drawing of the
/// chain.
struct ChainPage {
    private let parts: [Part]
    private let remarks: [String]

    /// One server or one chain.
    private struct Part {
        let name: String
        let verdict: ReportVerdict
        let findings: [Finding]
        let judgment: Judgment?
        /// The facts about the connection and the addresses of the name.
        var facts: [FactLine] = []
        /// The reason why there was no evaluation.
        var failure: String?
    }

    /// Creates a page about a chain from files.
    ///
    /// - Parameters:
    ///   - judgment: The evaluation of the chain.
    ///   - remarks: The remarks at the end of the page.
    init(_ judgment: Judgment, remarks: [String]) {
        let name = judgment.purpose.host ?? judgment.result.path.first?.subjectSummary ?? ""
        self.parts = [
            Part(name: name, verdict: judgment.verdict, findings: judgment.findings, judgment: judgment)
        ]
        self.remarks = remarks
    }

    /// Creates a page about servers.
    ///
    /// - Parameters:
    ///   - reports: The reports on the servers.
    ///   - remarks: The remarks at the end of the page.
    init(_ reports: [ServerReport], remarks: [String]) {
        self.parts = reports.map(Self.part)
        self.remarks = remarks
    }

    private static func part(_ report: ServerReport) -> Part {
        let facts = report.addresses.map { FactLine($0.address, [$0.report.summaryLine]) }
        switch report.outcome {
        case .judged(let server):
            var part = Part(
                name: "\(report.endpoint)", verdict: report.verdict, findings: server.findings,
                judgment: server.judgment)
            part.facts = [FactLine("Connection", [server.connectionLine])] + facts
            return part
        case .failed(let failure):
            var part = Part(name: "\(report.endpoint)", verdict: report.verdict, findings: [], judgment: nil)
            (part.failure, part.facts) = (failure.message, facts)
            return part
        case .refused(let transport, _):
            return Part(
                name: "\(report.endpoint)", verdict: report.verdict, findings: transport.findings, judgment: nil,
                facts: facts)
        }
    }

    var text: String { HTMLPage(title: "\(self.name): trust", body: self.body).text }

    private var name: String { self.parts.count == 1 ? self.parts[0].name : "\(self.parts.count) servers" }

    private var body: HTMLText {
        let articles = self.parts.map(self.article)
        let remarks = self.remarks.map { remark -> HTMLText in "<p>\(remark)</p>\n" }
        let notes = self.parts.flatMap { $0.judgment?.notes.map(\.code) ?? [] }
        let date = self.parts.lazy.compactMap { $0.judgment?.result.evaluationDate }.first ?? Date()
        return """
            <header>
            <h1>\(self.name)</h1>
            <p class="lead">\(self.lead)</p>
            <p class="soft">Judged as of \(ISO8601.text(date)), by servertrust \(ReportTool.version).</p>
            </header>
            <main>
            \(articles)\(HTMLParts.explanations(of: self.parts.flatMap(\.findings), notes))</main>
            <footer>\(remarks)</footer>
            """
    }

    private var lead: String {
        guard self.parts.count != 1 else { return Self.sentence(self.parts[0]) }
        let trusted = self.parts.count { $0.verdict == .trusted }
        return "\(trusted) of \(self.parts.count) servers are trusted."
    }

    private static func sentence(_ part: Part) -> String {
        let reason = part.findings.first?.message ?? part.failure ?? ""
        return switch part.verdict {
        case .trusted: "\(part.name) is trusted."
        case .notTrusted: "\(part.name) is not trusted. \(reason)"
        case .notEvaluated: "Whether \(part.name) is trusted is not known. \(reason)"
        }
    }

    private func article(_ part: Part) -> HTMLText {
        let reasons = part.findings.map { HTMLParts.reason($0) }
        let notes = (part.judgment?.notes ?? []).map { note -> HTMLText in
            "<li><h4>\(note.message)</h4><p>\(note.advice)</p><p class=\"codes\">\(HTMLParts.codes(note.code))</p></li>\n"
        }
        let heading: HTMLText =
            self.parts.count > 1
            ? "<h2>\(part.name)</h2>\n<p class=\"lead\">\(Self.sentence(part))</p>\n"
            : "<h2>Verdict</h2>\n"
        return """
            <article>
            \(heading)<p>\(HTMLParts.badge(part.verdict))</p>
            \(HTMLParts.section("Why", Self.list(reasons)))\(HTMLParts.section("Notes", Self.list(notes)))\
            \(HTMLParts.section("Chain", part.judgment.map(Self.chain) ?? .empty))\
            \(HTMLParts.section("Facts", HTMLParts.definitions(part.facts + Self.facts(part.judgment))))
            </article>

            """
    }

    private static func list(_ items: [HTMLText]) -> HTMLText {
        items.isEmpty ? .empty : "<ul class=\"reasons\">\n\(items)</ul>\n"
    }

    private static func chain(_ judgment: Judgment) -> HTMLText {
        let result = judgment.result
        let threshold = result.trust?.configuration.expiryThreshold ?? .default
        let links = PathText(.plain).blocks(of: judgment).map { block -> HTMLText in
            let faults = (result.failure?.reasons ?? []).filter { $0.certificate == block.certificate }.map(\.message)
            return HTMLParts.link(
                block.title, block.lines,
                lifetime: HTMLParts.lifetime(
                    of: block.certificate, at: result.evaluationDate, warningBy: threshold), faults: faults)
        }
        return "<ol class=\"chain\">\n\(links)</ol>\n"
    }

    /// Returns the inputs of the evaluation and the use of each.
    private static func facts(_ judgment: Judgment?) -> [FactLine] {
        guard let judgment else { return [] }
        let files = judgment.givenFiles.map { "\($0.name): \($0.outcome)" }
        return [
            FactLine("Judged", ["\(judgment.purpose.sentence), by the profile \(judgment.profile)"]),
            FactLine("Given", files), FactLine("Pins", [judgment.pinning?.text].compactMap(\.self)),
        ].filter { !$0.values.isEmpty }
    }
}
