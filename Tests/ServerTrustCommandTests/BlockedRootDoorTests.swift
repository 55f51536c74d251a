//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@testable import ServerTrustCommand

/// A server below a made-up root that Apple's data block, and the options that trust the root.
private struct BlockedServer {
    let port: Int
    let chain: String
    let root: String
    let data: String
    let folder: TemporaryFolder

    /// Trusts the root by hand, with Apple's data that block it.
    var trust: [String] { ["--roots", self.root, "--anchors-only", "--apple-data", self.data] }
    var address: String { "server.test:\(self.port)" }

    static func with(_ body: (BlockedServer) async throws -> Void) async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["server.test"]))
        try await withTestServer(TestTLSServer.Configuration(leaf)) { server in
            try await withTemporaryFolder { folder in
                let (_, data) = try PublicTrustTests.program(folder.path("."), fetched: Date())
                let status = data + "/root_status"
                try FileManager.default.createDirectory(atPath: status, withIntermediateDirectories: true)
                let root = try Certificate(der: authority.root.der)
                let name = root.sha256Fingerprint.map { String(format: "%02X", $0) }.joined()
                let row = "Root Certificate,Blocked,\(name),Made-up"
                try "Certificate Record Type,Apple Status,SHA-256 Fingerprint,Certificate Name\n\(row)\n"
                    .write(toFile: status + "/ccadb.csv", atomically: true, encoding: .utf8)
                try "2026-01-02T00:00:00Z".write(toFile: status + "/DATE", atomically: true, encoding: .utf8)
                try await body(
                    BlockedServer(
                        port: server.port, chain: try folder.file("leaf.pem", leaf.pem),
                        root: try folder.file("root.pem", authority.root.pem), data: data, folder: folder))
            }
        }
    }
}

@Suite("A blocked root, by every door of the command", .limitedConcurrency, .timeLimit(.minutes(10)))
struct BlockedRootDoorTests {
    /// Commands that judge a server or a chain, and print why it is refused.
    enum Door: String, CaseIterable {
        case evaluate, check, diagnose, confirm, get, pin, suggest

        fileprivate func arguments(_ server: BlockedServer) -> [String] {
            let connect = ["--connect-to", "127.0.0.1"]
            return switch self {
            case .evaluate: ["evaluate", "--chain", server.chain, "--host", "server.test"]
            case .check: ["check", server.address] + connect
            case .diagnose: ["diagnose", server.address, "--no-redirects"] + connect
            case .confirm: ["diagnose", server.address, "--no-redirects", "--confirm"] + connect
            case .get:
                ["get", "https://\(server.address)/", "--connect-to", "\(server.address):127.0.0.1:\(server.port)"]
            case .pin: ["pin", server.address] + connect
            case .suggest: ["ats", "suggest", server.address] + connect
            }
        }
    }

    @Test("The server is refused for its root, which is trusted by hand", arguments: Door.allCases)
    func refused(door: Door) async throws {
        try await BlockedServer.with { server in
            let finished = try await CommandLineTool.servertrust(door.arguments(server) + server.trust)
            let text = finished.output + finished.errors
            #expect(finished.status != 0 && finished.status < 64, "\(finished.status): \(text)")
            #expect(text.contains("Apple blocks the root"), "\(text)")
        }
    }

    @Test(
        "The option that is named so, and it alone, trusts the root again",
        arguments: [Door.evaluate, .check, .diagnose, .suggest])
    func dangerouslyTrusted(door: Door) async throws {
        try await BlockedServer.with { server in
            let finished = try await CommandLineTool.servertrust(
                door.arguments(server) + server.trust + ["--dangerously-trust-blocked-roots"])
            let text = finished.output + finished.errors
            #expect(finished.status == 0, "\(text)")
            #expect(!text.contains("Apple blocks"), "\(text)")
            if door == .evaluate { #expect(text.contains("Blocked roots are trusted"), "\(text)") }
        }
    }

    @Test("The answer names the code, Apple's status and where it is said")
    func evidence() async throws {
        try await BlockedServer.with { server in
            let arguments = Door.evaluate.arguments(server) + server.trust
            let text = try await CommandLineTool.servertrust(arguments).output
            #expect(text.contains("(Common CA Database, Apple Status, as of 2026-01-02)"), "\(text)")
            #expect(text.contains("[blocked-root, errSecCertificateRevoked (-67820)]"), "\(text)")
            #expect(text.contains("blocked by Apple"), "\(text)")
            #expect(text.contains("Blocked roots are those of 2026-01-02"), "\(text)")
            let json = try await CommandLineTool.servertrust(arguments + ["--format", "json"]).output
            let document = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            let evaluation = try #require(document["evaluation"] as? [String: Any] ?? document)
            let basis = try #require(evaluation["publicTrust"] as? [String: Any])
            let status = try #require(basis["rootStatus"] as? [String: String])
            #expect(status["date"] == "2026-01-02T00:00:00Z" && status["origin"]?.hasSuffix("/data") == true)
        }
    }

    @Test("nscurl's diagnosis fails with each setting, for the certificate")
    func systemTool() async throws {
        try await BlockedServer.with { server in
            let arguments = ["nscurl", "--ats-diagnostics", "--verbose", "https://\(server.address)/"]
            let finished = try await CommandLineTool.servertrust(
                arguments + ["--connect-to", "127.0.0.1"] + server.trust)
            #expect(finished.output.contains("Result : FAIL"), "\(finished.output)\(finished.errors)")
            #expect(!finished.output.contains("Result : PASS"), "\(finished.output)")
        }
    }

    @Test("Pins of the server's own key do not let it through")
    func pins() async throws {
        try await BlockedServer.with { server in
            let trusted = ["--roots", server.root, "--anchors-only"]
            let backup = "sha256/VYZq9bQbcD5un3125iK4peMNPIOhXBMtHrl3dOn2d4I="
            let made = try await CommandLineTool.servertrust(
                ["pin", server.chain, "--host", "server.test", "--for", "android", "--backup", backup] + trusted)
            let pins = try server.folder.file("pins.xml", made.output)
            let target = ["pins", "check", pins, "--against", server.chain]
            let before = try await CommandLineTool.servertrust(target + trusted)
            #expect(before.status == 0, "\(before.output)\(before.errors)")
            let after = try await CommandLineTool.servertrust(target + server.trust)
            #expect(after.status == 1, "\(after.output)\(after.errors)")
            #expect((after.output + after.errors).contains("Apple blocks the root"), "\(after.output)\(after.errors)")
        }
    }

    @Test("A scan says so in its record")
    func scan() async throws {
        try await BlockedServer.with { server in
            let line = #"{"host":"server.test","port":\#(server.port),"connectTo":"127.0.0.1"}"#
            let list = try server.folder.file("list", line)
            let finished = try await CommandLineTool.servertrust(
                ["scan", list, "--plan", "ats", "--format", "ndjson"] + server.trust)
            #expect(finished.output.contains("blocked-root"), "\(finished.output)\(finished.errors)")
        }
    }

    @Test("The proxy refuses the server", .enabled(if: CommandLineTool.installed("curl") != nil))
    func proxy() async throws {
        try await ProxyCommandTests.servers { good, bad, authority in
            let root = try Certificate(der: authority.root.der)
            let name = root.sha256Fingerprint.map { String(format: "%02X", $0) }.joined()
            try await withTemporaryFolder { folder in
                let (_, data) = try PublicTrustTests.program(folder.path("."), fetched: Date())
                try FileManager.default.createDirectory(
                    atPath: data + "/root_status", withIntermediateDirectories: true)
                try "sha256,Apple Status\n\(name),Blocked\n".write(
                    toFile: data + "/root_status/ccadb.csv", atomically: true, encoding: .utf8)
                try await ProxyCommandTests.with(
                    ["--apple-data", data], good: good.port, bad: bad.port, authority: authority
                ) { scene in
                    let finished = try await ProxyCommandTests.Client.curl.run("https://server.test/", scene)
                    let output = try #require(finished?.output)
                    #expect(output.contains("code: blocked-root") && output.contains(" 403"), "\(output)")
                }
            }
        }
    }

    @Test("The conformance protocol refuses a root that its request blocks")
    func conformance() throws {
        let root = CraftedAuthority("Blocked root", .p256(81))
        let certificate = try root.authority()
        let leaf = Data(try root.leaf().bytes).base64EncodedString()
        let encoded = Data(certificate.bytes).base64EncodedString()
        let name = Certificate(certificate).sha256Fingerprint.map { String(format: "%02x", $0) }.joined()
        func answer(_ blocked: String) throws -> String {
            let request =
                #"{"v":1,"id":"a","op":"validate","leaf":"\#(leaf)","roots":["\#(encoded)"],"intermediates":[],"#
                + #""time":1780272000,"peer_name":{"kind":"DNS","value":"www.example.com"},"#
                + #""program":{"roots":["\#(name)"],"blocked":[\#(blocked)]}}"#
            var chunks = [Array(request.utf8), []]
            var output = ""
            try ConformanceResponder(publicSuffixes: nil).answerLines(
                from: { chunks.isEmpty ? [] : chunks.removeFirst() },
                to: {
                    output += String(decoding: $0, as: UTF8.self)
                    return true
                })
            return output
        }
        let blocked = try answer("\"\(name)\"")
        #expect(blocked.contains("blocked-root") && blocked.contains("reject"), "\(blocked)")
        #expect(try answer("").contains("accept"))
    }
}
