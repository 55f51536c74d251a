//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

/// Dialects, and how a configuration of each is recognised.
private let dialects = ["ios", "android", "trustkit", "okhttp", "curl", "json"]

@Suite("servertrust pin and pins check", .limitedConcurrency, .timeLimit(.minutes(10)))
struct PinTests {
    /// A site in files: its chain, its root, and what a man in the middle makes of it.
    private struct Site {
        let site: PinnedSite
        let folder: TemporaryFolder
        let chain: String
        let root: String

        init(_ folder: TemporaryFolder) throws {
            self.site = try PinnedSite(host: "pinned.test")
            self.folder = folder
            self.chain = try folder.file("chain.pem", self.site.leaf.pem + self.site.intermediate.pem)
            self.root = try folder.file("root.pem", self.site.root.pem)
        }

        func run(_ arguments: [String]) async throws -> Finished {
            try await CommandLineTool.servertrust(arguments + ["--roots", self.root, "--anchors-only"])
        }

        func pins(_ pins: [Pin], _ more: String = "") throws -> String {
            let list = pins.map { "\"\($0)\"" }.joined(separator: ", ")
            return try self.folder.file(
                "\(UUID().uuidString).json",
                #"{"format": "servertrust.pins/1", "domains": [{"host": "pinned.test", "pins": [\#(list)]\#(more)}]}"#)
        }
    }

    // MARK: pin

    @Test("A backup key is given by its pin, or by a file with its certificate, request or public key")
    func backupFile() async throws {
        try await withTemporaryFolder { folder in
            let site = try Site(folder)
            let key = TestKey.p256(4_001).info
            let pin = Pin(subjectPublicKeyInfo: key)
            let request = DER.sequence(
                DER.sequence(DER.integer(0), DER.sequence(), key, DER.element(0xA0, [])),
                DER.sequence(DER.oid("1.2.840.10045.4.3.2")), DER.element(3, [0]))
            let pem = "-----BEGIN PUBLIC KEY-----\n\(Data(key).base64EncodedString())\n-----END PUBLIC KEY-----\n"
            let command = ["pin", site.chain, "--host", "pinned.test", "--for", "json", "--backup"]
            for file in [
                try folder.file("backup.der", contents: key), try folder.file("backup.csr", contents: request),
                try folder.file("backup.pem", pem),
            ] {
                let finished = try await site.run(command + [file])
                #expect(finished.status == 0 && finished.output.contains("\(pin)"), "\(file): \(finished.errors)")
            }
            let own = try await site.run(command + [try folder.file("leaf.pem", site.site.intermediate.pem)])
            #expect(own.status == 0 && own.output.contains("\(site.site.pins.intermediate)"), "\(own.errors)")
            let secret = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
            for (file, words) in [
                (try folder.file("backup.key", secret), "openssl pkey -in \(folder.path("backup.key")) -pubout"),
                (site.chain, "the file has 2 keys"),
                (try folder.file("notes", "words"), "this is text. Give a certificate"),
                (folder.path("missing.pem"), "not a pin"),
            ] {
                let finished = try await site.run(command + [file])
                #expect(finished.status == 2 && finished.errors.contains(words), "\(file): \(finished.errors)")
            }
        }
    }

    @Test func `Pins of a path that is not trusted are not shown, and not written`() async throws {
        try await withTemporaryFolder { folder in
            let site = try Site(folder)
            let other = try folder.file("other.pem", try TestAuthority().root.pem)
            for more in [[], ["--for", "android"], ["--format", "json"]] {
                let finished = try await CommandLineTool.servertrust(
                    ["pin", site.chain, "--host", "pinned.test", "--roots", other, "--anchors-only"] + more)
                #expect(finished.status == 1)
                #expect(!finished.output.contains(try site.site.leaf.pin.base64))
            }
            let expired = try await site.run(["pin", site.chain, "--host", "pinned.test", "--at", "2050-01-01"])
            #expect(expired.status == 1 && expired.output.contains("not shown"))
        }
    }

    @Test func `The pins of a chain are shown with what each is good for`() async throws {
        try await withTemporaryFolder { folder in
            let site = try Site(folder)
            let finished = try await site.run(["pin", site.chain, "--host", "pinned.test"])
            #expect(finished.status == 0, "\(finished.errors)")
            for (pin, role) in [
                (site.site.pins.leaf, "leaf"), (site.site.pins.intermediate, "intermediate"),
                (site.site.pins.root, "root"),
            ] {
                #expect(finished.output.contains("\(pin)  \(role)"))
                #expect(finished.output.contains("  \(role): "))
            }
            let json = try await site.run(["pin", site.chain, "--format", "json"])
            let answer = try JSONDecoder().decode(PinAnswer.self, from: Data(json.output.utf8))
            #expect(
                answer.format == "servertrust.pin/1"
                    && answer.targets[0].pins.map(\.role) == ["leaf", "intermediate", "root"])
            #expect(answer.targets[0].pins[0].pin == "\(site.site.pins.leaf)")
            #expect(answer.targets[0].pins[0].certificatePin == "\(try site.site.leaf.certificatePin)")
        }
    }

    @Test(arguments: dialects)
    func `A configuration that is written lets the genuine chain through, and no other`(dialect: String)
        async throws
    {
        try await withTemporaryFolder { folder in
            let site = try Site(folder)
            let written = try await site.run([
                "pin", site.chain, "--host", "pinned.test", "--for", dialect, "--backup", "\(site.site.pins.backup)",
            ])
            #expect(written.status == 0, "\(written.errors)")
            // Apple's systems look for pins of the server's own key in another list.
            #expect(written.errors.contains("Add --of leaf") == (dialect == "ios"), "\(written.errors)")
            let file = try folder.file("pins", written.output)
            let check = try await site.run(["pins", "check", file, "--format", "json"])
            let answer = try JSONDecoder().decode(PinsAnswer.self, from: Data(check.output.utf8))
            #expect(answer.isUsable && answer.dialect == dialect && answer.domains.map(\.host) == ["pinned.test"])
            #expect(answer.diagnostics.allSatisfy { $0.severity != "error" }, "\(answer.diagnostics)")

            let genuine = ["evaluate", "--chain", site.chain, "--host", "pinned.test", "--pins", file]
            #expect(try await site.run(genuine).status == 0)
            // Issued by another root, which is trusted too.
            let middleman = try folder.file("middleman.pem", site.site.middlemanRoot.pem)
            let forged = try site.site.trust(for: .trustedMiddleman).certificates.map(\.pemRepresentation).joined()
            let finished = try await CommandLineTool.servertrust([
                "evaluate", "--chain", try folder.file("forged.pem", forged), "--host", "pinned.test", "--roots",
                site.root,
                "--roots", middleman, "--anchors-only", "--pins", file,
            ])
            #expect(finished.status == 1, "\(finished.output)")
        }
    }

    @Test func `What makes no sense together is said`() async throws {
        try await withTemporaryFolder { folder in
            let site = try Site(folder)
            for (arguments, words) in [
                (["pin", site.chain, "--of", "leaf"], "--for"), (["pin", site.chain, "--for", "nonsense"], "ios"),
                (["pin", site.chain, "--for", "json", "--backup", "sha1/AAAA"], "forged"),
                (["pin", site.chain, "--for", "json", "--expires", "tomorrow"], "ISO 8601"),
                (["pin", site.chain, "--for", "json", "--expires", "2026-01-01"], "is past"),
                (["pin", folder.path("nothing here")], "no file"), (["pin", site.root + "x:y:z"], "no server"),
                (["evaluate", "--chain", site.chain, "--host", "pinned.test", "--pins-dialect", "ios"], "--pins"),
                (["evaluate", "--chain", site.chain, "--any-host", "--pins", site.chain], "--host"),
                (["evaluate", "--chain", site.chain, "--host", "pinned.test", "--pins", site.chain], "no file of"),
                (["pins", "check", folder.path("nothing")], "cannot read"),
                (["pins", "check", site.chain, "--warn-days", "-1"], "--warn-days"),
            ] {
                let finished = try await CommandLineTool.servertrust(arguments)
                #expect(finished.status == 2 && finished.output.isEmpty, "\(arguments)")
                #expect(finished.errors.contains(words), "\(arguments): \(finished.errors)")
            }
        }
    }

    // MARK: --pins

    @Test func `evaluate with pins says what they came to, in text and JSON`() async throws {
        try await withTemporaryFolder { folder in
            let site = try Site(folder)
            let evaluate = ["evaluate", "--chain", site.chain, "--host", "pinned.test", "--pins"]
            let right = try await site.run(evaluate + [try site.pins([site.site.pins.leaf])])
            #expect(
                right.status == 0 && right.output.contains("Pins: the path has one of those of pinned.test (line 1)"))
            let wrong = try await site.run(evaluate + [try site.pins([site.site.pins.backup])])
            #expect(
                wrong.status == 1
                    && wrong.output.contains("path-not-pinned, errSSLATSCertificateTrustViolation (-9886)"))
            #expect(
                wrong.output.contains("Peer certificate chain:") && wrong.output.contains("\(site.site.pins.backup)"))
            let reported = try await site.run(
                evaluate + [try site.pins([site.site.pins.backup], #", "reportOnly": true"#)])
            #expect(reported.status == 0 && reported.output.contains("let through"))
            let ended = try await site.run(
                evaluate + [try site.pins([site.site.pins.leaf], #", "expires": "2020-01-01""#)])
            #expect(ended.status == 1 && ended.output.contains("pins-expired"))
            let ignored = #", "expires": "2020-01-01", "afterExpiry": "ignore-pins""#
            let other = try await site.run(
                evaluate + [try site.pins([site.site.pins.backup], ignored), "--format", "json"])
            let answer = try JSONDecoder().decode(EvaluateAnswer.self, from: Data(other.output.utf8))
            #expect(other.status == 0 && answer.evaluation.pinning?.status == "expired")
            #expect(answer.evaluation.pinning?.expires == "2020-01-01T00:00:00Z")
        }
    }

    @Test func `Hosts without an entry are judged as without the file`() async throws {
        try await withTemporaryFolder { folder in
            let site = try Site(folder)
            let file = try folder.file("pins.txt", "other.test \(site.site.pins.backup)\n")
            let finished = try await site.run([
                "evaluate", "--chain", site.chain, "--host", "pinned.test", "--pins", file,
            ])
            #expect(finished.status == 0 && finished.output.contains("has none for this host"))
        }
    }

    @Test func `Pins for one port count where the port of a chain is not known`() async throws {
        try await withTemporaryFolder { folder in
            let site = try Site(folder)
            let file = try folder.file(
                "pins.json",
                #"""
                {"format": "servertrust.pins/1", "domains": [
                    {"host": "pinned.test:8443", "pins": ["\#(site.site.pins.backup)"]}]}
                """#)
            let evaluate = try await site.run([
                "evaluate", "--chain", site.chain, "--host", "pinned.test", "--pins", file,
            ])
            #expect(evaluate.status == 1)
            let check = try await site.run(["pins", "check", file, "--against", site.chain])
            #expect(check.status == 1 && check.output.contains("WOULD FAIL"))
        }
    }

    @Test func `A file with an error judges nothing`() async throws {
        try await withTemporaryFolder { folder in
            let site = try Site(folder)
            let file = try folder.file(
                "pins.txt", "pinned.test \(site.site.pins.leaf)\nother.test sha256/AAAA\n")
            let evaluate = try await site.run([
                "evaluate", "--chain", site.chain, "--host", "pinned.test", "--pins", file,
            ])
            #expect(evaluate.status == 2 && evaluate.errors.contains("line 2") && evaluate.output.isEmpty)
            let check = try await site.run(["pins", "check", file])
            #expect(check.status == 1 && check.output.contains("UNUSABLE") && check.output.contains("line 2: error"))
        }
    }

    @Test func `Pins hold against live servers: the genuine ones get through, the others do not`() async throws {
        let site = try PinnedSite(host: "pinned.test")
        try await withTemporaryFolder { folder in
            let roots = try folder.file("roots.pem", site.root.pem + site.middlemanRoot.pem)
            let pins = try folder.file("pins.txt", "pinned.test \(site.pins.leaf) \(site.pins.backup)\n")
            for scenario in PinningScenario.allCases {
                try await withPinningServer(scenario, of: site) { server in
                    let finished = try await CommandLineTool.servertrust([
                        "check", "pinned.test:\(server.port)", "--connect-to", "127.0.0.1", "--roots", roots,
                        "--anchors-only", "--pins", pins,
                    ])
                    let isTrusted = scenario.isTrusted(pinning: [.leaf, .backup])
                    #expect(finished.status == (isTrusted ? 0 : 1), "\(scenario): \(finished.output)")
                }
            }
        }
    }

    // MARK: pins check

    @Test func `pins check tells which hosts would fail, which rely on one pin, and which end soon`() async throws {
        try await withTemporaryFolder { folder in
            let site = try Site(folder)
            let soon = "2027-01-10"
            let file = try folder.file(
                "pins.json",
                """
                {"format": "servertrust.pins/1",
                 "domains": [
                  {"host": "pinned.test",
                   "pins": ["\(site.site.pins.leaf)", "\(site.site.pins.backup)"],
                   "expires": "\(soon)"},
                  {"host": "**.other.test",
                   "pins": ["\(site.site.pins.backup)"]}]}
                """)
            let arguments = ["pins", "check", file, "--against", site.chain, "--at", "2026-12-20"]
            let quiet = try await site.run(arguments + ["--warn-days", "10", "--format", "json"])
            let answer = try JSONDecoder().decode(PinsAnswer.self, from: Data(quiet.output.utf8))
            #expect(answer.diagnostics.map(\.code) == ["single-pin"] && answer.diagnostics[0].line == 6)
            #expect(
                answer.domains.map(\.lacksBackup) == [false, true]
                    && answer.domains[0].expires == "2027-01-10T00:00:00Z")
            let warned = try await site.run(arguments + ["--warn-days", "30"])
            #expect(warned.output.contains("[expires-soon]") && warned.output.contains("[single-pin]"))
            #expect(warned.output.contains("pinned.test") && warned.output.contains("2 pins, until 2027-01-10"))
        }
    }

    @Test(
        "Pins that have ended, or that no key has, are never called usable: the headline says what an app would do",
        arguments: [
            (#""pins": [LEAF, BACKUP], "expires": "2026-12-20""#, "1 OF 1 DOMAIN REFUSED"),
            (
                #""pins": [LEAF], "expires": "2026-12-20", "afterExpiry": "ignore-pins""#,
                "1 OF 1 DOMAIN NOT PINNED"
            ),
            (#""pins": [LEAF], "expires": "2026-12-20", "afterExpiry": "report""#, "1 OF 1 DOMAIN NOT PINNED"),
            (#""pins": []"#, "1 OF 1 DOMAIN REFUSED"), (#""pins": [NONE]"#, "1 OF 1 DOMAIN REFUSED"),
            (#""pins": [LEAF, BACKUP]}, {"host": "old.test", "pins": []"#, "1 OF 2 DOMAINS REFUSED"),
            (#""pins": [LEAF, NONE]"#, nil), (#""pins": [LEAF, BACKUP], "expires": "2026-12-21""#, nil),
        ])
    func lapsed(domain: String, headline: String?) async throws {
        try await withTemporaryFolder { folder in
            let site = try Site(folder)
            var domain = domain.replacingOccurrences(of: "LEAF", with: "\"\(site.site.pins.leaf)\"")
            domain = domain.replacingOccurrences(of: "BACKUP", with: "\"\(site.site.pins.backup)\"")
            domain = domain.replacingOccurrences(of: "NONE", with: "\"sha256/\(String(repeating: "A", count: 43))=\"")
            let file = try folder.file(
                "pins.json", #"{"format": "servertrust.pins/1", "domains": [{"host": "pinned.test", \#(domain)}]}"#)
            let finished = try await site.run(["pins", "check", file, "--at", "2026-12-20"])
            #expect(finished.status == (headline == nil ? 0 : 1), "\(finished.output) \(finished.errors)")
            #expect(finished.output.hasPrefix("\(headline ?? "USABLE")  "), "\(finished.output)")
            let json = try await site.run(["pins", "check", file, "--at", "2026-12-20", "--format", "json"])
            let answer = try JSONDecoder().decode(PinsAnswer.self, from: Data(json.output.utf8))
            #expect(answer.isUsable == (headline == nil) && json.status == finished.status)
        }
    }

    @Test func `A chain is held against the hosts it is for, before it is installed`() async throws {
        try await withTemporaryFolder { folder in
            let site = try Site(folder)
            let good = try site.pins([site.site.pins.leaf, site.site.pins.backup])
            let bad = try site.pins([site.site.pins.backup])
            let passed = try await site.run(["pins", "check", good, "--against", site.chain])
            #expect(passed.status == 0 && passed.output.contains("GETS THROUGH"), "\(passed.output) \(passed.errors)")
            let failed = try await site.run(["pins", "check", bad, "--against", site.chain])
            #expect(
                failed.status == 1 && failed.output.contains("WOULD FAIL")
                    && failed.output.contains("Peer certificate chain"))
            let other = try folder.file("other.txt", "other.test \(site.site.pins.leaf)\n")
            #expect(try await site.run(["pins", "check", other, "--against", site.chain]).status == 2)
            let named = try await site.run(["pins", "check", other, "--against", site.chain, "--host", "other.test"])
            #expect(named.status == 1)
        }
    }

    @Test(
        "A host that the configuration does not name is not pinned, which is no success",
        arguments: [
            ["--against", "CHAIN", "--host", "pinned.test"],
            ["--against", "pinned.test:1", "--host", "pinned.test"],
        ])
    func unnamedHosts(arguments: [String]) async throws {
        try await withTemporaryFolder { folder in
            let site = try Site(folder)
            let file = try folder.file("other.txt", "other.test \(site.site.pins.leaf)\n")
            let words = arguments.map { $0 == "CHAIN" ? site.chain : $0 }
            let finished = try await site.run(["pins", "check", file] + words)
            if arguments[1] == "CHAIN" {
                #expect(finished.status == 1 && finished.output.contains("NOT PINNED"), "\(finished)")
                #expect(
                    finished.output.contains("1 OF 1 NOT PINNED") && finished.output.contains("Add pins of the host"))
            } else {
                #expect(
                    finished.status == 2 && finished.errors.contains("--host names the host of chains"), "\(finished)")
            }
        }
    }

    @Test func `pins check connects when it is told to`() async throws {
        let site = try PinnedSite(host: "pinned.test")
        try await withTemporaryFolder { folder in
            let root = try folder.file("root.pem", site.root.pem)
            try await withPinningServer(.rotatedKey, of: site) { server in
                let pins = try folder.file(
                    "pins.json",
                    #"""
                    {"format": "servertrust.pins/1", "domains": [
                        {"host": "pinned.test:\#(server.port)", "pins": ["\#(site.pins.leaf)", "\#(site.pins.backup)"]},
                        {"host": "*.pinned.test", "pins": ["\#(site.pins.leaf)", "\#(site.pins.backup)"]}]}
                    """#)
                let arguments = ["pins", "check", pins, "--roots", root, "--anchors-only", "--connect-to", "127.0.0.1"]
                let offline = try await CommandLineTool.servertrust(arguments)
                #expect(offline.status == 0 && !offline.output.contains("GETS THROUGH"))
                let online = try await CommandLineTool.servertrust(arguments + ["--connect"])
                let isTrusted = PinningScenario.rotatedKey.isTrusted(pinning: [.leaf, .backup])
                #expect(online.status == (isTrusted ? 0 : 1), "\(online.output) \(online.errors)")
                #expect(online.output.contains("pinned.test:\(server.port)"))
            }
        }
    }

    @Test(
        "curl takes the pins that are written for it, and refuses a server of another key",
        .enabled(if: CommandLineTool.installed("curl") != nil && OpenSSLServer.path != nil))
    func curl() async throws {
        let curl = try #require(CommandLineTool.installed("curl"))
        let authority = try TestAuthority()
        let chain = [try authority.issue(.leaf(dnsNames: ["a.test"])), authority.root]
        let other = [try authority.issue(.leaf(dnsNames: ["a.test"])), authority.root]
        try await withTemporaryFolder { folder in
            let root = try folder.file("root.pem", authority.root.pem)
            let fetch = ["-sS", "--cacert", root, "--connect-to", "::127.0.0.1:", "-o", "/dev/null", "-K"]
            try await OpenSSLServer.with(["-www"], chain) { port in
                let pinned = try await CommandLineTool.servertrust([
                    "pin", "a.test:\(port)", "--connect-to", "127.0.0.1", "--roots", root, "--anchors-only", "--for",
                    "curl",
                ])
                #expect(pinned.status == 0, "\(pinned.errors)")
                let file = try folder.file("curlrc", pinned.output)
                let finished = try await CommandLineTool.run(curl, fetch + [file])
                #expect(finished.status == 0, "\(pinned.output)\(finished.errors)")
                let saved = try folder.file("other.pem", other[0].pem)
                let wrong = try await CommandLineTool.servertrust([
                    "pin", saved, "--host", "a.test", "--roots", root, "--anchors-only", "--for", "curl",
                ])
                let changed = wrong.output.replacingOccurrences(of: "a.test/", with: "a.test:\(port)/")
                let refused = try await CommandLineTool.run(curl, fetch + [try folder.file("wrong", changed)])
                // CURLE_SSL_PINNEDPUBKEYNOTMATCH.
                #expect(refused.status == 90, "\(changed)\(refused.errors)")
            }
        }
    }

    @Test("OkHttp's pins are written as Kotlin, curl's as its configuration, and both are read again")
    func sources() async throws {
        let authority = try TestAuthority()
        let chain = try authority.issue(.leaf(dnsNames: ["a.test"]))
        try await withTemporaryFolder { folder in
            let root = try folder.file("root.pem", authority.root.pem)
            let saved = try folder.file("chain.pem", chain.pem)
            let trust = ["--host", "a.test", "--roots", root, "--anchors-only"]
            let pin = try Pin(keyOf: chain.trustCertificate)
            let okhttp = try await CommandLineTool.servertrust(["pin", saved, "--for", "okhttp"] + trust)
            #expect(
                okhttp.output
                    == "val certificatePinner = CertificatePinner.Builder()\n    .add(\"a.test\", \"\(pin)\")\n    .build()\n"
            )
            let curl = try await CommandLineTool.servertrust(["pin", saved, "--for", "curl"] + trust)
            #expect(curl.output == "url = \"https://a.test/\"\npinnedpubkey = \"sha256//\(pin.base64)\"\n")
            for text in [okhttp.output, curl.output] {
                let file = try folder.file("pins", text)
                let checked = try await CommandLineTool.servertrust(
                    ["pins", "check", file, "--against", saved] + trust)
                #expect(
                    checked.status == 0 && checked.output.contains("GETS THROUGH"), "\(checked.output)\(checked.errors)"
                )
            }
        }
    }
}
