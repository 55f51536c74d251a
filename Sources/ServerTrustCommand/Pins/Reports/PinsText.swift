//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ConfigurationDocuments
import PinningDialects
import ServerReports
import ServerTrust

/// A report on a file of pins, as text or as a document.
struct PinsReport: DocumentReport {
    let audit: PinsAudit
    let judged: [JudgedTarget]

    var verdict: ReportVerdict { .worst(of: [self.audit.verdict] + self.judged.map(\.verdict)) }

    var document: PinsDocument { PinsDocument(self) }

    func text(_ style: TextStyle) -> String { PinsText(style).text(of: self.audit, self.judged) }
}

/// The report on a file of pins, for people.
struct PinsText {
    private let style: TextStyle

    init(_ style: TextStyle) {
        self.style = style
    }

    func text(of audit: PinsAudit, _ judged: [JudgedTarget]) -> String {
        let (errors, warnings) = (self.count(audit, .error), self.count(audit, .warning))
        var text = self.headline(audit, judged) + "\n"
        text += "\n  \(Self.count(audit.domains.count, "domain")), written for \(audit.pins.dialect.rawValue); "
        text += "\(Self.count(errors, "error")), \(Self.count(warnings, "warning")).\n"
        text += audit.diagnostics.map(self.paragraph).joined()
        text += audit.pins.hosts == nil ? "" : self.table(audit.domains)
        text += judged.map(self.line).joined()
        return self.style.wrapped(text)
    }

    private func count(_ audit: PinsAudit, _ severity: PinningDiagnostic.Severity) -> Int {
        audit.diagnostics.count { $0.severity == severity }
    }

    private static func count(_ number: Int, _ name: String) -> String { "\(number) \(name)\(number == 1 ? "" : "s")" }

    private func headline(_ audit: PinsAudit, _ judged: [JudgedTarget]) -> String {
        let name = self.style.bold(DisplayText.text(audit.pins.path))
        if audit.pins.reading.configuration == nil {
            return self.style.coloured("UNUSABLE", .notTrusted) + "  " + name
        }
        let unpinned = judged.count(where: \.isUnpinned)
        let failing = judged.count { $0.verdict == .notTrusted } - unpinned
        let unreached = judged.count { $0.verdict == .notEvaluated }
        if failing > 0 {
            return self.style.coloured("\(failing) OF \(judged.count) WOULD FAIL", .notTrusted) + "  " + name
        }
        if unpinned > 0 {
            return self.style.coloured("\(unpinned) OF \(judged.count) NOT PINNED", .notTrusted) + "  " + name
        }
        let pinned = audit.domains.count { $0.pins != nil }
        for (what, domains) in [("REFUSED", audit.refused), ("NOT PINNED", audit.unpinned)] where !domains.isEmpty {
            let count = "\(domains.count) OF \(pinned) \(pinned == 1 ? "DOMAIN" : "DOMAINS")"
            return self.style.coloured("\(count) \(what)", .notTrusted) + "  " + name
        }
        if unreached > 0 {
            return self.style.coloured("\(unreached) OF \(judged.count) NOT EVALUATED", .notEvaluated) + "  " + name
        }
        return self.style.coloured("USABLE", .trusted) + "  " + name
    }

    private func paragraph(_ diagnostic: PinningDiagnostic) -> String {
        let line = diagnostic.position.map { "line \($0.line): " } ?? ""
        let severity = diagnostic.severity.rawValue
        return "\n  \(line)\(self.style.bold("\(severity): \(DisplayText.text(diagnostic.message))"))\n"
            + "  \(DisplayText.text(diagnostic.remedy))\n  \(self.style.dim("[\(diagnostic.code.rawValue)]"))\n"
    }

    private func table(_ domains: [PinnedDomain]) -> String {
        guard !domains.isEmpty else { return "" }
        let rows = domains.prefix(Self.maximumRows).map { domain in
            (Self.name(of: domain), Self.pins(of: domain), domain.position.map { "line \($0.line)" } ?? "")
        }
        let width = rows.map(\.0.count).max() ?? 0
        let lines = rows.map { name, pins, line in
            "  \(name)\(String(repeating: " ", count: width - name.count))  \(pins)\(line.isEmpty ? "" : "  \(line)")\n"
        }
        let rest = domains.count - rows.count
        return "\n" + lines.joined() + (rest > 0 ? "  and \(Self.count(rest, "domain")) more\n" : "")
    }

    private static let maximumRows = 1_000

    static func name(of domain: PinnedDomain) -> String {
        let prefix: [PinnedDomain.Subdomains: String] = [.oneLabelOnly: "*.", .oneLabel: "(*.)", .anyDepth: "**."]
        let port = domain.port.map { ":\($0)" } ?? ""
        return (prefix[domain.subdomains] ?? "") + DisplayText.text(domain.host) + port
    }

    private static func pins(of domain: PinnedDomain) -> String {
        guard let pins = domain.pins else { return "not pinned" }
        var text = Self.count(pins.size, "pin")
        if pins.isReportOnly { text += ", only reported" }
        if let expiration = pins.expiration { text += ", until \("\(Timestamp(expiration.date))".prefix(10))" }
        return text
    }

    private func line(_ target: JudgedTarget) -> String {
        let name =
            target.host.map { target.name.hasPrefix($0) ? target.name : "\(target.name) for \($0)" } ?? target.name
        switch target.outcome {
        case .failed(let failure):
            let verdict = self.style.coloured(failure.verdict.headline, failure.verdict)
            return "\n  \(verdict)  \(failure.message)\n"
        case .judged(let judgment, let findings):
            let word = target.isUnpinned ? "NOT PINNED" : target.verdict == .trusted ? "GETS THROUGH" : "WOULD FAIL"
            let verdict = self.style.coloured(word, target.verdict)
            let reasons = findings.map { "  \($0.message) \($0.remedy)\n" }.joined()
            return "\n  \(verdict)  \(self.style.bold(name))\n\(reasons)\(judgment.pinning?.text ?? "")"
        }
    }
}
