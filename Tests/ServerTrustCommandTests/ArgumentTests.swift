//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

@Suite("Arguments of the command line", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ArgumentTests {
    @Test(
        "A wrong argument ends with 2 and one line that says what to do",
        arguments: [
            (["evaluate"], "--chain"),
            (["evaluate", "--chain", "x"], "--host NAME"),
            (["evaluate", "--chain", "x", "--host", "a.b", "--any-host"], "contradict"),
            (["evaluate", "--chain", "x", "--host", "a.b", "--policy", "basic"], "Leave --host out"),
            (["evaluate", "--chain", "x", "--host", "a.b:443"], "without scheme and port"),
            (["evaluate", "--chain", "x", "--host", "https://a.b/"], "without scheme and port"),
            (["evaluate", "--chain", "x", "--host", "fe80::1%eth0"], "zone"),
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
            (["frobnicate"], "there is no command frobnicate. See 'servertrust --help'"),
            (["chek", "a.b"], "Did you mean 'check'?"), (["help", "pni"], "Did you mean 'pin'?"),
            (["ats", "lnt", "x"], "Did you mean 'lint'?"), (["pins", "chek", "x"], "Did you mean 'check'?"),
            (["check", "a.b", "--rots", "x"], "Did you mean '--roots'?"),
            (["check", "a.b", "--formta", "json"], "Did you mean '--format'?"),
            (["check", "a.b", "--format", "junit"], "'servertrust ats lint', 'servertrust log' take junit."),
            (["ats", "explain", "x.plist"], "'servertrust ats lint x.plist' checks the whole file"),
            (["check", "a.b", "--json"], "write --format json"), (["check", "--json", "a.b"], "write --format json"),
            (["check", "a.b", "--cafile", "x"], "--roots FILE"),
            (["check", "a.b", "--insecure"], "nothing turns the checks off"),
            (["check", "a.b", "--chain", "x/y"], "'evaluate' takes it"),
            (["diagnose", "a.b", "--revocation", "hard"], "'check'"),
            (["check", "a.b", "--crl", "x", "--revocation", "off"], "say soft or hard"),
            (["scan", "--crl", "x", "--revocation", "off"], "say soft or hard"),
            (["get", "--noproxy", "127.0.0.0/33", "https://a.test/"], "127.0.0.0/33 is no block of addresses"),
            (["get", "--noproxy", "a.test,x/8", "https://a.test/"], "x/8 is no block of addresses"),
            (["proxy", "--listen", "127.0.0.1:0", "--listen", "127.0.0.1:0"], "Give --listen once"),
            (["diagnose", "a.b", "--target-os", "ios99"], "ios 1 to 18 and 26 to 27"),
            (["diagnose", "a.b", "--target-os", "macos16"], "macos 10 to 15 and 26 to 27"),
            (["diagnose", "a.b", "--target-os", "tvos"], "tvos 9 to 18 and 26 to 27"),
        ]
    )
    func wrongArguments(arguments: [String], advice: String) async throws {
        let finished = try await CommandLineTool.servertrust(arguments)
        #expect(finished.isCleanExit && finished.status == 2)
        #expect(finished.output.isEmpty)
        #expect(finished.errors.hasPrefix("servertrust: ") && finished.errors.contains(advice), "\(finished.errors)")
        #expect(finished.errors.split(separator: "\n").count == 1)
    }

    @Test("An option that takes one value is given once, or the values that do not count are told")
    func repeatedOptions() async throws {
        let words = ["check", "127.0.0.1:1", "--timeout", "5"]
        let once = try await CommandLineTool.servertrust(words)
        #expect(!once.errors.contains("is given"), "\(once.errors)")
        let twice = try await CommandLineTool.servertrust(words + ["--timeout=6", "--", "127.0.0.2:1"])
        #expect(twice.errors.contains("servertrust: --timeout is given 2 times, and the last one counts\n"))
        let files = try await CommandLineTool.servertrust(words + ["--roots", "x", "--roots", "y"])
        #expect(!files.errors.contains("is given"), "\(files.errors)")
    }

    @Test(
        "A file with the other half of an identity is named, with the option for it",
        arguments: [
            (["--cert", "CERTIFICATE"], "no private key. Give the file with the key: --key FILE"),
            (["--cert", "KEY"], "no certificate. Give the certificate with --cert and this file with --key"),
            (["--cert", "CERTIFICATE", "--key", "CERTIFICATE"], "Give the file with the private key"),
        ])
    func halfIdentity(options: [String], advice: String) async throws {
        try await withTemporaryFolder { folder in
            let certificate = try folder.file("c.pem", FaultScene.pem(try FaultScene.leaf { _ in }.chain))
            let key = try folder.file("k.pem", "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n")
            let words = options.map { $0 == "CERTIFICATE" ? certificate : $0 == "KEY" ? key : $0 }
            for command in [["check", "127.0.0.1:1"], ["get", "https://127.0.0.1:1/"], ["diagnose", "127.0.0.1:1"]] {
                let finished = try await CommandLineTool.servertrust(command + words)
                #expect(finished.status == 2 && finished.errors.contains(advice), "\(finished.errors)")
            }
        }
    }

    @Test(
        "A file in place of a server is named, with the command that reads it", arguments: ["check", "diagnose"])
    func fileAsServer(command: String) async throws {
        try await withTemporaryFolder { folder in
            let chain = try folder.file("chain.pem", FaultScene.pem(try FaultScene.leaf { _ in }.chain))
            let list = try folder.file("Info.plist", "<plist version=\"1.0\"><dict/></plist>")
            for (file, advice) in [(chain, "evaluate --chain \(chain)"), (list, "ats lint \(list)")] {
                let finished = try await CommandLineTool.servertrust([command, file])
                #expect(finished.status == 2 && finished.output.isEmpty, "\(finished.output)")
                let words = finished.errors.contains("this is a file, ") && finished.errors.contains(advice)
                #expect(words, "\(finished.errors)")
            }
            let key = try folder.file("key.pem", "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n")
            let finished = try await CommandLineTool.servertrust([command, "127.0.0.1:1", "--p12", key])
            #expect(finished.status == 2 && finished.errors.contains("Give it with --cert"), "\(finished.errors)")
        }
    }

    @Test(
        "A file of another kind is named, with the option that takes it",
        arguments: [
            ("--ocsp", "list.crl", "this is PEM with 1 × X509 CRL, which --crl takes. --ocsp takes"),
            ("--ocsp", "root.pem", "this is PEM with 1 × CERTIFICATE. --ocsp takes an OCSP response in DER"),
            ("--crl", "answer.ocsp", "this is an OCSP response in DER, which --ocsp takes. --crl takes"),
            ("--crl", "notes.txt", "this is text. --crl takes revocation lists in PEM or DER"),
            ("--roots", "list.crl", "this is PEM with 1 × X509 CRL. Give it with --crl"),
            ("--roots", "notes.txt", "this is text. Give a file or folder with certificates in PEM or DER"),
            ("--roots", "Info.plist", "this is a property list. Give a file or folder"),
            ("--roots", "empty", "empty: the folder has no files. Give a file or folder"),
            ("--roots", "keys", "server.key, for one, is PEM with 1 × PRIVATE KEY. Give a file or folder"),
        ], ["evaluate", "check", "diagnose", "scan", "get", "proxy", "pin"])
    func otherFiles(file: (option: String, name: String, words: String), command: String) async throws {
        try await withTemporaryFolder { folder in
            let root = try folder.file("root.pem", FaultScene.pem(try FaultScene.leaf { _ in }.roots))
            _ = try folder.file("notes.txt", "to do\n")
            _ = try folder.file("Info.plist", "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>")
            for name in ["empty", "keys"] {
                try FileManager.default.createDirectory(
                    atPath: folder.path(name), withIntermediateDirectories: false)
            }
            let block = { (label: String, der: [UInt8]) in
                "-----BEGIN \(label)-----\n\(Data(der).base64EncodedString())\n-----END \(label)-----\n"
            }
            _ = try folder.file("keys/server.key", block("PRIVATE KEY", [0x30, 0]))
            _ = try folder.file("list.crl", block("X509 CRL", TestRevocationList(FaultScene.issuer).view().bytes))
            _ = try folder.file("answer.ocsp", contents: try TestOCSPResponse().view().bytes)
            let target: [String] =
                switch command {
                case "evaluate": ["--chain", root, "--host", "a.test"]
                case "scan": [try folder.file("hosts.txt", "127.0.0.1:9\n")]
                case "get": ["https://127.0.0.1:9/"]
                case "proxy": []
                default: ["127.0.0.1:9"]
                }
            let arguments = [command] + target + [file.option, folder.path(file.name)]
            let finished = try await CommandLineTool.servertrust(arguments)
            #expect(finished.status == 2 && finished.errors.contains(file.words), "\(finished.errors)")
        }
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
