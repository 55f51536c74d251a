//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
package import ServerTrust
import ServerTrustNIO
import TLSWire

/// Reports for people: the verdict first, then why, then the evidence.
package struct ReportText {
    private let style: TextStyle

    package init(_ style: TextStyle) {
        self.style = style
    }

    /// The report on a chain from files.
    package func text(of judgment: Judgment) -> String {
        let name = judgment.purpose.host ?? judgment.result.path.first?.subjectSummary ?? ""
        return self.style.wrapped(
            self.headline(judgment.verdict, name)
                + self.findings(judgment.findings) + self.notes(of: judgment)
                + self.question(judgment)
                + FetchText.text(of: judgment.fetches)
                + (judgment.pinning?.text ?? "") + self.given(judgment)
                + PathText(self.style).text(of: judgment))
    }

    /// The report on a server.
    package func text(of report: ServerReport) -> String {
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
                + self.findings(server.findings) + self.notes(of: server.judgment)
                + self.question(server.judgment)
                + self.connection(server)
                + FetchText.text(of: server.judgment.fetches)
                + (server.judgment.pinning?.text ?? "") + self.given(server.judgment)
                + (server.transportSecurity?.text ?? "")
                + self.addresses(report)
                + PathText(self.style).text(of: server.judgment))
    }

    /// What the addresses of the name came to, where there are several.
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

    /// How many servers came out which way.
    package func summary(of verdicts: [ReportVerdict]) -> String {
        let counts: [(ReportVerdict, String)] = [
            (.trusted, "trusted"), (.notTrusted, "not trusted"), (.notEvaluated, "not evaluated"),
        ]
        let parts = counts.compactMap { verdict, name in
            let count = verdicts.count { $0 == verdict }
            return count == 0 ? nil : "\(count) \(name)"
        }
        return self.style.bold("\(verdicts.count) servers: \(parts.joined(separator: ", "))") + "\n"
    }

    /// What is said once, at the end, however many servers there were.
    package func notes(
        storeIssues: [TrustStoreIssue], savedTo file: String? = nil, revocation: CheckedRevocation = .unchecked,
        publicTrust: PublicTrustBasis? = nil
    ) -> String {
        let notes = Self.remarks(
            storeIssues: storeIssues, savedTo: file, revocation: revocation, publicTrust: publicTrust)
        return self.style.wrapped("\n" + notes.map { self.style.dim($0) + "\n" }.joined())
    }

    /// The same without style, a sentence or two each.
    package static func remarks(
        storeIssues: [TrustStoreIssue], savedTo file: String? = nil, revocation: CheckedRevocation = .unchecked,
        publicTrust: PublicTrustBasis? = nil
    ) -> [String] {
        var notes = publicTrust.map { [$0.sentence] } ?? ["Certificate transparency was not checked."]
        if let sentence = revocation.sentence { notes.append(sentence) }
        if let file { notes.append("What the server sent was written to \(DisplayText.text(file)).") }
        let shown = 4
        notes += storeIssues.prefix(shown).map { "Left out of what is trusted: \(DisplayText.text("\($0)"))" }
        if storeIssues.count > shown {
            notes.append("… and \(storeIssues.count - shown) more certificates, which JSON lists.")
        }
        return notes
    }

    private func headline(_ verdict: ReportVerdict, _ name: String) -> String {
        self.style.coloured(verdict.headline, verdict) + "  " + self.style.bold(DisplayText.text(name)) + "\n"
    }

    private func findings(_ findings: [Finding]) -> String {
        findings.map { "\n" + $0.text(self.style) }.joined()
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
    /// What was negotiated, in a line.
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

/// How much was asked about revocation.
package enum CheckedRevocation: Sendable {
    /// Nothing was looked at.
    case unchecked
    /// What servers staple was looked at.
    case stapled
    /// What servers staple was looked at, and files.
    case given
    /// Everything was looked at that was asked for.
    case checked

    static let givenSentence = "Revocation was checked by stapled responses and the given files alone."

    fileprivate var sentence: String? {
        switch self {
        case .unchecked: "Revocation was not checked."
        case .stapled: "Revocation was checked by stapled responses alone."
        case .given: Self.givenSentence
        case .checked: nil
        }
    }
}
