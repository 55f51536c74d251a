//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ReportSupport
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@Suite("The JSON Schemas of docs/schemas", .limitedConcurrency, .timeLimit(.minutes(10)))
struct SchemaTests {
    /// Commands whose answers are documents, with the formats.
    private static let commands: [(format: String, arguments: @Sendable (Scene) -> [String])] = [
        (
            "servertrust.evaluate/1",
            { ["evaluate", "--chain", $0.chain, "--host", "a.test", "--format", "json"] + $0.trust }
        ),
        ("servertrust.evaluate/1", { ["evaluate", "--chain", $0.chain, "--host", "b.test", "--format", "json"] }),
        (
            "servertrust.evaluate/1",
            { ["evaluate", "--chain", $0.chain, "--host", "a.test", "--pins", $0.pins, "--format", "json"] + $0.trust }
        ),
        ("servertrust.check/1", { ["check", $0.server, $0.closed, "--format", "json"] + $0.connection }),
        ("servertrust.check/1", { ["check", $0.server, "--ats", "default", "--format", "json"] + $0.connection }),
        ("servertrust.diagnose/1", { ["diagnose", $0.server, $0.closed, "--format", "json"] + $0.connection }),
        (
            "servertrust.diagnose/1",
            {
                ["diagnose", $0.server, "--confirm", "--plist", $0.plist, "--plan", "deep", "--format", "json"]
                    + $0.connection
            }
        ),
        ("servertrust.pin/1", { ["pin", $0.server, $0.closed, "--format", "json"] + $0.connection }),
        (
            "servertrust.pin/1",
            { ["pin", $0.chain, "--host", "a.test", "--for", "okhttp", "--format", "json"] + $0.trust }
        ),
        (
            "servertrust.pins-check/1",
            { ["pins", "check", $0.pins, "--against", $0.server, "--format", "json"] + $0.connection }
        ),
        ("servertrust.ats-lint/1", { ["ats", "lint", $0.plist, $0.chain, "--format", "json"] }),
        (
            "servertrust.ats-explain/1",
            { ["ats", "explain", $0.plist, "https://a.test", "http://b.test", "--format", "json"] }
        ),
        (
            "servertrust.ats-suggest/1",
            { ["ats", "suggest", $0.server, $0.closed, "--format", "json"] + $0.connection }
        ),
        ("servertrust.ats-suggest/1", { _ in ["ats", "suggest", "http://b.test", "--format", "json"] }),
        ("servertrust.explain/1", { _ in ["explain", "expired", "-9802", "wrong-order", "--format", "json"] }),
        (
            "servertrust.explain/1",
            { _ in ["explain", "reset", "groups", "not-a-server", "bad-answer", "truncated", "--format", "json"] }
        ),
        (
            "servertrust.explain/1",
            { _ in ["explain", "Trust evaluate failure: [leaf SSLHostname]", "--format", "json"] }
        ),
        ("servertrust.log/1", { ["log", $0.log, "--format", "json"] }),
        ("servertrust.profile/1", { ["diagnose", $0.profile, "--format", "json"] }),
        ("servertrust.show/1", { ["show", $0.chain, $0.plist, $0.pins, "--format", "json"] }),
        ("servertrust.demo/1", { _ in ["demo", "--format", "json"] }),
        ("servertrust.apple-data/1", { _ in ["apple-data", "show", "--format", "json"] }),
        (
            "servertrust.apple-data-compare/1",
            { ["apple-data", "compare", "--with", $0.chain, "--format", "json"] }
        ),
    ]

    @Test("Every answer of a command follows the schema of its format")
    func answers() async throws {
        try await Scene.with { scene in
            for command in Self.commands {
                let arguments = command.arguments(scene)
                let finished = try await CommandLineTool.servertrust(arguments)
                try Self.expect(finished.output, command.format, "\(arguments): \(finished.errors)")
            }
        }
    }

    @Test("The events of get follow their schema, and have no secrets in them")
    func events() async throws {
        try await Scene.with { scene in
            let secrets = ["-u", "ada:secret", "-H", "Cookie: a=secret"]
            let options = ["-v", "--format", "json"] + secrets + scene.connection
            for url in ["https://\(scene.server)/", "https://\(scene.closed)/", "http://\(scene.server)/", "no url"] {
                let finished = try await CommandLineTool.servertrust(["get", url] + options)
                #expect(!finished.errors.contains("secret"), "\(finished.errors)")
                let lines = finished.errors.split(separator: "\n")
                #expect(!lines.isEmpty)
                for line in lines { try Self.expect(String(line), "servertrust.get/1", "\(line)") }
            }
        }
    }

    @Test("The lines, changes and summary of a scan follow their schemas")
    func scan() async throws {
        try await Scene.with { scene in
            let list = try scene.folder.file(
                "list", "\(scene.server)\n\(scene.closed)\n{\"host\": \"\(scene.server)\", \"id\": 7}\nnot a host\n")
            let (results, summary) = (scene.folder.path("results"), scene.folder.path("summary"))
            _ = try await CommandLineTool.servertrust(
                ["scan", list, "-o", results, "--summary", summary, "--quiet"] + scene.connection)
            let lines = try String(contentsOfFile: results, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 4)
            for line in lines { try Self.expect(String(line), "servertrust.scan/1", "\(line.prefix(80))") }
            try Self.expect(
                String(contentsOfFile: summary, encoding: .utf8), "servertrust.scan-summary/1", "the summary")
            let other = try scene.folder.file("other", lines.dropFirst().joined(separator: "\n") + "\n")
            let changes = try await CommandLineTool.servertrust(
                ["scan", "--from", results, "--compare", other, "--format", "ndjson"])
            let changed = changes.output.split(separator: "\n")
            #expect(!changed.isEmpty)
            for line in changed { try Self.expect(String(line), "servertrust.scan-change/1", "\(line)") }
        }
    }

    @Test(
        "What does not follow a schema is a violation",
        arguments: [
            "{}", "[]", #"{"format": "servertrust.pin/1", "verdict": "perhaps", "targets": []}"#,
            #"{"format": "servertrust.pin/1", "verdict": "trusted", "targets": {}}"#,
            #"{"format": "servertrust.pin/2", "verdict": "trusted", "targets": []}"#,
            #"{"format": "servertrust.pin/1", "verdict": "trusted", "targets": [], "more": 1}"#,
            #"{"format": "servertrust.pin/1", "verdict": "trusted", "targets": [{}]}"#,
        ])
    func violations(text: String) throws {
        let document = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        #expect(try !JSONSchema(format: "servertrust.pin/1").violations(in: document).isEmpty)
    }

    private static func expect(_ text: String, _ format: String, _ comment: String) throws {
        let document = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        #expect(document["format"] == .string(format), "\(comment)")
        let violations = try JSONSchema(format: format).violations(in: document)
        #expect(violations.isEmpty, "\(comment): \(violations)")
    }
}

/// A server, a port where nothing listens, and files.
private struct Scene: Sendable {
    let folder: TemporaryFolder
    let server: String
    let closed = "a.test:1"
    let chain: String
    let plist: String
    let pins: String
    let trust: [String]
    let log: String
    let profile: String

    var connection: [String] { self.trust + ["--connect-to", "127.0.0.1"] }

    static func with(_ body: (Scene) async throws -> Void) async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["a.test"]))
        let server = try await TestTLSServer.start(
            TestTLSServer.Configuration(certificates: [leaf.der], privateKey: leaf.privateKey))
        do {
            try await withTemporaryFolder { folder in
                let plist = """
                    <plist><dict><key>NSAppTransportSecurity</key><dict><key>NSAllowsArbitraryLoads</key><true/>
                    <key>NSExceptionDomains</key><dict><key>a.test</key><dict><key>NSExceptionMinimumTLSVersion</key>
                    <string>TLSv1.9</string></dict></dict></dict></dict></plist>
                    """
                let pin = try Pin(keyOf: leaf.trustCertificate).description
                let domain = #"{"host": "a.test", "pins": ["\#(pin)"], "expires": "2030-01-01"}"#
                let pins = #"{"format": "servertrust.pins/1", "domains": [\#(domain)]}"#
                let scene = Scene(
                    folder: folder, server: "a.test:\(server.port)", chain: try folder.file("chain.pem", leaf.pem),
                    plist: try folder.file("Info.plist", plist),
                    pins: try folder.file("pins.json", pins),
                    trust: ["--roots", try folder.file("root.pem", authority.root.pem), "--anchors-only"],
                    log: try folder.file(
                        "device.log",
                        "2026-11-26 10:00:00 x: Error [ATS violation]: Peer public key not set for server: a.test\n"
                            + "Trust evaluate failure: none\n"),
                    profile: try folder.file(
                        "a.mobileconfig",
                        contents: TestProfile.xml([
                            TestProfile.payload(
                                "com.apple.webClip.managed", TestProfile.string("URL", "https://127.0.0.1:1/"))
                        ])))
                try await body(scene)
            }
        } catch {
            try await server.shutdown()
            throw error
        }
        try await server.shutdown()
    }
}
