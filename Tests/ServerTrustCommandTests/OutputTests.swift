//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustTesting
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

@Suite("What the commands write", .limitedConcurrency, .timeLimit(.minutes(10)))
struct OutputTests {
    @Test(
        "Colours are for terminals that want them",
        arguments: [
            (["TERM": "xterm"], true, true), (["TERM": "xterm"], false, false), (["TERM": "dumb"], true, false),
            (["TERM": "xterm", "NO_COLOR": "1"], true, false), (["TERM": "xterm", "NO_COLOR": ""], true, true),
        ] as [([String: String], Bool, Bool)]
    )
    func colours(environment: [String: String], isTerminal: Bool, expected: Bool) {
        let style = TextStyle.stream(isTerminal: isTerminal, environment: environment)
        #expect(style.isEnabled == expected)
        #expect(style.coloured("yes", .trusted).contains("\u{1B}") == expected)
    }

    @Test("There are no escape codes in a file", arguments: [[:], ["NO_COLOR": "1"], ["TERM": "xterm-256color"]])
    func noEscapeCodes(environment: [String: String]) async throws {
        let finished = try await CommandLineTool.servertrust(["demo"], environment: environment)
        #expect(finished.status == 0 && !finished.output.contains("\u{1B}"))
    }

    @Test(
        "On a terminal there are colours, and none with NO_COLOR",
        .enabled(if: CommandLineTool.installed("script") != nil), arguments: [("", true), ("1", false)]
    )
    func terminal(noColour: String, expected: Bool) async throws {
        let script = try #require(CommandLineTool.installed("script"))
        try await withTemporaryFolder { folder in
            let command = "\(try CommandLineTool.servertrustPath()) demo"
            let finished = try await CommandLineTool.run(
                script, ["-qec", command, folder.path("typescript")],
                environment: ["NO_COLOR": noColour, "TERM": "xterm"])
            #expect(finished.status == 0)
            #expect(finished.output.contains("\u{1B}[1;32mTRUSTED") == expected, "\(finished.output.prefix(300))")
        }
    }

    @Test(
        "A reader that goes away is no trap and no error",
        arguments: ["demo", "demo --format json", "check --help", "evaluate --chain \"$CHAIN\" --any-host"]
    )
    func closedPipe(command: String) async throws {
        let chain = try TestAuthority().root.pem
        try await withTemporaryFolder { folder in
            let path = try folder.file("chain.pem", chain)
            let tool = try CommandLineTool.servertrustPath()
            // The reader is gone before anything is written.
            let line = "{ sleep 0.3; '\(tool)' \(command); echo \"status $?\" >&2; } | true; sleep 1"
            let finished = try await CommandLineTool.run(
                "/bin/sh", ["-c", line], environment: ["CHAIN": path, "SSL_CERT_FILE": path])
            let status = finished.errors.firstMatch(of: /status ([0-9]+)/)?.1
            #expect(status == "0" || status == "1", "\(finished.errors)")
            #expect(finished.errors.split(separator: "\n").count <= 1, "\(finished.errors)")
        }
    }

    @Test("A full disk is an error", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisk() async throws {
        let line = "'\(try CommandLineTool.servertrustPath())' demo > /dev/full"
        let finished = try await CommandLineTool.run("/bin/sh", ["-c", line])
        #expect(finished.status == 2 && finished.errors.contains("cannot write the output"), "\(finished.errors)")
    }

    @Test("JSON has all evidence, in a stable order")
    func json() async throws {
        let (certificates, root) = try TestChain.expired.make()
        try await withTemporaryFolder { folder in
            let arguments = [
                "evaluate", "--chain", try folder.file("chain", certificates.joined()), "--host", TestChain.host,
                "--roots", try folder.file("root", root), "--anchors-only", "--format", "json", "--at",
            ]
            let finished = try await CommandLineTool.servertrust(arguments + ["2099-01-31T12:00:00Z"])
            let again = try await CommandLineTool.servertrust(arguments + ["2099-01-31T12:00:00Z"])
            #expect(finished.output == again.output)
            let answer = try JSONDecoder().decode(EvaluateAnswer.self, from: Data(finished.output.utf8))
            #expect(answer.format == "servertrust.evaluate/1" && answer.verdict == "not-trusted")
            let evaluation = answer.evaluation
            #expect(evaluation.evaluatedAt == "2099-01-31T12:00:00Z" && evaluation.profile == "apple")
            #expect(evaluation.resultTypeName == "kSecTrustResultRecoverableTrustFailure" && evaluation.resultType == 5)
            #expect(evaluation.osStatus == -67818 && evaluation.osStatusName == "errSecCertificateExpired")
            #expect(evaluation.certificateTransparency == "not-required" && evaluation.anchorClass == "app")
            #expect(evaluation.revocation == "off")
            let reason = try #require(evaluation.reasons.first)
            #expect(reason.code == "expired" && reason.check == "TemporalValidity" && reason.severity == "recoverable")
            #expect(reason.evidence["evaluatedAt"] == "2099-01-31T12:00:00Z")
            #expect(evaluation.path.map(\.isAnchor) == [false, false, true])
            #expect(evaluation.path.allSatisfy { $0.sha256.count == 64 && $0.spkiSHA256.count == 44 })
            #expect(evaluation.path.first?.dnsNames == [TestChain.host])
        }
    }

    @Test(
        "Text of unknown origin is made printable",
        arguments: [
            ("plain ünïcode ✓", "plain ünïcode ✓"), ("\u{1B}[31m", "\\u{1b}[31m"),
            ("a\nb\r\u{7F}", "a\\u{a}b\\u{d}\\u{7f}"),
            ("\u{9B}\u{202E}\u{2028}", "\\u{9b}\\u{202e}\\u{2028}"),
        ]
    )
    func printableText(text: String, expected: String) {
        #expect(DisplayText.text(text) == expected)
    }
}
