//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

@Suite("Arguments of the command line", .limitedConcurrency, .timeLimit(.minutes(2)))
struct ArgumentTests {
    @Test(
        "A wrong argument ends with 2 and one line that says what to do",
        arguments: [
            (["evaluate"], "--chain"),
            (["evaluate", "--chain", "x"], "--host NAME"),
            (["evaluate", "--chain", "x", "--host", "a.b", "--any-host"], "contradict"),
            (["evaluate", "--chain", "x", "--host", "a.b", "--policy", "basic"], "leave --host out"),
            (["evaluate", "--chain", "x", "--host", "a.b:443"], "without scheme and port"),
            (["evaluate", "--chain", "x", "--host", "https://a.b/"], "without scheme and port"),
            (["evaluate", "--chain", "x", "--host", "fe80::1%eth0"], "zone"),
            (["evaluate", "--chain", "x", "--host", "bücher.example"], "xn--"),
            (["evaluate", "--chain", "x", "--host", ""], "empty"),
            (["evaluate", "--chain", "x", "--host", "a.b", "--at", "yesterday"], "2026-01-31T12:00:00Z"),
            (["evaluate", "--chain", "x", "--host", "a.b", "--anchors-only"], "--roots FILE"),
            (["evaluate", "--chain", "x", "--host", "a.b", "--profile", "x"], "apple"),
            (["evaluate", "--chain", "x", "--host", "a.b", "--format", "xml"], "json"),
            (["check"], "<server>"),
            (["check", "ftp://a.b"], "https"),
            (["check", "a.b:0"], "1 to 65535"),
            (["check", "a.b", "--timeout", "0"], "0.001 to 86400"),
            (["check", "a.b", "--timeout", "nan"], "0.001 to 86400"),
            (["check", "a.b", "--connect-to", "192.0.2.1:443"], "without a port"),
            (["check", "a.b", "--minimum-tls", "9"], "1.3"),
            (["check", "a.b", "c.d", "--save-chain", "x"], "one server"),
            (["check", "a.b", "--frobnicate"], "--help"),
            (["check", "a.b", "--revocation", "sometimes"], "hard"),
            (["check", "a.b", "--no-fetch-issuers", "--revocation-cache", "x"], "--revocation soft"),
            (["check", "a.b", "--no-fetch-issuers", "--dangerously-allow-local-addresses"], "--fetch-issuers"),
            (["evaluate", "--chain", "x", "--host", "a.b", "--revocation-cache", "x"], "--fetch-revocation"),
            (["evaluate", "--chain", "x", "--host", "a.b", "--fetch-revocation", "--revocation", "off"], "say soft"),
            (["check", "a.b", "--fetch-issuers", "--revocation-cache", "/dev/null"], "/dev/null"),
            (["demo", "more"], "--help"),
            (["frobnicate"], "--help"),
        ]
    )
    func wrongArguments(arguments: [String], advice: String) async throws {
        let finished = try await CommandLineTool.servertrust(arguments)
        #expect(finished.isCleanExit && finished.status == 2)
        #expect(finished.output.isEmpty)
        #expect(finished.errors.hasPrefix("servertrust: ") && finished.errors.contains(advice), "\(finished.errors)")
        #expect(finished.errors.split(separator: "\n").count == 1)
    }

    @Test("Help ends with 0 and teaches with examples and exit codes", arguments: ["evaluate", "check", "demo"])
    func help(command: String) async throws {
        let finished = try await CommandLineTool.servertrust([command, "--help"])
        #expect(finished.status == 0 && finished.errors.isEmpty)
        for part in ["EXAMPLES", "EXIT CODES", "servertrust \(command)", "--format"] {
            #expect(finished.output.contains(part), "\(part)")
        }
        #expect(finished.output.split(separator: "\n").allSatisfy { !$0.hasPrefix("--") }, "an example is wrapped")
    }

    @Test("Control characters in an argument do not reach the terminal")
    func controlCharacters() async throws {
        let finished = try await CommandLineTool.servertrust(["check", "a.b", "--\u{1B}[31mred\u{202E}"])
        #expect(finished.status == 2)
        #expect(finished.errors.unicodeScalars.allSatisfy { $0 != "\u{1B}" && $0 != "\u{202E}" })
        let path = try await CommandLineTool.servertrust(["evaluate", "--chain", "\u{9B}31m\nx", "--host", "a.b"])
        #expect(path.status == 2 && path.errors.contains("\\u{9b}"), "\(path.errors)")
    }

    @Test(
        "A moment is read as it is written",
        arguments: [
            ("1970-01-01", 0), ("1970-01-01T00:00:00Z", 0), ("2026-01-31T12:00:00Z", 1_769_860_800),
            ("2024-02-29T23:59:59Z", 1_709_251_199), ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("1950-01-01", -631_152_000),
        ] as [(String, Double)]
    )
    func moments(text: String, seconds: Double) throws {
        #expect(try EvaluationMoment.parse(text).timeIntervalSince1970 == seconds)
    }

    @Test(
        "What is not a moment is refused",
        arguments: [
            "", "now", "2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10", "2026-01-31T24:00:00Z",
            "2026-01-31T12:60:00Z", "2026-01-31T12:00:60Z", "2026-01-31T12:00:00", "2026-01-31T12:00:00+01:00",
            "2026-01-31 12:00:00Z", "20260131", "1949-12-31", "-026-01-01", "２０２６-01-31", "2026-01-31T12:00:00Zz",
        ]
    )
    func wrongMoments(text: String) {
        #expect(throws: CommandError.self) { try EvaluationMoment.parse(text) }
    }
}
