//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import ServerTrustTesting
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

/// An Info.plist with findings of every severity: an error in line 8, a warning and a note in line 10.
private let faulty = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0">
    <dict>
        <key>NSAppTransportSecurity</key>
        <dict>
            <key>NSExceptionDomains</key>
            <dict>
                <key>Legacy.example.com</key>
                <dict>
                    <key>NSExceptionMinimumTLSVersion</key>
                    <string>TLSv1.0</string>
                </dict>
            </dict>
        </dict>
    </dict>
    </plist>
    """

private let advice = faulty.replacing("Legacy", with: "legacy")
private let clean = "<plist><dict><key>NSAppTransportSecurity</key><dict/></dict></plist>"

/// The answer of `--format json`; every field that is always there is not optional.
private struct LintAnswer: Decodable {
    let format: String
    let verdict: String
    let system: String
    let strictness: String
    let failOn: String
    let files: [File]

    struct File: Decodable {
        let file: String
        let findings: [Found]
        let error: Failure?
    }

    struct Found: Decodable {
        let rule: String
        let severity: String
        let message: String
        let remedy: String
        let replacement: String?
        let path: [String]
        let line: Int?
        let column: Int?
    }

    struct Failure: Decodable {
        let message: String
        let line: Int?
    }
}

@Suite("servertrust ats lint", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ATSLintTests {
    private func lint(_ arguments: [String]) async throws -> Finished {
        try await CommandLineTool.servertrust(["ats", "lint"] + arguments)
    }

    // MARK: What goes wrong

    @Test func `A file that cannot be read is never one without a policy`() async throws {
        try await withTemporaryFolder { folder in
            let broken = try folder.file("broken.plist", "<plist><dict><key>A</key></dict></plist>")
            let good = try folder.file("good.plist", clean)
            let array = try folder.file("array.plist", "<plist><array/></plist>")
            for path in [broken, array, folder.path("nothing.plist"), folder.url.path] {
                for format in LintFormat.allCases {
                    let finished = try await self.lint([good, path, "--format", format.rawValue])
                    #expect(finished.status == 2 && finished.isCleanExit, "\(path) \(format)")
                    #expect(finished.errors.contains("servertrust: \(path): "), "\(finished.errors)")
                    #expect(finished.output.contains(path.split(separator: "/").last ?? ""), "\(finished.output)")
                    #expect(!finished.output.contains("PASSED"))
                }
            }
        }
    }

    @Test func `A certificate in place of an Info.plist is called that, with every option that takes one`() async throws
    {
        try await withTemporaryFolder { folder in
            let path = try folder.file("root.pem", try TestAuthority().root.pem)
            for command in [
                ["ats", "lint", path], ["ats", "explain", path, "https://a.test"],
                ["check", "127.0.0.1:9", "--ats", path], ["diagnose", "127.0.0.1:9", "--plist", path],
            ] {
                let finished = try await CommandLineTool.servertrust(command)
                #expect(finished.status == 2, "\(command)")
                #expect(
                    finished.errors.contains("this is PEM with 1 × CERTIFICATE, and no property list"),
                    "\(command): \(finished.errors)")
            }
        }
    }

    @Test func `A domain that is there twice is warned of, and an unknown version of TLS is an error`() async throws {
        try await withTemporaryFolder { folder in
            let entry = "<key>a.test</key><dict><key>NSExceptionMinimumTLSVersion</key><string>TLSv1.4</string></dict>"
            let section = "<key>NSExceptionDomains</key><dict>\(entry)\(entry)</dict>"
            let file = try folder.file(
                "Info.plist", "<plist><dict><key>NSAppTransportSecurity</key><dict>\(section)</dict></dict></plist>")
            let finished = try await self.lint([file])
            #expect(finished.status == 1, "\(finished.output)")
            for code in [
                "warning: \"a.test\" is there more than once", "error: \"TLSv1.4\" is not a value of this key",
            ] {
                #expect(finished.output.contains(code), "\(finished.output)")
            }
        }
    }

    @Test(
        "A least version in other words is told with what to write, and never with what the system does not speak",
        arguments: [
            ("1.0", "ios18", "Write TLSv1.0."), ("1.0", "ios27", "Remove the key: iOS 27 speaks no TLS below 1.2."),
            ("TLS 1.2", "ios27", "Write TLSv1.2."), ("1.4", "ios27", "Write TLSv1.2 or TLSv1.3."),
            ("1.4", "ios18", "Write TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3."),
        ])
    func leastVersion(value: String, system: String, remedy: String) async throws {
        try await withTemporaryFolder { folder in
            let domain = #"{"NSExceptionMinimumTLSVersion": "\#(value)"}"#
            let file = try folder.file(
                "Info.plist", #"{"NSAppTransportSecurity": {"NSExceptionDomains": {"a.example": \#(domain)}}}"#)
            let finished = try await self.lint([file, "--target-os", system])
            #expect(finished.status == 1, "\(finished.output)")
            let sentence = "\"\(value)\" is not a value of this key, so TLS 1.2 remains the minimum."
            #expect(finished.output.contains(sentence) && finished.output.contains(remedy), "\(finished.output)")
        }
    }

    @Test(
        "What makes no sense together is said",
        arguments: [
            ([], "give an Info.plist"), (["x", "--list-rules"], "leave the files out"),
            (["--list-rules", "--format", "sarif"], "Leave --format out"),
            (["x", "--target-os", "windows"], "macos15.4"),
            (["x", "--target-os", "ios"], "ios26"), (["x", "--strict", "yes"], "documentation"),
            (["x", "--fail-on", "info"], "warning"), (["x", "--format", "xml"], "sarif"),
        ]
    )
    func wrongArguments(arguments: [String], advice: String) async throws {
        let finished = try await self.lint(arguments)
        #expect(finished.status == 2 && finished.isCleanExit && finished.output.isEmpty)
        #expect(finished.errors.hasPrefix("servertrust: ") && finished.errors.contains(advice), "\(finished.errors)")
        #expect(finished.errors.split(separator: "\n").count == 1)
    }

    // MARK: What is found

    @Test func `The exit code follows the severity that fails`() async throws {
        try await withTemporaryFolder { folder in
            let (bad, fair) = (try folder.file("bad.plist", faulty), try folder.file("fair.plist", advice))
            let good = try folder.file("good.plist", clean)
            for (files, more, status) in [
                ([bad], [], 1), ([fair], [], 0), ([fair], ["--fail-on", "warning"], 1),
                ([good], ["--fail-on", "note"], 0),
                ([fair], ["--fail-on", "warning", "--target-os", "ios18"], 0),
                ([fair], ["--fail-on", "note", "--target-os", "ios18"], 1), ([good, fair, bad], [], 1),
            ] as [([String], [String], Int32)] {
                for format in LintFormat.allCases {
                    let finished = try await self.lint(files + more + ["--format", format.rawValue])
                    #expect(finished.status == status, "\(files) \(more) \(format) \(finished.output)")
                    #expect(finished.errors.isEmpty)
                }
            }
        }
    }

    @Test func `Text has places as compilers write them, and says what to write`() async throws {
        try await withTemporaryFolder { folder in
            let bad = try folder.file("bad.plist", faulty)
            let finished = try await self.lint([bad])
            #expect(finished.output.hasPrefix("\(bad):8:13: error: \"Legacy.example.com\" has upper-case letters"))
            #expect(finished.output.contains("[domain-upper-case]\n    Write legacy.example.com.\n"))
            #expect(finished.output.contains("\(bad):10:17: warning: iOS 27 speaks no TLS below 1.2"))
            #expect(finished.output.contains("\(bad):10:17: note: The App Store asks for a justification"))
            #expect(finished.output.hasSuffix("\nFAILED  1 file for iOS 27: 1 error, 1 warning, 1 note\n"))
            let good = try await self.lint([try folder.file("good.plist", clean)])
            #expect(good.output == "PASSED  1 file for iOS 27: nothing found\n")
            let fair = try await self.lint([try folder.file("fair.plist", advice)])
            #expect(fair.output.hasSuffix("for iOS 27: 1 warning, 1 note, none at or above error\n"))
            let many = String(repeating: "<key>Comment</key><true/>", count: 2_000)
            let long = try await self.lint([
                try folder.file("long.plist", clean.replacing("<dict/>", with: "<dict>\(many)</dict>"))
            ])
            #expect(
                long.output.contains("1000 warnings") && long.output.contains("no more than 1000 of a file are shown"))
        }
    }

    @Test func `JSON is as documented`() async throws {
        try await withTemporaryFolder { folder in
            let (bad, good) = (try folder.file("bad.plist", faulty), try folder.file("good.plist", clean))
            let broken = try folder.file("broken.plist", "<plist>\n<dict><key>A</key></dict></plist>")
            let finished = try await self.lint(
                [bad, good, broken, "--format", "json", "--target-os", "macos26", "--strict", "documentation"])
            let answer = try JSONDecoder().decode(LintAnswer.self, from: Data(finished.output.utf8))
            #expect(answer.format == "servertrust.ats-lint/1" && answer.verdict == "not-evaluated")
            #expect(answer.system == "macOS 26" && answer.strictness == "documentation" && answer.failOn == "error")
            #expect(answer.files.map(\.file) == [bad, good, broken])
            #expect(
                answer.files[0].findings.map(\.rule).sorted() == [
                    "domain-upper-case", "justification-required", "refused-minimum-version",
                ])
            let first = try #require(answer.files[0].findings.first)
            #expect(first.severity == "error" && first.line == 8 && first.column == 13)
            #expect(first.replacement == "legacy.example.com" && !first.message.isEmpty && !first.remedy.isEmpty)
            #expect(first.path == ["NSAppTransportSecurity", "NSExceptionDomains", "Legacy.example.com"])
            #expect(answer.files[1].findings.isEmpty && answer.files[1].error == nil)
            #expect(answer.files[2].findings.isEmpty && answer.files[2].error?.line == 2)
        }
    }

    // MARK: What is written about it

    @Test func `Help teaches, and the list has every rule`() async throws {
        let help = try await self.lint(["--help"])
        #expect(help.status == 0)
        for part in ["EXAMPLES", "EXIT CODES", "--target-os", "--fail-on", "iOS 27", "default: error"] {
            #expect(help.output.contains(part), "\(part)")
        }
        let list = try await self.lint(["--list-rules"])
        #expect(list.status == 0 && list.output.split(separator: "\n").count == ATSRule.allCases.count)
    }

    @Test func `The table of the documentation is the table of the rules`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let text = try String(contentsOf: root.appendingPathComponent("docs/ats-lint.md"), encoding: .utf8)
        let rows = text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("| `") && !$0.hasPrefix("| `--") }
        #expect(rows == ATSRule.allCases.map { "| `\($0.rawValue)` | \($0.severity.rawValue) | \($0.title) |" })
    }
}
