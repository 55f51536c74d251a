//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust

/// A diagnosis for people: the answers first, then the reasons, the changes to make, and the facts.
struct DiagnosisText {
    private let style: TextStyle
    private let products: [ServerProduct]?
    private let isVerbose: Bool

    init(_ style: TextStyle, products: [ServerProduct]?, isVerbose: Bool) {
        self.style = style
        self.products = products
        self.isVerbose = isVerbose
    }

    func text(of server: DiagnosedServer) -> String {
        let before = [
            self.verdicts(server), self.reasons(server),
            server.notes.map { $0.text(self.style) }.joined(separator: "\n"), self.addresses(server),
        ]
        let after = [
            self.app(server), self.isVerbose ? self.matrix(server) : "", self.confirmations(server), self.facts(server),
            self.chains(server), self.notes(server),
        ]
        // Settings and exceptions are copied into files and keep their lines.
        let copied = [self.advice(server), self.exception(server)]
        return (before.map(self.style.wrapped) + copied + after.map(self.style.wrapped))
            .filter { !$0.isEmpty }.joined(separator: "\n")
    }

    static func summary(_ servers: [DiagnosedServer], _ criterion: FailCriterion) -> String {
        let verdicts = servers.map { $0.verdict(by: criterion) }
        let counts = [(ReportVerdict.trusted, "pass"), (.notTrusted, "fail"), (.notEvaluated, "are not known")]
        let parts = counts.compactMap { verdict, words in
            let count = verdicts.count { $0 == verdict }
            return count == 0 ? nil : "\(count) \(words)"
        }
        return "\(servers.count) servers by \(criterion.name): \(parts.joined(separator: ", "))\n"
    }

    private func verdicts(_ server: DiagnosedServer) -> String {
        let lines = server.verdictLines
        let width = lines.map(\.title.count).max() ?? 0
        return self.style.bold(DisplayText.text("\(server.endpoint)")) + "\n\n"
            + lines.map { line in
                let headline = Self.padded(line.outcome.headline, 7)
                return "  \(self.style.coloured(headline, ReportVerdict(line.outcome)))  "
                    + "\(self.style.bold(Self.padded(line.title, width)))  \(line.summary)\n"
            }.joined()
    }

    private func reasons(_ server: DiagnosedServer) -> String {
        let lines = server.reasonLines
        guard !lines.isEmpty else { return "" }
        return self.heading("Why")
            + lines.map { line in
                let subjects = line.subjects.isEmpty ? "" : "\(line.subjects.joined(separator: ", ")): "
                return line.finding.text(self.style, subjects: subjects)
            }.joined(separator: "\n")
    }

    private func addresses(_ server: DiagnosedServer) -> String {
        guard !server.addresses.isEmpty else { return "" }
        let differences = server.addressContradictions.map { "  \(DisplayText.text($0.message))\n  \($0.remedy)\n" }
        return self.heading("Addresses") + self.block(server.addressLines)
            + (differences.isEmpty ? "" : "\n" + differences.joined(separator: "\n"))
    }

    private func advice(_ server: DiagnosedServer) -> String {
        let advice = server.advice
        guard !advice.isEmpty else { return "" }
        let items = advice.enumerated().map { self.item($0 + 1, $1, because: server.reason(of: $1)) }
        let others = ServerProduct.allCases.dropFirst().map(\.rawValue).joined(separator: ", ")
        let spelled = self.style.spelling.otherProducts.map { "\($0) \(others), or all." }
        let hint = self.products == nil ? spelled.map { "\n  \(self.style.dim($0))\n" } ?? "" : ""
        return self.heading("Change at the server") + items.joined(separator: "\n") + hint
    }

    private func item(_ number: Int, _ advice: ServerAdvice, because reason: String?) -> String {
        let snippets = (self.products ?? [.nginx]).map { product in
            "\n     \(product.title):\n" + Self.indented(advice.snippet(for: product), 7)
        }
        let text =
            "  \(number). \(self.style.bold(advice.title))\n" + (reason.map { "     \($0)\n" } ?? "")
            + "     \(self.style.dim("Changes \(advice.scope)"))\n"
        return self.style.wrapped(text) + snippets.joined()
    }

    private func exception(_ server: DiagnosedServer) -> String {
        guard let exception = server.diagnosis.suggestion?.outcome.advisedException else { return "" }
        let warnings = exception.givesUp.map { sacrifice in
            let why = sacrifice.needsJustification ? " The App Store asks why." : ""
            return "  \(sacrifice.key.rawValue): \(sacrifice.warning)\(why)\n"
        }
        let limit = server.exceptionLimit.map { "\n  \($0)\n" } ?? ""
        return self.heading("Second best: an exception in the app's Info.plist")
            + Self.indented(exception.fragment, 4)
            + self.style.wrapped("\n  \(exception.givesUp.heading)\n" + warnings.joined() + limit)
    }

    private func app(_ server: DiagnosedServer) -> String {
        let lines = server.appLines
        guard !lines.isEmpty else { return "" }
        return self.heading("What the app's Info.plist asks") + self.block(lines)
    }

    private func confirmations(_ server: DiagnosedServer) -> String {
        guard let confirmations = server.confirmations else { return "" }
        return self.heading("Confirmed by connections") + confirmations.map { "  \($0.message)\n" }.joined()
    }

    private func notes(_ server: DiagnosedServer) -> String {
        let configuration = server.diagnosis.configuration
        let reading = configuration.strictness == .engine ? "engine" : "documentation"
        return self.style.dim(
            "Judged for \(configuration.system), by Apple's \(reading), at \(ISO8601.text(server.date)). "
                + server.limits) + "\n"
    }
}

// MARK: - Tests and facts

extension DiagnosisText {
    private func matrix(_ server: DiagnosedServer) -> String {
        var section = ""
        let rows = server.diagnosis.rows.map { row in
            let heading =
                row.test.section == section ? "" : "  \(self.style.dim(DisplayText.text(row.test.section)))\n"
            section = row.test.section
            let outcome = self.style.coloured(Self.padded(row.outcome.headline, 7), ReportVerdict(row.outcome))
            let codes = row.verdict.primary.map { "  \(self.style.dim("[\(Finding($0).codes)]"))" } ?? ""
            return "\(heading)    \(Self.leading("\(row.test.number)", 2))  \(outcome)  \(row.test.title)\(codes)\n"
        }
        return self.heading("nscurl's tests") + rows.joined() + "\n  \(server.conclusion)\n"
    }

    private func facts(_ server: DiagnosedServer) -> String {
        self.heading("Facts") + self.block(FactLines.lines(server))
    }

    private func chains(_ server: DiagnosedServer) -> String {
        ChainLines.chains(of: server).map { chain in
            let certificates = chain.certificates.enumerated().map { index, certificate in
                "  \(index)  \(self.style.bold(certificate.name))\n"
                    + certificate.lines.map { line in
                        "     \(self.style.dim(Self.padded(line.label, 8)))\(line.values.joined(separator: ", "))\n"
                    }.joined()
            }
            return self.heading(chain.title) + "  \(DisplayText.text(chain.verdict))\n" + certificates.joined()
        }.joined(separator: "\n")
    }

    private func heading(_ text: String) -> String { self.style.bold(text) + "\n" }

    private func block(_ lines: [FactLine]) -> String {
        let width = (lines.map(\.label.count).max() ?? 0) + 2
        return lines.map { line in
            line.values.enumerated().map { index, value in
                "  \(self.style.dim(Self.padded(index == 0 ? line.label : "", width)))\(value)\n"
            }.joined()
        }.joined()
    }

    private static func indented(_ text: String, _ count: Int) -> String {
        let indent = String(repeating: " ", count: count)
        return text.split(separator: "\n").map { "\(indent)\($0)\n" }.joined()
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func leading(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
