//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing
import X509

/// Every command that connects to servers.
private let commands: [[String]] = [
    ["check"], ["check", "--ats", "default"], ["diagnose"], ["diagnose", "--plan", "ats"], ["ats", "suggest"], ["pin"],
    ["pins", "check", "PINS", "--against"], ["scan"],
]

/// Something that keeps servers from being reached, or that is no TLS, and what every command says of it.
private struct Hindrance: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var port: Int?
    var options: [String] = []
    /// What the server answers to the first bytes that it gets.
    var answer = Array("SSH-2.0-OpenSSH_9.2p1\r\n".utf8)
    let sentence: String
    let status: Int32
}

private let hindrances = [
    Hindrance(
        testDescription: "something else than TLS",
        sentence: "The server does not answer in TLS. Its answer begins “SSH-2.0-OpenSSH_9.2p1..”.", status: 1),
    Hindrance(
        testDescription: "nothing listens", port: 1, sentence: "Nothing listens at the port.", status: 2),
    Hindrance(
        testDescription: "no proxy", options: ["--proxy", "http://127.0.0.1:1"],
        sentence:
            "The proxy http://127.0.0.1:1 cannot be reached: Nothing listens at the port. Check the proxy's address",
        status: 2),
    Hindrance(
        testDescription: "a proxy that refuses", options: ["--proxy", "http://127.0.0.1:PORT"],
        answer: Array("HTTP/1.1 403 Forbidden\r\n\r\n".utf8), sentence: "does not connect: 403 Forbidden", status: 2),
    Hindrance(
        testDescription: "TLS that is not offered", options: ["--starttls", "postgres"], answer: Array("N".utf8),
        sentence: "The server does not offer TLS in PostgreSQL. Enable TLS for PostgreSQL at the server", status: 1),
    Hindrance(
        testDescription: "TLS at once where the server was to speak first",
        options: ["--starttls", "smtp", "--timeout", "8"], answer: ScriptedServer.alert(40),
        sentence: "The server does not speak SMTP at this port: it speaks TLS at once. Leave the protocol", status: 1),
    Hindrance(
        testDescription: "TLS at once where the client speaks first", options: ["--starttls", "ldap"],
        answer: ScriptedServer.alert(10),
        sentence: "The server does not speak LDAP at this port: it speaks TLS at once.",
        status: 1),
    Hindrance(
        testDescription: "another protocol before TLS", options: ["--starttls", "smtp", "--timeout", "8"],
        sentence: "sent no SMTP greeting", status: 2),
]

@Suite("The options for connecting, in every command", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ConnectingOptionsTests {
    private static func run(_ command: [String], _ server: String, _ options: [String]) async throws
        -> (output: String, status: Int32)
    {
        try await withTemporaryFolder { folder in
            let pins = try folder.file(
                "pins.txt", "a.test sha256/\(Data(repeating: 7, count: 32).base64EncodedString())\n")
            let words = command.map { $0 == "PINS" ? pins : $0 }
            let isScan = command == ["scan"]
            let target = isScan ? try folder.file("list", server + "\n") : server
            let finished = try await CommandLineTool.servertrust(
                words + [target, "--connect-to", "127.0.0.1"] + (isScan ? ["--quiet"] : []) + options)
            return (finished.output + finished.errors, finished.status)
        }
    }

    @Test("They say the same of what is in the way, with the same exit code", arguments: hindrances, commands)
    private func hindrance(hindrance: Hindrance, command: [String]) async throws {
        try await RawServer.with(.answer(hindrance.answer)) { server in
            let options = hindrance.options.map { $0.replacing("PORT", with: "\(server.port)") }
            let (output, status) = try await Self.run(command, "a.test:\(hindrance.port ?? server.port)", options)
            // The sentences stand on lines of their own, or behind each other.
            let text = output.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
            let expected = command == ["scan"] ? hindrance.sentence.prefix { $0 != "." } : hindrance.sentence[...]
            #expect(text.contains(expected), "\(output)")
            #expect(status == hindrance.status, "\(output)")
        }
    }

    @Test(
        "A client certificate that a server asks for is told of",
        arguments: commands.filter { !["scan", "pins"].contains($0[0]) }, ["-tls1_2", "-tls1_3"])
    private func clientCertificate(command: [String], version: String) async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["a.test"]))
        try await withTemporaryFolder { folder in
            let root = try folder.file("root.pem", authority.root.pem)
            for (options, isAsked) in [([], false), (["-Verify", "1", "-verify_return_error"], true)] {
                try await OpenSSLServer.with([version] + options, [leaf, authority.root]) { port in
                    let (output, status) = try await Self.run(
                        command, "a.test:\(port)", ["--roots", root, "--anchors-only"])
                    #expect(output.contains("The server asks for a client certificate.") == isAsked, "\(output)")
                    #expect(status == 0, "\(output)")
                }
            }
        }
    }

    @Test("Names are taken as people type them", arguments: commands)
    private func names(command: [String]) async throws {
        for name in ["bücher.example", "BÜCHER.example.", "A.TEST.", "[fe80::1%lo]", "https://[fe80::1%25lo]"] {
            let separator = name.hasPrefix("https://") ? ":1/" : ":1"
            let (output, status) = try await Self.run(command, name + separator, [])
            #expect(output.contains("Nothing listens at the port.") && status == 2, "\(output)")
        }
    }

    @Test("The name of --sni is asked for, and none where it is empty", arguments: commands)
    private func serverName(command: [String]) async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["a.test"]))
        let strict = ["-servername", "b.test", "-servername_fatal"]
        try await withTemporaryFolder { folder in
            let root = try folder.file("root.pem", authority.root.pem)
            let key = try folder.file("key2.pem", leaf.privateKey.pem)
            let second = try folder.file("leaf2.pem", leaf.pem)
            let trust = ["--roots", root, "--anchors-only"]
            try await OpenSSLServer.with(strict + ["-cert2", second, "-key2", key], [leaf, authority.root]) { port in
                let other = try await Self.run(command, "a.test:\(port)", trust + ["--sni", "b.test"])
                let own = try await Self.run(command, "a.test:\(port)", trust)
                #expect(own.status != 0 && other.output != own.output, "\(own.output)")
                guard command.first != "pins" else { return }
                #expect(other.status == 0, "\(other.output)")
            }
        }
    }

    @Test(
        "An option that would do nothing is an error",
        arguments: [
            (["check", "a.test", "--target-os", "ios26"], "--target-os is about App Transport Security. Add --ats"),
            (["check", "a.test", "--strict", "engine"], "--strict is about App Transport Security. Add --ats"),
            (["check", "a.test", "--client", "app"], "--client is about App Transport Security. Add --ats"),
            (["scan", "--from", "r", "--format", "csv", "--target-os", "ios26"], "Leave --target-os out"),
            (["scan", "--from", "r", "--format", "csv", "--strict", "engine"], "Leave --strict out"),
            (["scan", "--from", "r", "--format", "csv", "--timeout", "5"], "Leave --timeout out"),
            (["scan", "--from", "r", "--format", "csv", "--profile", "apple"], "Leave --profile out"),
            (["scan", "--from", "r", "--format", "csv", "--revocation", "off"], "Leave --revocation out"),
            (["scan", "--from", "r", "--format", "csv", "--no-fetch-issuers"], "Leave --no-fetch-issuers out"),
            (["scan", "--from", "r", "--format", "csv", "--one-address"], "Leave --one-address out"),
            (
                ["scan", "--from", "r", "--format", "csv", "--dangerously-accept-version-1-issuers"],
                "Leave --dangerously-accept-version-1-issuers out"
            ),
            (["pin", "a.test", "--fetch-timeout", "2", "--no-fetch-issuers"], "--fetch-timeout is about fetching"),
        ])
    private func idleOption(arguments: [String], words: String) async throws {
        let finished = try await CommandLineTool.servertrust(arguments)
        #expect(finished.status == 2 && finished.errors.contains(words), "\(finished.errors)")
    }

    @Test(
        "A key whose use forbids to sign the handshake is refused by name",
        arguments: commands.filter { $0.first != "pins" })
    private func keyUsage(command: [String]) async throws {
        let authority = try TestAuthority()
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        // OpenSSL serves no key on a curve that may not sign.
        description.keyKind = .rsa2048
        description.keyUsage = KeyUsage(keyEncipherment: true)
        let leaf = try authority.issue(description)
        try await withTemporaryFolder { folder in
            let root = try folder.file("root.pem", authority.root.pem)
            for version in ["-tls1_2", "-tls1_3"] {
                try await OpenSSLServer.with([version], [leaf, authority.root]) { port in
                    let (output, status) = try await Self.run(
                        command, "a.test:\(port)", ["--roots", root, "--anchors-only"])
                    #expect(output.contains("its key usage lacks digitalSignature") && status == 1, "\(output)")
                }
            }
        }
    }
}
