//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// A test report in XML, as Jenkins, GitLab and other tools show it.
///
/// Locations are part of the text only, because Jenkins' current schema (junit-10.xsd of its xUnit plugin) has no attributes for
/// them.
struct JUnitDocument {
    let text: String

    /// Creates a document.
    ///
    /// - Parameters:
    ///   - name: The name of the test run.
    ///   - suites: The test suites.
    init(_ name: String, _ suites: [Suite]) {
        self.text =
            XMLText.declaration
            + "<testsuites name=\"\(Self.escaped(name))\"\(Suite.attributes(suites.flatMap(\.cases)))>\n"
            + suites.map(\.text).joined() + "</testsuites>\n"
    }

    /// Escapes text for XML. Characters that XML does not permit are not printable and are escaped as well.
    static func escaped(_ text: String) -> String { XMLText.escaped(DisplayText.text(text)) }

    fileprivate static func escapedLines(_ text: String) -> String {
        text.split(separator: "\n").map { Self.escaped(String($0)) }.joined(separator: "\n")
    }
}

extension JUnitDocument {
    /// A suite of tests for one subject.
    struct Suite {
        let name: String
        let cases: [Case]

        fileprivate var text: String {
            "  <testsuite name=\"\(JUnitDocument.escaped(self.name))\"\(Self.attributes(self.cases)) skipped=\"0\">\n"
                + self.cases.map { $0.text(in: self.name) }.joined() + "  </testsuite>\n"
        }

        fileprivate static func attributes(_ cases: [Case]) -> String {
            let failures = cases.count { $0.outcome.element == "failure" }
            let errors = cases.count { $0.outcome.element == "error" }
            return " tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\" time=\"0\""
        }
    }

    /// A test.
    struct Case {
        let name: String
        let outcome: Outcome
    }

    /// The outcome of a test.
    enum Outcome {
        /// The test passed. The details, if any, are a remark.
        case passed(details: String?)
        /// The test failed.
        case failed(message: String, type: String, details: String)
        /// The test could not be run.
        case error(message: String, type: String, details: String)

        fileprivate var element: String? {
            switch self {
            case .passed: nil
            case .failed: "failure"
            case .error: "error"
            }
        }
    }
}

extension JUnitDocument.Case {
    fileprivate func text(in suite: String) -> String {
        let (name, place) = (JUnitDocument.escaped(self.name), JUnitDocument.escaped(suite))
        let tag = "    <testcase name=\"\(name)\" classname=\"\(place)\" time=\"0\""
        let inner = self.inner
        return inner.isEmpty ? "\(tag)/>\n" : "\(tag)>\n\(inner)    </testcase>\n"
    }

    private var inner: String {
        switch self.outcome {
        case .passed(let details):
            details.map { "      <system-out>\(JUnitDocument.escapedLines($0))</system-out>\n" } ?? ""
        case .failed(let message, let type, let details): self.problem("failure", message, type: type, details: details)
        case .error(let message, let type, let details): self.problem("error", message, type: type, details: details)
        }
    }

    private func problem(_ element: String, _ message: String, type: String, details: String) -> String {
        "      <\(element) message=\"\(JUnitDocument.escaped(message))\" type=\"\(JUnitDocument.escaped(type))\">"
            + "\(JUnitDocument.escapedLines(details))</\(element)>\n"
    }
}
