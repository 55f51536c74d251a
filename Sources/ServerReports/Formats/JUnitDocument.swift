//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// Reports of tests in XML, as Jenkins, GitLab and others show them.
///
/// Places are in the text alone: Jenkins' schema of today (junit-10.xsd of its xUnit plugin) has no attributes for them.
struct JUnitDocument {
    /// The document.
    let text: String

    /// A document.
    ///
    /// - Parameters:
    ///   - name: What was run.
    ///   - suites: What was tested.
    init(_ name: String, _ suites: [Suite]) {
        self.text =
            XMLText.declaration
            + "<testsuites name=\"\(Self.escaped(name))\"\(Suite.attributes(suites.flatMap(\.cases)))>\n"
            + suites.map(\.text).joined() + "</testsuites>\n"
    }

    /// Text as XML can hold it: what is no character of XML is not printable either.
    static func escaped(_ text: String) -> String { XMLText.escaped(DisplayText.text(text)) }

    fileprivate static func escapedLines(_ text: String) -> String {
        text.split(separator: "\n").map { Self.escaped(String($0)) }.joined(separator: "\n")
    }
}

extension JUnitDocument {
    /// Several tests of one thing.
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

    /// One test.
    struct Case {
        let name: String
        let outcome: Outcome
    }

    /// How a test ended.
    enum Outcome {
        /// It passed; with details there is something to say all the same.
        case passed(details: String?)
        /// What was tested is not as it has to be.
        case failed(message: String, type: String, details: String)
        /// It could not be tested.
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
