//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleFiles

/// The output of `servertrust log --format json`.
struct LogDocument: Encodable {
    private let format = "servertrust.log/1"
    private let file: String
    private let verdict: String
    private let octets: Int
    private let servers: [Server]
    private let unknown: [Unknown]
    private let leftOut: Int
    private let diagnosis: DiagnoseDocument?

    init(_ report: LogReport) {
        self.file = DisplayText.text(report.name)
        self.verdict = report.verdict.logName
        self.octets = report.log.size
        self.servers = report.log.servers.map(Server.init)
        self.unknown = report.log.unknown.map { Unknown(line: DisplayText.text($0.text), count: $0.count) }
        self.leftOut = report.log.leftOut
        self.diagnosis = report.diagnosis.map { DiagnoseDocument($0.servers, $0.criterion) }
    }

    private struct Unknown: Encodable {
        let line: String
        let count: Int
    }

    private struct Server: Encodable {
        private let server: String?
        private let lines: Int
        private let findings: [Finding]

        init(_ server: DeviceLog.Server) {
            self.server = server.name.map(DisplayText.text)
            self.lines = server.count
            self.findings = server.findings.map(Finding.init)
        }
    }

    private struct Finding: Encodable {
        private let code: String
        private let message: String
        private let since: String
        private let causes: [String]
        private let remedy: String
        private let related: [String]
        private let errors: Int
        private let warnings: Int
        private let first: String?
        private let last: String?
        private let chain: [Certificate]

        init(_ finding: DeviceLog.Finding) {
            let meaning = finding.fault.meaning
            self.code = meaning.code
            self.message = meaning.sentence
            self.since = meaning.since
            self.causes = meaning.causes
            self.remedy = meaning.remedy
            self.related = meaning.related
            self.errors = finding.errors
            self.warnings = finding.warnings
            self.first = finding.times?.first
            self.last = finding.times?.last
            self.chain = finding.chain.map {
                Certificate(subject: DisplayText.text($0.subject), issuer: DisplayText.text($0.issuer))
            }
        }
    }

    private struct Certificate: Encodable {
        let subject: String
        let issuer: String
    }
}

extension ReportVerdict {
    /// The name of the verdict on a log, in JSON.
    var logName: String {
        switch self {
        case .trusted: "nothing-found"
        case .notTrusted: "faults-found"
        case .notEvaluated: "unknown-lines"
        }
    }
}

/// The output of `servertrust log --format csv`: one line for each fault of each server.
enum LogTable {
    private static let header = [
        "server", "code", "errors", "warnings", "first", "last", "message", "since", "remedy",
    ]

    static func text(of report: LogReport) -> String {
        let lines = report.log.servers.flatMap { server in server.findings.map { Self.fields(server, $0) } }
        return CSVText.line(Self.header) + lines.map(CSVText.line).joined()
    }

    private static func fields(_ server: DeviceLog.Server, _ finding: DeviceLog.Finding) -> [String] {
        let meaning = finding.fault.meaning
        return [
            server.name ?? "", meaning.code, "\(finding.errors)", "\(finding.warnings)", finding.times?.first ?? "",
            finding.times?.last ?? "", meaning.sentence, meaning.since, meaning.remedy,
        ]
    }
}

/// The output of `servertrust log --format html`.
struct LogPage {
    private let report: LogReport

    init(_ report: LogReport) { self.report = report }

    var text: String {
        let servers = self.report.log.servers.map(self.section)
        let unknown = self.report.log.unknown.map { "<li>\($0.count) × \($0.text)</li>\n" as HTMLText }
        let body: HTMLText = """
            <main>
            <h1>\(self.report.name)</h1>
            <p>\(HTMLParts.badge(self.report.verdict)) \(CountText.text(servers.count, "server"))</p>
            \(servers)
            \(HTMLParts.section("Lines in words that are not known", Self.list(unknown)))
            </main>
            """
        return HTMLPage(title: "Log: \(self.report.name)", body: body).text
    }

    private func section(_ server: DeviceLog.Server) -> HTMLText {
        let items = server.findings.map { finding -> HTMLText in
            let meaning = finding.fault.meaning
            let causes = Self.list(meaning.causes.map { "<li>\($0)</li>\n" })
            return """
                <li><h4>\(meaning.sentence)</h4><p>\(finding.summary). \(meaning.since)</p>\(causes)<p>\(meaning.remedy)</p>\
                <p class="codes">\(meaning.code)</p></li>

                """
        }
        return HTMLParts.section(server.name ?? "Lines that name no server", Self.list(items), level: 2)
    }

    private static func list(_ items: [HTMLText]) -> HTMLText {
        items.isEmpty ? .empty : "<ul>\n\(items)</ul>\n"
    }
}

extension SARIFDocument {
    /// Creates the output of `servertrust log --format sarif`.
    init(_ report: LogReport) {
        let location = Location(uri: FileReference.uri(of: report.name), region: nil, logical: nil)
        let meanings = report.log.servers.flatMap { $0.findings.map(\.fault.meaning) }
        let codes = meanings.map(\.code).uniqued()
        let rules = codes.map { code in
            let meaning = meanings.first { $0.code == code }
            return Rule(
                id: code, title: CodeIndex.explanation(code)?.title ?? code, help: meaning?.remedy ?? "",
                level: "error",
                helpURI: ReportTool.transportSecurityHelp)
        }
        let results = report.log.servers.flatMap { server in
            server.findings.map { finding in
                let meaning = finding.fault.meaning
                return Result(
                    ruleID: meaning.code, ruleIndex: codes.firstIndex(of: meaning.code),
                    level: finding.errors == 0 ? "warning" : "error",
                    message: "\(server.name ?? "A server"): \(meaning.sentence) \(meaning.remedy)", at: location)
            }
        }
        self.init(Run(rules: rules, report.verdict, notifications: [], results: results))
    }
}

extension JUnitDocument {
    /// Creates the output of `servertrust log --format junit`. Each server is a suite, and each fault is a failed test.
    init(_ report: LogReport) {
        let suites = report.log.servers.map { server in
            Suite(name: server.name ?? "no server", cases: server.findings.enumerated().map(Self.logCase))
        }
        let empty = Suite(name: report.name, cases: [Case(name: "nothing found", outcome: .passed(details: nil))])
        self.init("Log", suites.isEmpty ? [empty] : suites)
    }

    private static func logCase(_ number: Int, _ finding: DeviceLog.Finding) -> Case {
        let meaning = finding.fault.meaning
        return Case(
            name: "\(meaning.code) \(number + 1)",
            outcome: .failed(
                message: meaning.sentence, type: meaning.code,
                details: "\(finding.summary)\n\(meaning.since)\n\(meaning.remedy)"))
    }
}
