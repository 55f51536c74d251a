//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppleFiles

/// The servers of a device's log with their faults, the worst first.
package struct LogReport: Report {
    package static let formats: Set<ReportFormat> = [.text, .json, .csv, .html, .sarif, .junit]

    /// The name of the file.
    package let name: String
    package let log: DeviceLog
    /// The diagnoses of the servers, or `nil` if they were not tested.
    package var diagnosis: DiagnosisReport?
    /// The last line of the text.
    package var closing = ""

    /// Creates a report on a log.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - log: The contents of the log.
    package init(_ name: String, _ log: DeviceLog) { (self.name, self.log) = (name, log) }

    /// The verdict is negative if the log has a fault. If it has only unknown words, the verdict is unknown.
    package var verdict: ReportVerdict {
        if !self.log.isEmpty { return .notTrusted }
        return self.log.unknown.isEmpty ? .trusted : .notEvaluated
    }

    package func text(as format: ReportFormat, style: TextStyle) throws -> String {
        switch format {
        case .text: try LogText(style).text(of: self)
        case .json: try JSONText.text(LogDocument(self))
        case .csv: LogTable.text(of: self)
        case .html: LogPage(self).text
        case .sarif: try JSONText.text(SARIFDocument(self))
        case .junit: JUnitDocument(self).text
        case .nscurl, .plist: throw UnsupportedFormat(format: format)
        }
    }
}

/// The report as text.
private struct LogText {
    private let style: TextStyle

    init(_ style: TextStyle) { self.style = style }

    func text(of report: LogReport) throws -> String {
        let servers = report.log.servers
        let text = self.headline(report, servers) + servers.map(self.text).joined() + self.unknown(report.log)
        let asked = try report.diagnosis.map { "\n" + (try $0.text(as: .text, style: self.style)) } ?? ""
        return self.style.wrapped(text) + asked + self.style.wrapped(report.closing)
    }

    private func headline(_ report: LogReport, _ servers: [DeviceLog.Server]) -> String {
        let verdict =
            switch report.verdict {
            case .trusted: "NOTHING FOUND"
            case .notTrusted: "FAULTS FOUND"
            case .notEvaluated: "UNKNOWN LINES"
            }
        let named = servers.count { $0.name != nil }
        let lines = servers.reduce(0) { $0 + $1.count }
        return self.style.coloured(verdict, report.verdict) + "  " + self.style.bold(DisplayText.text(report.name))
            + ": \(CountText.text(named, "server")), \(CountText.text(lines, "line"))\n"
    }

    private func text(of server: DeviceLog.Server) -> String {
        let name = server.name.map(DisplayText.text) ?? "Lines that name no server"
        return "\n\(self.style.bold(name)): \(CountText.text(server.count, "line"))\n"
            + server.findings.map(self.text).joined()
    }

    private func text(of finding: DeviceLog.Finding) -> String {
        let meaning = finding.meaning
        let causes =
            meaning.causes.isEmpty ? [] : ["Likely causes, the likeliest first:"] + meaning.causes.map { "- \($0)" }
        let lines = [finding.summary, meaning.since] + causes + meaning.details + [meaning.remedy]
        return "  \(self.style.bold(meaning.sentence))\n" + lines.map { "    \($0)\n" }.joined()
            + "    \(self.style.dim("[\(meaning.code)]"))\n"
    }

    private func unknown(_ log: DeviceLog) -> String {
        guard !log.unknown.isEmpty || log.leftOut > 0 else { return "" }
        let lines = log.unknown.prefix(20).map { "  \($0.count) ×  \(DisplayText.text($0.text))\n" }
        let more = log.unknown.count - lines.count + log.leftOut
        return "\n\(self.style.bold("Lines in words that are not known"))\n" + lines.joined()
            + (more > 0 ? "  … and \(more) more\n" : "")
    }
}

extension DeviceLog.Finding {
    /// The number of lines, and the first and last time.
    var summary: String {
        let count = CountText.text(self.count, "line")
        let kind = self.warnings == 0 ? "" : self.errors == 0 ? ", warnings" : ", \(self.warnings) of them warnings"
        let times =
            self.times.map { $0.first == $0.last ? ", at \($0.first)" : ", from \($0.first) to \($0.last)" } ?? ""
        return count + kind + times
    }
}
