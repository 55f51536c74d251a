//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ReportSupport
import ServerTrustTesting
import TestSupport
import Testing

@testable import ServerReports
@testable import ServerTrustCommand

@Suite("The terminal: width, color and errors", .limitedConcurrency, .timeLimit(.minutes(10)))
struct TerminalTests {
    @Test(
        "Lines are broken at spaces, go on below their value, and keep words whole",
        arguments: [
            ("short", 40, "short"),
            (
                "  The certificate has expired, and somewhat long ago.", 40,
                "  The certificate has expired, and\n  somewhat long ago."
            ),
            (
                "    found     one two three four five six seven", 40,
                "    found     one two three four five\n              six seven"
            ),
            (
                "     pin    sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= end", 40,
                "     pin    sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n            end"
            ),
            (
                "  \u{1B}[1mBold words that go on and on\u{1B}[0m, and then some", 40,
                "  \u{1B}[1mBold words that go on and on\u{1B}[0m, and then\n  some"
            ),
            ("a\n\nb\n", 40, "a\n\nb\n"),
            (
                String(repeating: "x ", count: 30), 10,
                String(repeating: String(repeating: "x ", count: 9) + "x\n", count: 2) + "x x x x x x x x x x"
            ),
        ])
    func wrapping(text: String, width: Int, expected: String) {
        #expect(TextStyle(isEnabled: true, width: width).wrapped(text) == expected)
        #expect(TextStyle(isEnabled: true).wrapped(text) == text)
    }

    @Test(
        "No line of an answer is wider than the terminal, unless one word is",
        .enabled(if: CommandLineTool.installed("script") != nil), arguments: [60, 80, 99])
    func width(columns: Int) async throws {
        try await withTemporaryFolder { folder in
            let (certificates, root) = try TestChain.wrongHost.make()
            let chain = try folder.file("chain.pem", certificates.joined())
            let trust = "--roots \(try folder.file("root.pem", root)) --anchors-only"
            let list = try folder.file("hosts", "127.0.0.1:9\nlocalhost:9\nnot a host with spaces in its name\n")
            for command in [
                "scan \(list) --format text --quiet", "demo", "evaluate --chain \(chain) --host server.test \(trust)",
                "explain eku groups", "show \(chain)",
            ] {
                let text = try await Self.onTerminal(command, columns: columns, in: folder)
                #expect(text.count > 100)
                for line in text.split(separator: "\n") where line.count > columns {
                    #expect(line.split(separator: " ").contains { $0.count > columns / 2 }, "\(command): \(line)")
                }
            }
        }
    }

    private static func onTerminal(_ command: String, columns: Int, in folder: TemporaryFolder) async throws -> String {
        let script = try #require(CommandLineTool.installed("script"))
        let line = "stty cols \(columns); \(try CommandLineTool.servertrustPath()) \(command)"
        let finished = try await CommandLineTool.run(
            script, ["-qec", line, folder.path("typescript")], environment: ["NO_COLOR": "1", "TERM": "xterm"])
        return finished.output.replacingOccurrences(of: "\r", with: "")
    }

    @Test(
        "A color that is asked for holds against the environment and in a pipe",
        arguments: [("always", true), ("never", false), ("auto", false)])
    func color(choice: String, expected: Bool) async throws {
        for arguments in [["explain", "expired"], ["demo"], ["apple-data", "show"]].prefix(2) {
            let finished = try await CommandLineTool.servertrust(
                arguments + ["--color", choice], environment: ["NO_COLOR": "1"])
            #expect(finished.output.contains("\u{1B}[") == expected, "\(finished.errors)")
        }
        let unknown = try await CommandLineTool.servertrust(["explain", "expired", "--color", "perhaps"])
        #expect(unknown.status == 2)
    }

    @Test(
        "An error is JSON where JSON was asked for, and text on standard error all the same",
        arguments: [
            (["evaluate", "--format", "json"], true), (["evaluate", "--format=json"], true),
            (["evaluate", "--chain", "/nonexistent", "--host", "a.test", "--format", "json"], true),
            (["explain", "nothing", "--format", "json"], true), (["nonsense", "--format", "json"], true),
            (["evaluate", "--format", "text"], false), (["evaluate"], false),
            (["explain", "nothing", "--format", "json", "--format", "text"], false),
        ])
    func errors(arguments: [String], isJSON: Bool) async throws {
        let finished = try await CommandLineTool.servertrust(arguments)
        #expect(finished.status == 2 && !finished.errors.isEmpty)
        guard isJSON else {
            #expect(finished.output.isEmpty, "\(finished.output)")
            return
        }
        let document = try JSONDecoder().decode(JSONValue.self, from: Data(finished.output.utf8))
        #expect(try JSONSchema(format: "servertrust.error/1").violations(in: document).isEmpty)
        guard case .string(let message)? = document["message"] else {
            Issue.record("no message")
            return
        }
        #expect(finished.errors.contains(message), "\(finished.errors)")
    }

    @Test("nscurl prints what diagnose prints in its words, and asks for the option of macOS")
    func nscurl() async throws {
        let missing = try await CommandLineTool.servertrust(["nscurl", "https://a.test"])
        #expect(missing.status == 2 && missing.errors.contains("Add it"), "\(missing.errors)")
        try await withRange { range, root, _ in
            let target = try #require(range.targets.first { $0.expectation == .trusted })
            let server = "https://\(target.referenceIdentity):\(target.port)/"
            let options = ["--connect-to", "127.0.0.1", "--roots", root, "--anchors-only"]
            let own = try await CommandLineTool.servertrust(["nscurl", "--ats-diagnostics", server] + options)
            let same = try await CommandLineTool.servertrust(["diagnose", server, "--format", "nscurl"] + options)
            #expect(own.status == 0 && own.output == same.output, "\(own.output)\(own.errors)")
            #expect(own.output.hasPrefix("Starting ATS Diagnostics\n"))
            let verbose = try await CommandLineTool.servertrust(
                ["nscurl", "--ats-diagnostics", "--verbose", server] + options)
            #expect(verbose.output.contains("ATS Dictionary:"))
        }
    }
}
