//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity

/// The parts that pages are put together from.
enum HTMLParts {
    /// An answer as a word with a sign, so that colour is not what tells.
    static func badge(_ outcome: ATSOutcome) -> HTMLText {
        let (name, sign): (String, HTMLText) =
            switch outcome {
            case .passed: ("pass", "&#10003;")
            case .failed: ("fail", "&#10007;")
            case .unknown: ("unknown", "?")
            }
        return "<span class=\"badge \(name)\"><span aria-hidden=\"true\">\(sign)</span> \(outcome.headline)</span>"
    }

    /// A section under a heading; nothing where it is empty.
    static func section(_ title: String, _ contents: HTMLText, level: Int = 3) -> HTMLText {
        guard !contents.markup.isEmpty else { return .empty }
        return "<section>\n<h\(level)>\(title)</h\(level)>\n\(contents)\n</section>\n"
    }

    /// Lines to be copied.
    static func code(_ text: String) -> HTMLText { "<pre><code>\(HTMLText.lines(text.trimmedEnd))</code></pre>\n" }

    /// Names and what belongs to them.
    static func definitions(_ lines: [FactLine]) -> HTMLText {
        guard !lines.isEmpty else { return .empty }
        let items = lines.map { line -> HTMLText in
            let values = line.values.map { value -> HTMLText in "<dd>\(value)</dd>" }
            return "<div><dt>\(line.label)</dt>\(values)</div>\n"
        }
        return "<dl>\n\(items)</dl>\n"
    }

    /// What stands behind a finding, with a link where the rule is published.
    static func details(_ details: [FindingDetail]) -> HTMLText {
        guard !details.isEmpty else { return .empty }
        let items = details.map { detail -> HTMLText in
            let link = detail.link.flatMap { $0.hasPrefix("https://") ? $0 : nil }
            let value = link.map { link -> HTMLText in "<a href=\"\(link)\">\(detail.value)</a>" }
            return "<div><dt>\(detail.label)</dt><dd>\(value ?? "\(detail.value)")</dd></div>\n"
        }
        return "<dl>\n\(items)</dl>\n"
    }

    /// A table with a heading for each column; the first cell of a row is the row's own.
    static func table(_ caption: String, _ columns: [String], _ rows: [[HTMLText]]) -> HTMLText {
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
    /// Without line breaks at its end.
    fileprivate var trimmedEnd: String {
        var text = self[...]
        while text.last == "\n" { text = text.dropLast() }
        return String(text)
    }
}
