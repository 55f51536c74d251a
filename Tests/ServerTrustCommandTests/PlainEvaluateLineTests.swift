//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import TestSupport
import Testing

@testable import ServerTrustCommand

@Suite("Plain lines of evaluate")
struct PlainEvaluateLineTests {
    @Test(
        "A plain line is read as ArgumentParser reads it",
        arguments: [
            "--chain a.pem --host example.com",
            "--host example.com --chain a.pem b.der c.pem",
            "--chain a.pem --host 192.0.2.1 --roots r.pem --anchors-only",
            "--roots r.pem --roots system --chain a.pem b.pem --profile rfc5280-strict --host a.b --format json",
            "--chain a --format html --host ::1 --profile legacy",
            "--chain a --format text --host a.b --anchors-only --roots ./system --profile apple",
        ])
    func sameAnswer(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let plain = try #require(PlainEvaluateLine(["evaluate"] + words)?.command)
        let parsed = try #require(try EvaluateCommand.parseAsRoot(words) as? EvaluateCommand)
        #expect(Self.text(of: plain) == Self.text(of: parsed))
        // A value that is missing would end the program when it is read.
        #expect(!Self.text(of: plain).contains("definition"))
    }

    @Test(
        "Any other line is left to ArgumentParser",
        arguments: [
            "--chain a", "--host a.b", "--chain --host a.b", "--chain a --host", "--chain a --host --anchors-only",
            "--chain a --host a.b more --x", "--chain a --host a.b more", "--chain a --host a.b --anchors-only",
            "--chain a --host a.b --host c.d", "--chain a --chain b --host a.b", "--chain a --host a.b --profile x",
            "--chain a --host a.b --format", "--chain a --host=a.b", "--chain -- a --host a.b",
            "--chain a --host -- a.b",
            "--chain a --host a.b --at 2026-01-01", "--chain a --host a.b --any-host",
            "--chain a --host a.b --help",
            "--chain a --host a.b:443", "--chain a --host a.b --roots", "--chain - --host a.b", "--Chain a --host a.b",
            "--chain a --host a.b --format json --format text", "--chain a --host a.b --profile apple --profile legacy",
            "--chain a --host a.b --roots r --anchors-only --anchors-only", "--chain a --host -a.b",
        ])
    func leftAlone(line: String) {
        #expect(PlainEvaluateLine(["evaluate"] + line.split(separator: " ").map(String.init))?.command == nil)
    }

    @Test("Empty words, other commands and no command are left to ArgumentParser")
    func otherCommands() {
        for words in [[], ["check", "--chain", "a", "--host", "a.b"], ["evaluate", "--chain", "", "--host", "a.b"]] {
            #expect(PlainEvaluateLine(words)?.command == nil)
        }
    }

    @Test("Whatever order the words have, no line is read as ArgumentParser would not read it")
    func anyOrder() throws {
        let words = [
            "--chain", "a.pem", "b.pem", "--host", "example.com", "--roots", "r.pem", "--anchors-only", "--profile",
            "webpki",
            "--format", "json", "--at", "-", "--",
        ]
        var generator = SeededGenerator(state: 20_261_124)
        var readCount = 0
        for _ in 0..<100_000 {
            var line = (0..<Int.random(in: 2...8, using: &generator)).compactMap { _ in
                words.randomElement(using: &generator)
            }
            if Bool.random(using: &generator) { line = ["--chain", "c.pem", "--host", "a.b"] + line }
            guard let plain = PlainEvaluateLine(["evaluate"] + line)?.command, readCount < 150 else { continue }
            readCount += 1
            let parsed = try? EvaluateCommand.parseAsRoot(line)
            #expect(parsed.map(Self.text) == Self.text(of: plain), "\(line)")
        }
        #expect(readCount == 150)
    }

    /// The value of every option, groups included.
    private static func text(of command: any ParsableCommand) -> String { String(describing: command) }
}
