//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A report that explains codes and log lines of Apple's systems.
package struct ExplainReport: Report {
    package static let formats: Set<ReportFormat> = [.text, .json]

    /// The lines and their servers.
    private let meanings: [(server: String?, meaning: LoggedMeaning)]
    private let codes: [ExplainedCode]
    /// The last line of the text.
    private let closing: String

    /// Creates a report on codes only.
    package init(_ codes: [ExplainedCode]) { (self.meanings, self.codes, self.closing) = ([], codes, "") }

    /// Creates a report on the findings of a text.
    ///
    /// - Parameters:
    ///   - explanation: The findings of the text.
    ///   - closing: The last line of the report.
    package init(_ explanation: TextExplanation, closing: String) {
        self.meanings = explanation.meanings
        self.codes = explanation.codes
        self.closing = explanation.meanings.isEmpty ? "" : "\n" + closing + "\n"
    }

    package var verdict: ReportVerdict { .trusted }

    package func text(as format: ReportFormat, style: TextStyle) throws -> String {
        switch format {
        case .text: self.text(style)
        case .json: try JSONText.text(ExplainDocument(self.codes, self.meanings))
        default: throw UnsupportedFormat(format: format)
        }
    }

    private func text(_ style: TextStyle) -> String {
        let lines = self.meanings.map { server, meaning in
            let subject = server.map { "\(DisplayText.text($0)): " } ?? ""
            let causes =
                meaning.causes.isEmpty
                ? "" : "  Likely causes, the likeliest first:\n" + meaning.causes.map { "  - \($0)\n" }.joined()
            let details = meaning.details.map { "  \($0)\n" }.joined()
            return style.wrapped(
                "\(style.bold(subject + meaning.sentence))\n  \(meaning.since)\n\(details)\(causes)  \(meaning.remedy)\n"
            )
        }
        return (lines + self.codes.map { $0.text(style) }).joined(separator: "\n") + style.wrapped(self.closing)
    }
}

/// The output of `servertrust explain --format json`.
private struct ExplainDocument: Encodable {
    private let format = "servertrust.explain/1"
    private let codes: [JSONExplainedCode]
    private let lines: [Line]?

    init(_ codes: [ExplainedCode], _ meanings: [(server: String?, meaning: LoggedMeaning)]) {
        self.codes = codes.map(JSONExplainedCode.init)
        self.lines = meanings.isEmpty ? nil : meanings.map(Line.init)
    }

    private struct Line: Encodable {
        private let server: String?
        private let code: String
        private let message: String
        private let since: String
        private let causes: [String]
        private let remedy: String
        private let related: [String]

        init(_ line: (server: String?, meaning: LoggedMeaning)) {
            let meaning = line.meaning
            self.server = line.server.map(DisplayText.text)
            self.code = meaning.code
            self.message = meaning.sentence
            self.since = meaning.since
            self.causes = meaning.causes
            self.remedy = meaning.remedy
            self.related = meaning.related
        }
    }
}
