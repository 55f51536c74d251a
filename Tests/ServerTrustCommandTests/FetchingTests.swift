//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

private let isAble = ["openssl", "python3"].allSatisfy { CommandLineTool.installed($0) != nil }

@Suite(
    "Fetching from OpenSSL's responder and a file server", .enabled(if: isAble), .limitedConcurrency,
    .timeLimit(.minutes(20))
)
struct FetchingTests {
    /// What fetching from this machine takes, however busy it is.
    private static let local = ["--dangerously-allow-local-addresses", "--fetch-timeout", "600"]

    @Test("The responder is asked, and believed before and after the revocation")
    func responder() async throws {
        try await withAuthority { authority, services in
            let hard = ["--fetch-revocation", "--revocation", "hard"] + Self.local
            try await services.refresh()
            let good = try await authority.judge(hard)
            #expect(good.status == 0)
            #expect(good.output.contains("for an OCSP response about “revoked.example.com”: used."))
            #expect(good.output.contains("status not revoked"))
            try await authority.revoke()
            try await services.refresh()
            let bad = try await authority.judge(["--fetch-revocation"] + Self.local)
            #expect(bad.status == 1)
            #expect(bad.output.contains("errSecCertificateRevoked"))
        }
    }

    @Test("Without leave for local addresses nothing is asked, and that is said")
    func forbidden() async throws {
        try await withAuthority { authority, _ in
            let soft = try await authority.judge(["--fetch-revocation"])
            #expect(soft.status == 0)
            #expect(soft.output.contains("failed, port "))
            let answer = try await authority.answer(["--fetch-revocation", "--revocation", "hard"])
            #expect(answer.verdict == "not-trusted")
            #expect(answer.evaluation.reasons.map(\.code) == ["revocation-unknown"])
            #expect(answer.evaluation.fetches.map(\.outcome) == ["failed", "failed"])
            #expect(answer.evaluation.fetches.map(\.code) == ["forbidden-address", "forbidden-address"])
            #expect(answer.evaluation.path.first?.revocation == "no-information")
        }
    }

    @Test("Where the responder does not know, the list is fetched, and kept in the cache")
    func list() async throws {
        try await withAuthority { authority, services in
            try await services.stopResponder()
            try await authority.publish("good")
            let options =
                ["--fetch-revocation", "--revocation", "hard"] + Self.local + ["--revocation-cache", "CACHE"]
            let first = try await authority.answer(options)
            #expect(first.verdict == "trusted")
            #expect(first.evaluation.fetches.map(\.kind) == ["ocsp", "crl"])
            #expect(first.evaluation.fetches.map(\.outcome) == ["failed", "used"])
            #expect(first.evaluation.path.first?.revocation == "good")
            try FileManager.default.removeItem(atPath: authority.folder.path("good.crl"))
            let second = try await authority.answer(options)
            #expect(second.verdict == "trusted")
            #expect(second.evaluation.fetches.map(\.outcome) == ["failed", "cached"])
            let without = try await authority.answer(Array(options.dropLast(2)))
            #expect(without.verdict == "not-trusted")
            #expect(without.evaluation.fetches.last?.message?.contains("404") == true)
            let text = try await authority.judge(Array(options.dropLast(2))).output
            #expect(text.contains("Let this machine reach 127.0.0.1, port \(services.responderPort): "), "\(text)")
        }
    }

    @Test("An issuer that was not sent is found where the certificate says it is")
    func issuer() async throws {
        try await withAuthority { authority, _ in
            try await authority.crossCertify()
            #expect(try await authority.judge([], roots: "top.pem").status == 1)
            #expect(try await authority.judge(["--fetch-issuers"], roots: "top.pem").status == 1)
            let found = try await authority.judge(["--fetch-issuers"] + Self.local, roots: "top.pem")
            #expect(found.status == 0)
            #expect(found.output.contains("cross.der for the issuer of “revoked.example.com”: used."))
        }
    }

    @Test("A command that connects looks for an issuer that was not sent, and says so")
    func issuerOfServer() async throws {
        try await withAuthority { authority, services in
            try await services.refresh()
            try await authority.crossCertify()
            let arguments = ["s_server", "-accept", "127.0.0.1:0", "-cert", "leaf.pem", "-key", "leaf.key"]
            try await Service.with("openssl", arguments, in: authority.folder, portAfter: "ACCEPT .*:") { port in
                let server = "revoked.example.com:\(port)"
                let options = [
                    "--connect-to", "127.0.0.1", "--roots", authority.folder.path("top.pem"), "--anchors-only",
                ]
                for command in [["check", server], ["diagnose", server, "--plan", "ats"]] {
                    let found = try await CommandLineTool.servertrust(command + options + Self.local)
                    #expect(found.status == 0, "\(command): \(found.output)\(found.errors)")
                    #expect(found.output.contains("It was fetched from http://"), "\(found.output)")
                    let without = try await CommandLineTool.servertrust(command + options + ["--no-fetch-issuers"])
                    #expect(without.status == 1, "\(command): \(without.output)\(without.errors)")
                    // Without the dangerous option, local addresses are not asked.
                    #expect(try await CommandLineTool.servertrust(command + options).status == 1)
                }
            }
        }
    }

    @Test("check asks the responder about a server's certificate")
    func check() async throws {
        try await withAuthority { authority, services in
            try await services.refresh()
            let arguments = ["s_server", "-accept", "127.0.0.1:0", "-cert", "leaf.pem", "-key", "leaf.key"]
            try await Service.with("openssl", arguments, in: authority.folder, portAfter: "ACCEPT .*:") { port in
                let check = [
                    "check", "revoked.example.com:\(port)", "--connect-to", "127.0.0.1", "--roots",
                    authority.folder.path("root.pem"), "--anchors-only",
                ]
                let off = try await CommandLineTool.servertrust(check)
                #expect(off.status == 0 && off.output.contains("Revocation was checked by stapled responses alone."))
                #expect(off.output.contains("To ask the authorities, give --revocation soft."), "\(off.output)")
                let good = try await CommandLineTool.servertrust(check + ["--revocation", "hard"] + Self.local)
                #expect(good.status == 0 && good.output.contains(": used."))
                try await authority.revoke()
                try await services.refresh()
                let bad = try await CommandLineTool.servertrust(check + ["--revocation", "soft"] + Self.local)
                #expect(bad.status == 1 && bad.output.contains("was revoked on"))
            }
        }
    }

    @Test("A certificate that promises stapling needs a stapled response, which --ocsp then is")
    func mustStaple() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await OpenSSLAuthority(folder, extensions: "\ntlsfeature = status_request\n")
            try await authority.publish("good")
            #expect(try await authority.evaluate([]) == 0)
            let missing = try await authority.judge(["--must-staple"])
            #expect(missing.status == 1 && missing.output.contains("must-staple, errSecIncompleteCertRevocationCheck"))
            #expect(try await authority.evaluate(["--must-staple", "--crl", "good.crl"]) == 1)
            #expect(try await authority.evaluate(["--must-staple", "--ocsp", "good.ocsp"]) == 0)
            #expect(try await authority.evaluate(["--must-staple", "--ocsp", "good.ocsp", "--at", "2099-01-01"]) == 1)
        }
    }
}

/// The servers that know about an authority's certificates.
private struct Services {
    let authority: OpenSSLAuthority
    let responderPort: Int
    let responder: ResponderSwitch

    /// OpenSSL's responder reads its index anew after a request, not before.
    func refresh() async throws {
        try await self.authority.openssl([
            "ocsp", "-issuer", "root.pem", "-cert", "leaf.pem", "-noverify", "-url",
            "http://127.0.0.1:\(self.responderPort)/",
        ])
    }

    func stopResponder() async throws { try await self.responder.stop() }
}

/// Ends the responder before the test does.
private struct ResponderSwitch {
    let folder: TemporaryFolder

    func stop() async throws {
        // The responder leaves its process identifier in the line with its port.
        let logs = try FileManager.default.contentsOfDirectory(atPath: self.folder.url.path)
        for log in logs where log.hasPrefix("openssl-") {
            let text = try String(contentsOfFile: self.folder.path(log), encoding: .utf8)
            guard let start = text.range(of: "PID=")?.upperBound,
                let pid = Int32(text[start...].prefix(while: \.isNumber))
            else { continue }
            kill(pid, SIGKILL)
        }
    }
}

/// Runs a test with an authority whose certificate names a responder, a list and an issuer on this machine.
private func withAuthority(_ body: (OpenSSLAuthority, Services) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
        let files = ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder.url.path]
        try await Service.with("python3", files, in: folder, portAfter: "port ") { filePort in
            // The responder starts with an authority that is made again below, with the responder's port.
            _ = try await OpenSSLAuthority(folder)
            let responder = [
                "ocsp", "-index", "index.txt", "-port", "0", "-CA", "root.pem", "-rsigner", "root.pem", "-rkey",
                "ca.key",
            ]
            try await Service.with("openssl", responder, in: folder, portAfter: "ACCEPT .*:") { port in
                let authority = try await OpenSSLAuthority(
                    folder, extensions: extensions(responder: port, files: filePort), keepsKey: true)
                let services = Services(
                    authority: authority, responderPort: port, responder: ResponderSwitch(folder: folder))
                try await body(authority, services)
            }
        }
    }
}

private func extensions(responder: Int, files: Int) -> String {
    """

    authorityInfoAccess = OCSP;URI:http://127.0.0.1:\(responder)/, caIssuers;URI:http://127.0.0.1:\(files)/cross.der
    crlDistributionPoints = URI:http://127.0.0.1:\(files)/good.crl

    """
}

extension OpenSSLAuthority {
    /// Judges the certificate; `CACHE` stands for a folder.
    fileprivate func judge(_ options: [String], roots: String = "root.pem") async throws -> Finished {
        let options = options.map { $0 == "CACHE" ? self.folder.path("cache") : $0 }
        return try await CommandLineTool.servertrust(
            [
                "evaluate", "--chain", self.folder.path("leaf.pem"), "--host", "revoked.example.com", "--roots",
                self.folder.path(roots), "--anchors-only",
            ] + options)
    }

    fileprivate func answer(_ options: [String]) async throws -> EvaluateAnswer {
        let finished = try await self.judge(options + ["--format", "json"])
        return try JSONDecoder().decode(EvaluateAnswer.self, from: Data(finished.output.utf8))
    }
}
