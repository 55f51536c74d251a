//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

@testable import ServerTrustCommand

@Suite("Help: examples that can be copied, completion and manual", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HelpTests {
    /// The command lines among the examples of a command and of those below it.
    private static func examples(of command: any ParsableCommand.Type = ServerTrustCommand.self) -> [[String]] {
        let lines = command.configuration.discussion.split(separator: "\n").map { $0.drop { $0 == " " } }
        let own = lines.filter { $0.hasPrefix("servertrust ") }.map { line in
            // What stands behind two blanks is a remark; a shell does the rest.
            let text = String(line).components(separatedBy: "  ")[0]
            let words = text.split(separator: " ").prefix { $0 != ">" && $0 != "|" }
            return words.dropFirst().map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "'\"")) }
        }
        return own + command.configuration.subcommands.flatMap(Self.examples)
    }

    @Test("Every example in the help is a command line that is understood")
    func parsed() throws {
        let examples = Self.examples()
        #expect(examples.count > 50)
        for example in examples where !example.contains(where: { $0.contains("…") }) {
            do {
                _ = try ServerTrustCommand.parseAsRoot(example)
            } catch {
                Issue.record("\(example): \(ServerTrustCommand.message(for: error))")
            }
        }
    }

    private static func commands(below command: any ParsableCommand.Type = ServerTrustCommand.self)
        -> [any ParsableCommand.Type]
    {
        [command] + command.configuration.subcommands.flatMap(Self.commands)
    }

    @Test("Every example of the help stands on one line of it, at any width", arguments: [40, 80, 200])
    func whole(width: Int) {
        for command in Self.commands() {
            let help = HelpText(width: width).text { ServerTrustCommand.helpMessage(for: command, columns: $0) }
            let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
            let examples = command.configuration.discussion.split(separator: "\n").filter {
                $0.contains(" servertrust ")
            }
            for example in examples where example.hasPrefix("  ") && !example.hasPrefix("   ") {
                let line = "  " + example.dropFirst(2).description.components(separatedBy: "  ")[0]
                #expect(lines.contains { $0 == line || $0.hasPrefix(line + "  ") }, "\(command): \(line)")
            }
        }
    }

    @Test("Wrapping loses no word, and no line of prose is wider than the terminal", arguments: [40, 80, 200])
    func words(width: Int) {
        for command in Self.commands() {
            let message = { ServerTrustCommand.helpMessage(for: command, columns: $0) }
            let help = HelpText(width: width).text(message)
            #expect(help.split(whereSeparator: \.isWhitespace) == message(width).split(whereSeparator: \.isWhitespace))
            let overview = help.components(separatedBy: "\nUSAGE: ")[0].split(separator: "\n")
            for line in overview where !line.hasPrefix("  ") || line.hasPrefix("   ") {
                #expect(line.count <= width || !line.drop { $0 == " " }.contains(" "), "\(command): \(line)")
            }
        }
    }

    @Test(
        "The command shows its help so, whichever way it is asked for", arguments: [["help", "demo"], ["demo", "-h"]])
    func shown(arguments: [String]) async throws {
        let help = try await CommandLineTool.servertrust(arguments, environment: ["COLUMNS": "80"])
        #expect(help.output.contains("--format json | jq '.servers[].report.evaluation.reasons[].code'\n"))
    }

    @Test("Every example that needs no network has an answer")
    func offline() async throws {
        let offline: [[String]] = [
            ["evaluate"], ["show"], ["explain"], ["ats", "lint"], ["ats", "explain"], ["apple-data", "show"],
        ]
        let examples = Self.examples().filter { example in
            offline.contains { example.starts(with: $0) } && !example.contains("--fetch-revocation")
        }
        #expect(examples.count > 15)
        let tool = try CommandLineTool.servertrustPath()
        try await withTemporaryFolder { folder in
            try Self.writeFiles(in: folder)
            for example in examples {
                var program = try CommandLineTool.program(tool, example, output: folder.file("out", contents: []))
                program.folder = folder.url.path
                let ending = await (try TestProcess(program)).ending()
                #expect([.exit(0), .exit(1)].contains(ending), "\(example)")
            }
        }
    }

    /// The files that examples name.
    private static func writeFiles(in folder: TemporaryFolder) throws {
        let scene = try FaultScene.leaf { _ in }
        let pin = Pin(keyOf: Certificate(scene.chain[0]))
        for name in ["fullchain.pem", "chain.pem", "leaf.pem", "db.pem", "client.pem"] {
            _ = try folder.file(name, FaultScene.pem(scene.chain))
        }
        let list = "<plist version=\"1.0\"><dict/></plist>"
        _ = try folder.file("App.ipa", contents: TestZip([TestZip.File("Payload/A.app/Info.plist", list)]).octets)
        _ = try folder.file("our-ca.pem", FaultScene.pem(scene.roots))
        _ = try folder.file("ca.der", contents: scene.chain[1].bytes)
        _ = try folder.file("ca.crl", contents: try TestRevocationList(FaultScene.issuer).view().bytes)
        _ = try folder.file("answer.ocsp", contents: try TestOCSPResponse().view().bytes)
        _ = try folder.file("request.csr", contents: Self.request)
        let pins =
            "<key>NSPinnedDomains</key><dict><key>a.test</key><dict><key>NSPinnedLeafIdentities</key><array><dict>"
            + "<key>SPKI-SHA256-BASE64</key><string>\(pin.base64)</string></dict></array></dict></dict>"
        for place in ["", "App", "Widget"] {
            let parent = folder.url.appending(path: place)
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            let text = "<plist><dict><key>NSAppTransportSecurity</key><dict>\(pins)</dict></dict></plist>"
            try Data(text.utf8).write(to: parent.appending(path: "Info.plist"))
        }
    }

    /// A request for a certificate without attributes.
    private static let request = DER.sequence(
        DER.sequence(
            DER.integer(0), DER.sequence(), TestKey.p256(1).info, DER.element(0xA0, [])),
        DER.sequence(DER.oid("1.2.840.10045.4.3.2")), DER.element(3, [0]))

    @Test(
        "bash completes commands, options, their values and names of files",
        .enabled(if: CommandLineTool.installed("bash") != nil),
        arguments: [
            (["expl"], "explain"), (["evaluate", "--anch"], "--anchors-only"),
            (["evaluate", "--chain", "full"], "fullchain.pem"),
            (["evaluate", "--roots", "full"], "fullchain.pem"), (["show", "full"], "fullchain.pem"),
            (["scan", "full"], "fullchain.pem"), (["pin", "full"], "fullchain.pem"),
            (["evaluate", "--color", "al"], "always"), (["diagnose", "--format", "nsc"], "nscurl"),
            (["diagnose", "--fail-on", "tr"], "trust"), (["diagnose", "--target-os", "ios2"], "ios26"),
        ])
    func completion(words: [String], expected: String) async throws {
        let bash = try #require(CommandLineTool.installed("bash"))
        let script = try await CommandLineTool.servertrust(["--generate-completion-script", "bash"])
        #expect(script.status == 0)
        try await withTemporaryFolder { folder in
            _ = try folder.file("fullchain.pem", "")
            let file = try folder.file("completion.bash", script.output)
            let line = """
                cd '\(folder.url.path)'; source '\(file)'; COMP_WORDS=(servertrust \(words.joined(separator: " ")))
                COMP_CWORD=\(words.count); COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
                _servertrust servertrust "${COMP_WORDS[$COMP_CWORD]}" "${COMP_WORDS[$((COMP_CWORD - 1))]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let finished = try await CommandLineTool.run(bash, ["-c", line])
            let replies = finished.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(replies.contains(expected), "\(replies) \(finished.errors)")
        }
    }

    @Test("zsh and fish have scripts that name files", arguments: [("zsh", "_files"), ("fish", "-F")])
    func otherShells(shell: String, files: String) async throws {
        let script = try await CommandLineTool.servertrust(["--generate-completion-script", shell])
        #expect(script.status == 0 && script.output.contains(files))
        guard let path = CommandLineTool.installed(shell) else { return }
        try await withTemporaryFolder { folder in
            let finished = try await CommandLineTool.run(path, ["-n", try folder.file("script", script.output)])
            #expect(finished.status == 0, "\(finished.errors)")
        }
    }
}
