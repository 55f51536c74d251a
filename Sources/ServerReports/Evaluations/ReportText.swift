//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
import ServerTrust
import ServerTrustNIO
import TLSWire

/// A report for people: the verdict first, then the reasons, then the evidence.
struct ReportText {
    private let style: TextStyle

    init(_ style: TextStyle) {
        self.style = style
    }

    /// Returns the report on a chain from files.
    func text(of judgment: Judgment) -> String {
        let name = judgment.purpose.host ?? judgment.result.path.first?.subjectSummary ?? ""
        return self.style.wrapped(
            self.headline(judgment.verdict, name)
                + self.findings(judgment.findings) + self.appleLine(of: judgment) + self.notes(of: judgment)
                + self.question(judgment)
                + FetchText.text(of: judgment.fetches, spelling: self.style.spelling)
                + (judgment.pinning?.text ?? "") + self.given(judgment)
                + PathText(self.style).text(of: judgment))
    }

    func text(of report: ServerReport) -> String {
        let headline = self.headline(report.verdict, "\(report.endpoint)")
        let server: JudgedServer
        switch report.outcome {
        case .judged(let judged): server = judged
        case .failed(let failure):
            return self.style.wrapped(headline + self.findings(failure.findings) + self.addresses(report))
        case .refused(let transport, _):
            return self.style.wrapped(
                headline + self.findings(transport.findings) + "\n" + transport.text + self.addresses(report))
        }
        return self.style.wrapped(
            headline
                + self.findings(server.findings) + self.appleLine(of: server.judgment)
                + self.notes(of: server.judgment)
                + self.question(server.judgment)
                + self.connection(server)
                + FetchText.text(of: server.judgment.fetches, spelling: self.style.spelling)
                + (server.judgment.pinning?.text ?? "") + self.given(server.judgment)
                + (server.transportSecurity?.text ?? "")
                + self.addresses(report)
                + PathText(self.style).text(of: server.judgment))
    }

    /// Returns the result of each address of the name, if it has several.
    private func addresses(_ report: ServerReport) -> String {
        guard !report.addresses.isEmpty else { return "" }
        let lines = report.addresses.map { "  \($0.address): \($0.report.summaryLine)\n" }
        let differences = report.addressContradictions.map { "  \(DisplayText.text($0.message)) \($0.remedy)\n" }
        let more =
            report.unaskedAddresses > 0
            ? "  The name has \(report.addresses.count + report.unaskedAddresses) addresses, and the first "
                + "\(report.addresses.count) were asked."
                + (self.style.spelling.words[TrustRemedy.Action.askAddress.rawValue].map { " \($0)" } ?? "") + "\n" : ""
        return "\n  Every address of the name was asked:\n" + lines.joined() + differences.joined() + more
    }

    func summary(of verdicts: [ReportVerdict]) -> String {
        let counts: [(ReportVerdict, String)] = [
            (.trusted, "trusted"), (.notTrusted, "not trusted"), (.notEvaluated, "not evaluated"),
        ]
        let parts = counts.compactMap { verdict, name in
            let count = verdicts.count { $0 == verdict }
            return count == 0 ? nil : "\(count) \(name)"
        }
        return self.style.bold("\(verdicts.count) servers: \(parts.joined(separator: ", "))") + "\n"
    }

    private func headline(_ verdict: ReportVerdict, _ name: String) -> String {
        self.style.coloured(verdict.headline, verdict) + "  " + self.style.bold(DisplayText.text(name)) + "\n"
    }

    private func findings(_ findings: [Finding]) -> String {
        findings.map { "\n" + $0.text(self.style) }.joined()
    }

    /// Returns the line that a device logs for the same failure.
    private func appleLine(of judgment: Judgment) -> String {
        guard !judgment.result.isTrusted || judgment.pinning?.isTrusted == false else { return "" }
        let line = judgment.result.appleLine.map { "log: \($0)" } ?? "log no line for this refusal."
        return "\n  Apple's systems \(line)\n"
    }

    private func notes(of judgment: Judgment) -> String {
        judgment.notes.map { "\n" + $0.text(self.style) }.joined()
    }

    private func given(_ judgment: Judgment) -> String {
        judgment.givenFiles.map { "  \(DisplayText.text($0.name)): \(DisplayText.text($0.outcome)).\n" }.joined()
    }

    private func question(_ judgment: Judgment) -> String {
        let moment = ISO8601.text(judgment.result.evaluationDate)
        let profile = judgment.profile == "apple" ? "Apple's rules" : "the rules of the profile \(judgment.profile)"
        return "\n  Judged \(judgment.purpose.sentence), at \(moment), by \(profile).\n"
    }

    private func connection(_ server: JudgedServer) -> String {
        let unreadable = server.unreadable.map { "  Certificate \($0.position) of them was left out: \($0.error)\n" }
        return "  Connection: \(server.connectionLine).\n" + unreadable.joined()
    }
}

extension JudgedServer {
    var connectionLine: String {
        let count = self.chain.certificates.count
        let facts = [
            self.chain.protocolVersion?.description, self.chain.cipherSuite?.description,
            self.chain.applicationProtocol.map(DisplayText.text), self.chain.remoteAddress,
            "\(count) \(count == 1 ? "certificate" : "certificates") sent",
        ]
        return facts.compactMap { $0 }.joined(separator: ", ")
    }
}
