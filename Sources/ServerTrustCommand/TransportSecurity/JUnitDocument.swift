//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments

/// The answer of `servertrust ats lint --format junit`: XML as Jenkins, GitLab and others show reports of tests.
///
/// A file is a suite. What was found is a test of it that failed, or passed with a word to say when `--fail-on` lets it
/// pass; a file in which nothing was found has one test that passed. Places are in the text alone: Jenkins' schema of today
/// (junit-10.xsd of its xUnit plugin) has no attributes for them.
struct JUnitDocument {
    /// The document.
    let text: String

    init(_ report: LintReport) {
        let suites = report.files.map { Suite($0, report) }
        let sum = Suite.attributes(suites.flatMap(\.cases))
        self.text =
            XMLText.declaration + "<testsuites name=\"servertrust ats lint\"\(sum)>\n"
            + suites.map(\.text).joined() + "</testsuites>\n"
    }
}

/// One file.
private struct Suite {
    private let name: String
    let cases: [Case]

    init(_ file: LintReport.File, _ report: LintReport) {
        self.name = Case.escaped(file.path)
        if let error = file.error {
            self.cases = [Case(error, in: file.path)]
        } else if file.findings.isEmpty {
            self.cases = [Case(passed: "nothing found", in: file.path)]
        } else {
            // Readers take tests of one name for the same one, and a binary file has no lines to tell them apart by.
            var names: [String: Int] = [:]
            self.cases = file.findings.map { finding in
                let name = Case.name(of: finding)
                names[name, default: 0] += 1
                let number = names[name].map { $0 > 1 ? " (\($0))" : "" } ?? ""
                return Case(finding, name + number, in: file.path, fails: report.fails(finding))
            }
        }
    }

    var text: String {
        "  <testsuite name=\"\(self.name)\"\(Self.attributes(self.cases)) skipped=\"0\">\n"
            + self.cases.map(\.text).joined() + "  </testsuite>\n"
    }

    static func attributes(_ cases: [Case]) -> String {
        let failures = cases.count { $0.outcome == .failure }
        let errors = cases.count { $0.outcome == .error }
        return " tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\" time=\"0\""
    }
}

/// One finding.
private struct Case {
    enum Outcome {
        case passed
        case failure
        case error
    }

    let outcome: Outcome
    let text: String

    static func name(of finding: ATSFinding) -> String {
        let place = finding.position.map { " at \($0.line):\($0.column)" } ?? ""
        return "\(finding.rule.rawValue)\(place): \(finding.path.joined(separator: " > "))"
    }

    init(_ finding: ATSFinding, _ name: String, in path: String, fails: Bool) {
        let details =
            "\(LintText.place(path, finding.position)): \(finding.severity.rawValue): \(finding.message)\n"
            + finding.remedy
        let inner =
            fails
            ? Self.problem("failure", finding.message, type: finding.rule.rawValue, details)
            : "      <system-out>\(Self.escapedLines(details))</system-out>\n"
        self.outcome = fails ? .failure : .passed
        self.text = Self.element(name, path, inner)
    }

    init(_ error: InfoPropertyListError, in path: String) {
        let details = "\(LintText.place(path, error.position)): \(error.message)"
        self.outcome = .error
        self.text = Self.element(
            "not read", path, Self.problem("error", error.message, type: "not-read", details))
    }

    init(passed name: String, in path: String) {
        self.outcome = .passed
        self.text = Self.element(name, path, "")
    }

    private static func element(_ name: String, _ path: String, _ inner: String) -> String {
        let tag = "    <testcase name=\"\(Self.escaped(name))\" classname=\"\(Self.escaped(path))\" time=\"0\""
        return inner.isEmpty ? "\(tag)/>\n" : "\(tag)>\n\(inner)    </testcase>\n"
    }

    private static func problem(_ element: String, _ message: String, type: String, _ details: String) -> String {
        "      <\(element) message=\"\(Self.escaped(message))\" type=\"\(type)\">\(Self.escapedLines(details))"
            + "</\(element)>\n"
    }

    /// Text as XML can hold it: what is no character of XML is not printable either.
    static func escaped(_ text: String) -> String { XMLText.escaped(PrintableText.text(text)) }

    private static func escapedLines(_ text: String) -> String {
        text.split(separator: "\n").map { Self.escaped(String($0)) }.joined(separator: "\n")
    }
}
