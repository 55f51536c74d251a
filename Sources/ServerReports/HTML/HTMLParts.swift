//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The building blocks of pages.
enum HTMLParts {
    /// Returns an answer as a word with a symbol, so that the meaning does not depend on color.
    static func badge(_ outcome: ATSOutcome) -> HTMLText {
        let (name, sign): (String, HTMLText) =
            switch outcome {
            case .passed: ("pass", "&#10003;")
            case .failed: ("fail", "&#10007;")
            case .unknown: ("unknown", "?")
            }
        return "<span class=\"badge \(name)\"><span aria-hidden=\"true\">\(sign)</span> \(outcome.headline)</span>"
    }

    /// Returns a section with a heading, or nothing if it is empty.
    static func section(_ title: String, _ contents: HTMLText, level: Int = 3) -> HTMLText {
        guard !contents.markup.isEmpty else { return .empty }
        return "<section>\n<h\(level)>\(title)</h\(level)>\n\(contents)\n</section>\n"
    }

    /// Returns a verdict as a word with a symbol.
    static func badge(_ verdict: ReportVerdict) -> HTMLText {
        let (name, sign): (String, HTMLText) =
            switch verdict {
            case .trusted: ("pass", "&#10003;")
            case .notTrusted: ("fail", "&#10007;")
            case .notEvaluated: ("unknown", "?")
            }
        return "<span class=\"badge \(name)\"><span aria-hidden=\"true\">\(sign)</span> \(verdict.headline)</span>"
    }

    /// Returns a good or bad property as a word with a symbol.
    static func mark(_ isGood: Bool, _ word: String) -> HTMLText {
        let (name, sign): (String, HTMLText) = isGood ? ("good", "&#10003;") : ("bad", "&#10007;")
        return "<span class=\"mark \(name)\"><span aria-hidden=\"true\">\(sign)</span> \(word)</span>"
    }

    /// Returns a finding: the message, the remedy, the details and the codes.
    static func reason(_ finding: Finding, subjects: [String] = []) -> HTMLText {
        let about = subjects.isEmpty ? "" : subjects.joined(separator: ", ") + ": "
        return """
            <li><h4>\(finding.message)</h4><p>\(finding.remedy)</p>\(Self.details(finding.details))\
            <p class="codes">\(about)\(Self.codes(finding.codes))</p></li>

            """
    }

    /// Returns codes, each with a link to its explanation at the end of the page.
    static func codes(_ text: String) -> HTMLText {
        let parts = text.split(separator: ", ").map { part -> HTMLText in
            let code = String(part.prefix { $0 != " " })
            guard CodeIndex.isExplained(code) else { return "\(String(part))" }
            return "<a href=\"#code-\(code)\">\(String(part))</a>"
        }
        return parts.dropFirst().reduce(parts.first ?? .empty) { $0 + ", " + $1 }
    }

    /// Returns the explanations of the codes of a page, each once.
    static func explanations(of findings: [Finding], _ notes: [String] = []) -> HTMLText {
        let texts = findings.flatMap { $0.codes.split(separator: ", ").map { String($0.prefix { $0 != " " }) } } + notes
        let codes = texts.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let items = codes.compactMap(CodeIndex.explanation).map { code -> HTMLText in
            let rule = code.section.map { section -> HTMLText in
                section.link.hasPrefix("https://")
                    ? " Stated in <a href=\"\(section.link)\">\(section.text)</a>." : " Stated in \(section.text)."
            }
            return """
                <div id="code-\(code.id)"><dt>\(code.name)</dt><dd>\(code.sentence)\(rule ?? .empty)</dd></div>

                """
        }
        return items.isEmpty ? .empty : Self.section("Codes", "<dl class=\"wide\">\n\(items)</dl>\n", level: 2)
    }

    /// Returns a certificate of a drawn chain with its facts, lifetime and faults.
    static func link(_ name: String, _ lines: [FactLine], lifetime: HTMLText, faults: [String]) -> HTMLText {
        let marks = faults.map { fault -> HTMLText in
            "<p class=\"fault\"><span aria-hidden=\"true\">&#10007;</span> \(fault)</p>"
        }
        let guilty: HTMLText = faults.isEmpty ? .empty : " guilty"
        return """
            <li class="certificate\(guilty)"><h4>\(name)</h4>\(marks)\(lifetime)\(Self.definitions(lines))</li>

            """
    }

    /// How much of a certificate's time is over, as a bar with words.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - date: The moment.
    ///   - threshold: The rule by which its end is warned of.
    static func lifetime(
        of certificate: Certificate, at date: Date, warningBy threshold: ExpiryThreshold
    ) -> HTMLText {
        let (start, end) = (certificate.notValidBefore, certificate.notValidAfter)
        let whole = max(1, end.timeIntervalSince(start))
        let left = min(100, max(0, Int(100 * end.timeIntervalSince(date) / whole)))
        let level = threshold.level(of: CertificateLife(of: certificate, at: Timestamp(date)))
        let state = date > end || date < start ? "fail" : level != nil ? "unknown" : "pass"
        let words = date > end ? "ended" : date < start ? "not begun" : "\(left) % of its time left"
        return """
            <div class="lifetime \(state)" role="img" aria-label="\(words)"><span style="width:\(left)%"></span></div>

            """
    }

    /// Returns lines for copying.
    static func code(_ text: String) -> HTMLText { "<pre><code>\(HTMLText.lines(text.trimmedEnd))</code></pre>\n" }

    /// Returns a list of labels with their values.
    static func definitions(_ lines: [FactLine]) -> HTMLText {
        guard !lines.isEmpty else { return .empty }
        let items = lines.map { line -> HTMLText in
            let values = line.values.map { value -> HTMLText in "<dd>\(value)</dd>" }
            return "<div><dt>\(line.label)</dt>\(values)</div>\n"
        }
        return "<dl>\n\(items)</dl>\n"
    }

    /// Returns the details of a finding, with a link if the rule is published.
    static func details(_ details: [FindingDetail]) -> HTMLText {
        guard !details.isEmpty else { return .empty }
        let items = details.map { detail -> HTMLText in
            let link = detail.link.flatMap { $0.hasPrefix("https://") ? $0 : nil }
            let value = link.map { link -> HTMLText in "<a href=\"\(link)\">\(detail.value)</a>" }
            return "<div><dt>\(detail.label)</dt><dd>\(value ?? "\(detail.value)")</dd></div>\n"
        }
        return "<dl>\n\(items)</dl>\n"
    }

    /// Returns a table with a heading for each column. The first cell of a row is the heading of the row.
    static func table(_ caption: String, _ columns: [String], rows: [[HTMLText]]) -> HTMLText {
        let heads = columns.map { column -> HTMLText in "<th scope=\"col\">\(column)</th>" }
        let lines = rows.map { row -> HTMLText in
            let first = row.prefix(1).map { cell -> HTMLText in "<th scope=\"row\">\(cell)</th>" }
            let cells = row.dropFirst().map { cell -> HTMLText in "<td>\(cell)</td>" }
            return "<tr>\(first)\(cells)</tr>\n"
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="\(caption)"><table>
            <caption>\(caption)</caption>
            <thead><tr>\(heads)</tr></thead>
            <tbody>
            \(lines)</tbody>
            </table></div>

            """
    }
}

extension String {
    /// The text without line breaks at its end.
    fileprivate var trimmedEnd: String {
        var text = self[...]
        while text.last == "\n" { text = text.dropLast() }
        return String(text)
    }
}
