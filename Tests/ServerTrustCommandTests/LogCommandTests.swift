//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustTesting
import TestSupport
import Testing

@Suite("servertrust log, and explain for pasted lines", .limitedConcurrency, .timeLimit(.minutes(10)))
struct LogCommandTests {
    private static let log = """
        2026-11-26 10:00:00.1+0100 0x1 Error 0x0 4 0 mdmclient: Warning [ATS FCPv2.1 violation]: TLS 1.2 negotiated without \
        extended master secret (EMS) for server: warned.example.com
        2026-11-26 10:00:01.1+0100 0x1 Error 0x0 4 0 app: Trust evaluate failure: [leaf AnchorTrusted SSLHostname]
        2026-11-26 10:00:01.2+0100 0x1 Error 0x0 4 0 app: Error [ATS Violation]: ATS certificate trust requirement not \
        satisfied for server: refused.example.com

        """

    @Test("Servers are listed, the worst first, in every format")
    func formats() async throws {
        try await withTemporaryFolder { folder in
            let file = try folder.file("device.log", Self.log)
            let text = try await CommandLineTool.servertrust(["log", file])
            #expect(text.status == 1, "\(text.errors)")
            let places = ["refused.example.com: 2 lines", "warned.example.com: 1 line"].map {
                text.output.range(of: $0)
            }
            let (refused, warned) = (try #require(places[0]), try #require(places[1]))
            #expect(refused.lowerBound < warned.lowerBound)
            #expect(text.output.contains("The server's own certificate (leaf)") && text.output.contains("26.4"))
            let words = [
                ("json", "\"server\" : \"refused.example.com\""),
                ("csv", "warned.example.com,no-extended-master-secret,0,1"),
                ("html", "<h2>refused.example.com</h2>"), ("sarif", "trust-evaluate-failure"),
                ("junit", "<testsuite name=\"refused.example.com\""),
            ]
            for (format, word) in words {
                let finished = try await CommandLineTool.servertrust(["log", file, "--format", format])
                #expect(finished.status == 1 && finished.output.contains(word), "\(format): \(finished.output)")
            }
        }
    }

    @Test("A log without faults passes, one in unknown words does not, and hostile text is escaped")
    func others() async throws {
        try await withTemporaryFolder { folder in
            let cases: [(String, Int32, String)] = [
                ("nothing\n", 0, "NOTHING FOUND"), ("", 0, "NOTHING FOUND"),
                ("Error [ATS violation]: new words \u{1B}[2J for server: a.test\n", 2, "[#J for server"),
            ]
            for (text, status, word) in cases {
                let finished = try await CommandLineTool.servertrust(["log", try folder.file("l", text)])
                #expect(finished.status == status && finished.output.contains(word), "\(finished.output)")
                #expect(!finished.output.contains("\u{1B}"))
            }
        }
    }

    @Test("What is no text is named, with the way to text")
    func mistakes() async throws {
        try await withTemporaryFolder { folder in
            let cases: [(String, String)] = [
                (try folder.file("a.gz", contents: [0x1F, 0x8B, 8, 0]), "decompress"),
                (try folder.file("a.tracev3", contents: [0, 0x10, 0, 0]), "log show --archive"),
                (try folder.file("a.zip", contents: Array("PK\u{3}\u{4}".utf8)), "unpack"),
                (try folder.file("a.txt", contents: [0xFF, 0xFE, 0x41, 0]), "iconv"),
                (folder.path("device.logarchive"), "log show --archive"), (folder.path("missing"), "cannot read"),
                (
                    try folder.file("Info.plist", "<plist><dict/></plist>"),
                    "a property list, and no log. `servertrust ats lint"
                ),
                (
                    try folder.file("chain.pem", FaultScene.pem(try FaultScene.leaf { _ in }.chain)),
                    "and no log. `servertrust evaluate --chain"
                ),
            ]
            for (file, word) in cases {
                let finished = try await CommandLineTool.servertrust(["log", file])
                #expect(finished.status == 2 && finished.errors.contains(word), "\(file): \(finished.errors)")
            }
            let log = try folder.file("log", Self.log)
            let csv = try await CommandLineTool.servertrust(["log", log, "--diagnose", "--format", "csv"])
            #expect(csv.status == 2 && csv.errors.contains("--diagnose"))
        }
    }

    @Test("With --diagnose the servers are asked")
    func diagnose() async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["a.test"]))
        let configuration = TestTLSServer.Configuration(certificates: [leaf.der], privateKey: leaf.privateKey)
        try await withTestServer(configuration) { server in
            try await withTemporaryFolder { folder in
                let line = "Error [ATS violation]: Peer public key not set for server: a.test:\(server.port)\n"
                let finished = try await CommandLineTool.servertrust([
                    "log", try folder.file("l", line), "--diagnose", "--connect-to", "127.0.0.1", "--roots",
                    try folder.file("r", authority.root.pem),
                ])
                #expect(finished.status == 1 && finished.output.contains("a.test:\(server.port)"), "\(finished.errors)")
                #expect(finished.output.contains("FCP_v2.1"), "\(finished.output)")
            }
        }
    }

    @Test(
        "A pasted line, a check, a result and a message of another program are explained",
        arguments: [
            ("Trust evaluate failure: [leaf SSLHostname]", "name-mismatch"),
            ("Trust evaluate failure: [leaf ExtendedKeyUsage MissingIntermediate]", "unknown-issuer"),
            ("ATS failed system trust", "App Transport Security asks for the system's trust"),
            ("(error code: -1200 [3:-9802])", "errSSLFatalAlert"), ("[3:-9802]", "errSSLFatalAlert"),
            ("Error Domain=NSURLErrorDomain Code=-1202", "NSURLErrorServerCertificateUntrusted"),
            ("SSLHostname", "name-mismatch"), ("kSecTrustResultRecoverableTrustFailure", "not trusted"),
            (
                "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer certificate",
                "(20)"
            ),
            ("unable to get local issuer certificate", "X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY"),
            ("x509: certificate signed by unknown authority", "unknown-issuer"),
            ("x509: certificate is valid for a.test, not b.test", "name-mismatch"),
            (
                "PKIX path building failed: unable to find valid certification path to requested target",
                "unknown-issuer"
            ),
            ("curl: (60) SSL: no alternative certificate subject name matches target host name", "name-mismatch"),
        ])
    func explain(text: String, word: String) async throws {
        let finished = try await CommandLineTool.servertrust(["explain", text])
        #expect(finished.status == 0 && finished.output.contains(word), "\(finished.output) \(finished.errors)")
        let words = try await CommandLineTool.servertrust(
            ["explain", "--format", "json"] + text.split(separator: " ").map(String.init))
        #expect(text.split(separator: " ").count < 3 || words.status == 0, "\(words.errors)")
    }

    @Test(
        "Text in which nothing is known is an error",
        arguments: ["hello there world", "no such line at all", "the 443 of 20"])
    func unknownText(text: String) async throws {
        let finished = try await CommandLineTool.servertrust(["explain", text])
        #expect(finished.status == 2 && finished.errors.contains("nothing in the text is known"), "\(finished.output)")
    }

    @Test("From URL loading -9802 is first of all a refusal on this side")
    func fatalAlert() async throws {
        let finished = try await CommandLineTool.servertrust([
            "explain", "HTTP load failed (error code: -1200 [3:-9802])",
        ])
        let trust = try #require(finished.output.range(of: "Trust or App Transport Security refused"))
        let alert = try #require(finished.output.range(of: "The server ended the handshake with an alert"))
        #expect(trust.lowerBound < alert.lowerBound)
    }
}
