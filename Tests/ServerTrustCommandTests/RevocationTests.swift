//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@Suite(
    "Revocation with OpenSSL's own authority and responder",
    .enabled(if: CommandLineTool.installed("openssl") != nil), .limitedConcurrency, .timeLimit(.minutes(10))
)
struct RevocationTests {
    @Test("Lists and answers of OpenSSL are understood, before and after it revokes the certificate")
    func openSSL() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await OpenSSLAuthority(folder)
            try await authority.publish("good")
            #expect(try await authority.evaluate(["--crl", "good.crl"]) == 0)
            #expect(try await authority.evaluate(["--crl", "good.crl", "--revocation", "hard"]) == 0)
            #expect(try await authority.evaluate(["--ocsp", "good.ocsp", "--revocation", "hard"]) == 0)
            #expect(try await authority.evaluate(["--revocation", "hard"]) == 1)
            try await authority.revoke()
            try await authority.publish("bad")
            #expect(try await authority.evaluate(["--crl", "bad.crl"]) == 1)
            #expect(try await authority.evaluate(["--ocsp", "bad.ocsp"]) == 1)
            #expect(try await authority.evaluate(["--crl", "good.crl", "--ocsp", "bad.ocsp"]) == 1)
            #expect(try await authority.evaluate(["--crl", "bad.crl", "--at", "2099-01-01"]) == 1)
        }
    }

    @Test("A stapled response that revokes the certificate refuses the server, whichever command connects")
    func stapled() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await OpenSSLAuthority(folder)
            try await authority.revoke()
            try await authority.publish("bad")
            let host = "revoked.example.com"
            let trust = ["--roots", folder.path("root.pem"), "--anchors-only"]
            let arguments = [
                "s_server", "-www", "-accept", "127.0.0.1:0", "-cert", "leaf.pem", "-key", "leaf.key", "-status_file",
                "bad.ocsp",
            ]
            try await Service.with("openssl", arguments, in: folder, portAfter: "ACCEPT .*:") { port in
                let place = ["\(host):\(port)", "--connect-to", "127.0.0.1"]
                let checked = try await CommandLineTool.servertrust(["check"] + place + trust)
                #expect(checked.status == 1 && checked.output.contains("errSecCertificateRevoked"), "\(checked)")
                for options in [[], ["--ats", "default"]] {
                    let got = try await CommandLineTool.servertrust(
                        ["get", "https://\(host):\(port)/", "--resolve", "\(host):\(port):127.0.0.1"] + options + trust)
                    #expect(got.status == 1 && got.errors.contains("was revoked"), "\(got)")
                }
            }
        }
    }

    @Test("A list and a response that are given count with every command that connects, as what is stapled does")
    func everyCommand() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await OpenSSLAuthority(folder)
            try await authority.publish("good")
            try await authority.revoke()
            try await authority.publish("bad")
            let host = "revoked.example.com"
            _ = try folder.file("hosts", "\(host)\n")
            let trust = ["--roots", folder.path("root.pem"), "--anchors-only"]
            let arguments = ["s_server", "-www", "-accept", "127.0.0.1:0", "-cert", "leaf.pem", "-key", "leaf.key"]
            try await Service.with("openssl", arguments, in: folder, portAfter: "ACCEPT .*:") { port in
                _ = try folder.file("hosts", "\(host):\(port)\n")
                let place = ["--connect-to", "127.0.0.1"]
                for command in [
                    ["check", "\(host):\(port)"] + place, ["diagnose", "\(host):\(port)", "--plan", "ats"] + place,
                    ["pin", "\(host):\(port)"] + place, ["scan", folder.path("hosts"), "--fail-on", "trust"] + place,
                    ["get", "https://\(host):\(port)/", "--resolve", "\(host):\(port):127.0.0.1"],
                ] {
                    for file in [["--crl", "NAME.crl"], ["--ocsp", "NAME.ocsp"]] {
                        for (name, isRevoked) in [("good", false), ("bad", true)] {
                            let path = folder.path(file[1].replacingOccurrences(of: "NAME", with: name))
                            let finished = try await CommandLineTool.servertrust(command + trust + [file[0], path])
                            #expect(
                                finished.status == (isRevoked ? 1 : 0),
                                "\(command) \(path): \(finished.output) \(finished.errors)")
                        }
                    }
                }
                let check = ["check", "\(host):\(port)"] + place + trust
                let told = try await CommandLineTool.servertrust(check + ["--crl", folder.path("good.crl")])
                #expect(told.output.contains("stapled responses and the given files alone"), "\(told.output)")
                // One file for each option, so that the servers behind it are not taken for files.
                let both = ["--crl", folder.path("good.crl"), "--crl", folder.path("bad.crl")]
                #expect(try await CommandLineTool.servertrust(check + both).status == 1)
            }
        }
    }

    @Test(
        "A file that tells nothing about revocation ends with 2",
        arguments: [
            ["--crl", "root.pem"], ["--crl", "missing.crl"], ["--crl", "empty"], ["--crl", "."],
            ["--ocsp", "root.pem"],
            ["--ocsp", "empty"], ["--crl", "cut.crl"], ["--crl", "good.crl", "--revocation", "off"],
            ["--revocation", "sometimes"],
        ])
    func unusableFiles(arguments: [String]) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await OpenSSLAuthority(folder)
            try await authority.publish("good")
            _ = try folder.file("empty", "")
            let list = try Data(contentsOf: URL(fileURLWithPath: folder.path("good.crl")))
            _ = try folder.file("cut.crl", contents: list.prefix(list.count / 2))
            #expect(try await authority.evaluate(arguments) == 2)
        }
    }
}
