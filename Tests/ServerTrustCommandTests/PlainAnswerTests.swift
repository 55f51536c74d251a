//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@testable import ServerReports

@Suite("Answers that a stranger reads at once", .limitedConcurrency, .timeLimit(.minutes(10)))
struct PlainAnswerTests {
    @Test("Of several files, those that are there are shown", arguments: [[], ["--format", "json"]])
    func missingFile(format: [String]) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            let (present, missing) = (folder.path("site.leaf"), folder.path("missing.pem"))
            let answer = try await CommandLineTool.servertrust(["show", missing, present] + format)
            #expect(answer.status == 2)
            #expect(answer.output.contains("a.test"), "\(answer.output)")
            #expect(answer.errors.contains("missing.pem"), "\(answer.errors)")
            let alone = try await CommandLineTool.servertrust(["show", missing] + format)
            #expect(alone.status == 2 && alone.errors.contains("missing.pem"))
        }
    }

    @Test(
        "Help about a command that there is not is an error",
        arguments: [["help", "nonsense"], ["help", "pins", "nonsense"], ["help", "check", "check"]])
    func unknownHelp(arguments: [String]) async throws {
        let answer = try await CommandLineTool.servertrust(arguments)
        #expect(answer.status == 2 && answer.output.isEmpty)
        #expect(answer.errors.contains("there is no command"), "\(answer.errors)")
        for known in [["help"], ["help", "pins"], ["help", "pins", "check"], ["help", "ats", "suggest"]] {
            let help = try await CommandLineTool.servertrust(known)
            #expect(help.status == 0 && help.output.contains("USAGE"), "\(known)")
        }
    }

    @Test(
        "An explanation says which of its sentences is the rule",
        arguments: ["name-mismatch", "expired", "wrong-order"])
    func explainedRule(code: String) async throws {
        let answer = try await CommandLineTool.servertrust(["explain", code])
        #expect(answer.output.contains("\n  rule        "), "\(answer.output)")
    }

    @Test("The explanation of a refused handshake is about no key in particular")
    func explainedHandshake() async throws {
        let answer = try await CommandLineTool.servertrust(["explain", "apple-handshake-refused"])
        #expect(answer.status == 0 && !answer.output.contains("P-521"), "\(answer.output)")
    }

    @Test(
        "A key of a kind that Apple's systems do not take is not told as too small, and RSA-PSS by its name",
        arguments: [("ED25519", "Ed25519"), ("RSA-PSS", "RSA-PSS 2048 bits")])
    func keyKinds(kind: String, words: String) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            let options = kind == "RSA-PSS" ? ["-pkeyopt", "rsa_keygen_bits:2048"] : []
            try await authority.issue(RealAuthority.Leaf(key: [kind] + options), as: "site")
            let shown = try await CommandLineTool.servertrust(["show", folder.path("site.leaf")])
            #expect(shown.output.contains(words), "\(shown.output)")
            try await RealServer(product: .openssl).run(in: folder) { port in
                for command in [["check", "--ats", "default"], ["diagnose", "--plan", "ats"]] {
                    let answer = try await CommandLineTool.servertrust(
                        command + [
                            "a.test:\(port)", "--connect-to", "127.0.0.1", "--roots", folder.path("root.pem"),
                            "--anchors-only",
                        ])
                    #expect(!answer.output.contains("key-too-small"), "\(answer.output)")
                    let name = words.prefix { $0 != " " }
                    #expect(answer.output.contains(name), "\(command): \(answer.output)")
                }
            }
        }
    }

    @Test("A comma in a name does not make two of it, and many names are counted")
    func names() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            let many = (0..<400).map { "DNS.\($0) = host\($0).example.com\n" }.joined()
            var leaf = RealAuthority.Leaf(name: "@names")
            leaf.extensions += "[names]\nDNS.900 = \"a.test, b.test\"\n" + many
            try await authority.issue(leaf, as: "site")
            let chain = ["--chain", folder.path("site.pem"), "--roots", folder.path("root.pem"), "--anchors-only"]
            for format in ["text", "json", "html"] {
                let answer = try await CommandLineTool.servertrust(
                    ["evaluate", "--host", "other.test", "--format", format] + chain)
                #expect(answer.status == 1)
                let lines = answer.output.split(separator: "\n")
                // The page and the array of names in JSON write each name apart.
                for line in lines where line.contains("a.test, b.test") {
                    #expect(format != "text" && !line.contains("host1.example.com"), "\(line.prefix(300))")
                }
                for line in lines {
                    let count = line.split(separator: ".example.com").count
                    #expect(count < 40, "\(count) names in a line: \(line.prefix(300))")
                }
            }
            let shown = try await CommandLineTool.servertrust(["show", folder.path("site.leaf")])
            #expect(!shown.output.contains("a.test, b.test"), "\(shown.output)")
        }
    }

    @Test(
        "A page that a server keeps from clients without a certificate is told as that, and without a library's words")
    func keptPage() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            for version in ["-tls1_2", "-tls1_3"] {
                let demanding = RealServer(
                    product: .openssl, settings: ["-Verify", "1", "-verify_return_error", version])
                try await demanding.run(in: folder) { port in
                    let answer = try await CommandLineTool.servertrust([
                        "diagnose", "a.test:\(port)", "--connect-to", "127.0.0.1", "--roots", folder.path("root.pem"),
                        "--anchors-only", "--plan", "ats",
                    ])
                    let line = try #require(answer.output.split(separator: "\n").first { $0.hasPrefix("  Page") })
                    #expect(line.contains("asks for a client certificate"), "\(line)")
                    for word in ["Error", "checkouts", "ECDHE", ".cc"] { #expect(!line.contains(word), "\(line)") }
                }
            }
        }
    }

    @Test("Every command tells a server that knows no site of the name by its alert")
    func unknownSite() async throws {
        try await Self.withSite { folder, options in
            let server = RealServer(product: .nginx, settings: ["ssl_protocols TLSv1.2;", "ssl_reject_handshake on;"])
            try await server.run(in: folder) { port in
                for command in [["check"], ["diagnose"], ["diagnose", "--plan", "ats"], ["ats", "suggest"]] {
                    let answer = try await CommandLineTool.servertrust(command + ["a.test:\(port)"] + options)
                    #expect(answer.status == 1)
                    #expect(!answer.output.contains("-9836"), "\(command): \(answer.output)")
                }
            }
        }
    }

    @Test("A redirect to plain HTTP decides in every command that judges by App Transport Security")
    func redirects() async throws {
        try await Self.withSite { folder, options in
            let server = RealServer(product: .nginx, settings: ["return 301 http://elsewhere.test/;"])
            try await server.run(in: folder) { port in
                // Whether an exception helps is not known where the load ends at another host: that the load fails is.
                for command in [["check", "--ats", "default"], ["diagnose", "--plan", "ats"], ["ats", "suggest"]] {
                    let answer = try await CommandLineTool.servertrust(command + ["a.test:\(port)"] + options)
                    #expect(answer.status == 1, "\(command): \(answer.output)")
                    #expect((answer.output + answer.errors).contains("redirect"), "\(command): \(answer.output)")
                }
                let plain = try await CommandLineTool.servertrust(["check", "a.test:\(port)"] + options)
                #expect(plain.status == 0, "\(plain.output)")
            }
        }
    }

    @Test("A place beside a status that is no redirect leads nowhere", arguments: [304, 305, 306, 399])
    func noRedirect(status: Int) async throws {
        try await Self.withSite { folder, options in
            let settings = ["add_header Location http://elsewhere.test/ always; return \(status);"]
            let server = RealServer(product: .nginx, settings: settings)
            try await server.run(in: folder) { port in
                for command in [["check", "--ats", "default"], ["diagnose", "--plan", "ats"]] {
                    let answer = try await CommandLineTool.servertrust(command + ["a.test:\(port)"] + options)
                    #expect(answer.status == 0, "\(command): \(answer.output)")
                }
            }
        }
    }

    @Test("Advice about suites leaves every suite in place that encrypts and shows a certificate")
    func keptSuites() async throws {
        try await Self.withSite { folder, options in
            let suites = ["ECDHE-ECDSA-AES128-CCM", "ECDHE-ECDSA-ARIA128-GCM-SHA256", "ECDHE-ECDSA-CAMELLIA128-SHA256"]
            let setting = "ssl_protocols TLSv1.2; ssl_ciphers \(suites.joined(separator: ":"));"
            try await RealServer(product: .nginx, settings: [setting]).run(in: folder) { port in
                let answer = try await CommandLineTool.servertrust(["diagnose", "a.test:\(port)"] + options)
                let line = try #require(answer.output.split(separator: "\n").first { $0.contains("ssl_ciphers") })
                for suite in suites { #expect(line.contains(suite), "\(line)") }
                #expect(!answer.output.contains("handshake_failure, which says nothing"), "\(answer.output)")
            }
        }
    }

    @Test("A server without a certificate is told to have one before it is told of suites")
    func noCertificate() async throws {
        try await Self.withSite { folder, options in
            let settings = ["-nocert", "-cipher", "aNULL", "-tls1_2"]
            try await RealServer(product: .openssl, settings: settings).run(in: folder) { port in
                let answer = try await CommandLineTool.servertrust(["diagnose", "a.test:\(port)"] + options)
                let first = try #require(answer.output.split(separator: "\n").first { $0.hasPrefix("  1. ") })
                #expect(answer.output.contains("The server takes anonymous suites alone"), "\(answer.output)")
                #expect(first.contains("Use a key of RSA, or on P-256 or P-384"), "\(answer.output)")
            }
        }
    }

    @Test(
        "A PKCS#12 file is shown where it has no password, or an empty one",
        arguments: [
            (["-passout", "pass:"], "1 key, 2 certificates, under an empty password"),
            (
                ["-passout", "pass:", "-keypbe", "NONE", "-certpbe", "NONE", "-nomac"],
                "1 key, 2 certificates, without a password"
            ), (["-passout", "pass:right"], "certificates and keys, encrypted"),
        ])
    func keyStore(options: [String], words: String) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            try await authority.openssl(
                ["pkcs12", "-export", "-in", "site.pem", "-inkey", "site.key", "-out", "site.p12"] + options)
            let answer = try await CommandLineTool.servertrust(["show", folder.path("site.p12")])
            #expect(answer.status == 0 && answer.output.contains(words), "\(answer.output)")
            #expect(answer.output.contains("CN=a.test") == !options.contains("pass:right"), "\(answer.output)")
            #expect(!answer.output.contains("PRIVATE KEY"))
        }
    }

    /// A server's certificate, and the options that name its root and the server's address.
    private static func withSite(_ body: (TemporaryFolder, [String]) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            try await body(
                folder, ["--connect-to", "127.0.0.1", "--roots", folder.path("root.pem"), "--anchors-only"])
        }
    }

    @Test(
        "One connection is counted as one",
        arguments: [(0, "0 connections"), (1, "1 connection,"), (2, "2 connections")])
    func oneConnection(count: Int, words: String) {
        #expect("\(CountText.text(count, "connection")),".hasPrefix(words))
    }

    @Test("Text is broken to fit a terminal of 24 columns")
    func narrow() {
        let text = TextStyle(isEnabled: false, width: 24).wrapped(
            "  Connect under a name the certificate has, or have this one added.")
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 24 }, "\(text)")
    }
}
