//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import ServerDiagnosis
import ServerDiagnosisNIO
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TLSProbe
import TLSWire
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

/// Every command that says whether App Transport Security lets an app without exceptions through.
enum JudgingCommand: String, CaseIterable, Sendable {
    case check, suggest, diagnose, confirm, scan

    /// The answer about each of some servers, in their order.
    ///
    /// - Parameters:
    ///   - servers: Hosts and ports, on 127.0.0.1.
    ///   - root: The file of the root to trust.
    func answers(_ servers: [(host: String, port: Int)], root: String) async throws -> [ATSOutcome] {
        let trust = ["--roots", root, "--anchors-only", "--timeout", "60"]
        let names = servers.map { "\($0.host):\($0.port)" }
        let options = names + ["--connect-to", "127.0.0.1", "--format", "json"] + trust
        return switch self {
        case .check: try await Self.answers(["check"] + options + ["--ats", "default"], "verdict")
        case .suggest: try await Self.answers(["ats", "suggest"] + options, "outcome")
        case .diagnose: try await Self.answers(["diagnose", "--no-redirects"] + options, "verdict")
        case .confirm: try await Self.answers(["diagnose", "--no-redirects", "--confirm"] + options, "verdict")
        case .scan: try await Self.scanned(servers, trust)
        }
    }

    private static func answers(_ arguments: [String], _ key: String) async throws -> [ATSOutcome] {
        let finished = try await CommandLineTool.servertrust(arguments)
        let answers = try Self.objects(finished.output, key)
        // The exit code is the worst answer of them.
        let worst = answers.map(ReportVerdict.init).max()
        #expect(finished.status == worst?.rawValue, "\(arguments)\n\(finished.output)\(finished.errors)")
        return answers
    }

    private static func objects(_ text: String, _ key: String) throws -> [ATSOutcome] {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let servers = try #require(document["servers"] as? [[String: Any]])
        return try servers.map { server in
            switch try #require(server[key] as? String) {
            case "trusted", "nothing", "passed": .passed
            case "not-evaluated", "unknown": .unknown
            case "not-trusted", "exception", "exception-and-delegate", "impossible", "failed": .failed
            case let other: throw UnknownAnswer(text: other)
            }
        }
    }

    private static func scanned(_ servers: [(host: String, port: Int)], _ trust: [String]) async throws -> [ATSOutcome]
    {
        try await withTemporaryFolder { folder in
            let lines = servers.map { #"{"host":"\#($0.host)","port":\#($0.port),"connectTo":"127.0.0.1"}"# }
            let list = try folder.file("list", lines.joined(separator: "\n"))
            _ = try await CommandLineTool.servertrust(
                ["scan", list, "--plan", "ats", "--quiet", "-o", folder.path("r")] + trust)
            let records = try ScanFile.records(folder.path("r")).sorted { $0.line < $1.line }
            return try records.map { try #require(ATSOutcome(rawValue: $0.outcome.ats)) }
        }
    }

    private struct UnknownAnswer: Error {
        let text: String
    }
}

/// A server of OpenSSL's, and the answer about it.
private struct AnsweredServer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var key = TestKeyKind.p256
    let options: [String]
    let answer: ATSOutcome
    /// Words of the reason, where there is one to give.
    var reason: String?
}

private let answeredServers: [AnsweredServer] = [
    AnsweredServer(testDescription: "TLS 1.3", options: ["-tls1_3"], answer: .passed),
    AnsweredServer(testDescription: "TLS 1.2", options: ["-tls1_2"], answer: .passed),
    AnsweredServer(
        testDescription: "a key on P-521 in TLS 1.3", key: .p521, options: ["-tls1_3"], answer: .failed,
        reason: "the signatures do not"),
    AnsweredServer(
        testDescription: "a key on P-521 in TLS 1.2", key: .p521, options: ["-tls1_2"], answer: .passed),
    AnsweredServer(
        testDescription: "an Ed25519 key", key: .ed25519, options: [], answer: .failed, reason: "the signatures do not"),
    AnsweredServer(
        testDescription: "a client certificate in TLS 1.2",
        options: ["-tls1_2", "-Verify", "1", "-verify_return_error"], answer: .passed,
        reason: "The server asks for a client certificate."),
    AnsweredServer(
        testDescription: "a client certificate in TLS 1.3",
        options: ["-tls1_3", "-Verify", "1", "-verify_return_error"], answer: .passed,
        reason: "The server asks for a client certificate."),
    AnsweredServer(
        testDescription: "x448 only", options: ["-groups", "x448"], answer: .failed, reason: "keys in x448 only"),
    AnsweredServer(testDescription: "P-521 for keys", options: ["-groups", "secp521r1"], answer: .passed),
    AnsweredServer(
        testDescription: "AES-128-CCM only", options: ["-tls1_3", "-ciphersuites", "TLS_AES_128_CCM_SHA256"],
        answer: .failed, reason: "none that App Transport Security allows"),
    AnsweredServer(
        testDescription: "RSA over SHA-512 with PKCS #1 only", key: .rsa2048, options: ["-sigalgs", "RSA+SHA512"],
        answer: .failed, reason: "the signatures do not"),
    AnsweredServer(
        testDescription: "RSA over SHA-512 with PKCS #1 in TLS 1.2", key: .rsa2048,
        options: ["-tls1_2", "-sigalgs", "RSA+SHA512"], answer: .passed),
    AnsweredServer(
        testDescription: "an unknown protocol only", options: ["-alpn", "foo"], answer: .failed,
        reason: "none of the application protocols"),
    AnsweredServer(
        testDescription: "finite-field Diffie-Hellman only", key: .rsa2048,
        options: ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"], answer: .failed, reason: "none that"),
]

@Suite("One answer about a server, whichever command asks", .limitedConcurrency, .timeLimit(.minutes(10)))
struct OneAnswerTests {
    @Test("Every server of the range", arguments: JudgingCommand.allCases)
    private func range(command: JudgingCommand) async throws {
        try await withRange { range, root, _ in
            let answers = try await command.answers(
                range.targets.map { ($0.referenceIdentity, $0.port) }, root: root)
            #expect(answers.count == range.targets.count)
            for (target, answer) in zip(range.targets, answers) {
                // A good chain over TLS 1.0 alone is refused, too.
                let expected = target.expectation == .trusted ? ATSOutcome.passed : .failed
                #expect(answer == expected, "\(command) about \(target.fault)")
            }
        }
    }

    @Test(
        "Servers that differ in groups, signatures, suites and client certificates",
        .enabled(if: OpenSSLServer.path != nil, "openssl is not installed"), arguments: answeredServers)
    private func server(server: AnsweredServer) async throws {
        let authority = try TestAuthority()
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        description.keyKind = server.key
        let intermediate = try authority.issue(.intermediate())
        let chain = [try authority.issue(description, by: intermediate), intermediate]
        try await withTemporaryFolder { folder in
            let root = try folder.file("root.pem", authority.root.pem)
            try await OpenSSLServer.with(server.options, chain) { port in
                for command in JudgingCommand.allCases {
                    let answers = try await command.answers([("a.test", port)], root: root)
                    #expect(answers == [server.answer], "\(command) about \(server.testDescription)")
                }
                try await Self.checkReasons(server, port, root)
            }
        }
    }

    @Test(
        "A fact that is missing makes check undecided, and never trusted",
        arguments: [
            ([0xC02F], nil, .trusted), ([0xC02F], .reset, .notEvaluated), ([0x009D], nil, .notTrusted),
        ] as [([UInt16], ProbeFailure?, ReportVerdict)])
    private func undecided(suites: [UInt16], failure: ProbeFailure?, expected: ReportVerdict) async throws {
        let fixture = try DiagnosisFixture()
        let check = ServerCheck(settings: TrustSettings([try TrustStore([fixture.authority.root.trustCertificate])]))
        let chain = PresentedChain(certificates: [fixture.leaf.der], handshake: .completed, protocolVersion: .tls12)
        guard case .judged(var server) = try await check.judge(chain, of: TLSEndpoint(host: "a.test")) else {
            Issue.record("the chain was not judged")
            return
        }
        #expect(server.verdict == .trusted)
        var facts = fixture.facts([(.tls12, suites)])
        if let failure { facts.versions[0] = VersionFact(.tls13, .unknown(failure)) }
        let app = ServerDiagnoser.App(policy: ATSPolicy(ATSDictionary()), name: "default")
        let diagnosed = try await fixture.server(facts, app: app)
        let verdict = try #require(diagnosed.diagnosis[.plist]?.verdict)
        server.transportSecurity = ATSJudgment(diagnosed, verdict, for: app)
        #expect(server.verdict == expected && server.findings.isEmpty == (expected == .trusted))
        // What is known to speak against the server counts more than what is not known.
        server.problems = [.versionUnknown]
        #expect(server.verdict == .notTrusted)
    }

    /// The commands for people say why, and never ask for suites that the server has.
    private static func checkReasons(_ server: AnsweredServer, _ port: Int, _ root: String) async throws {
        let options = [
            "a.test:\(port)", "--connect-to", "127.0.0.1", "--roots", root, "--anchors-only", "--timeout", "60",
        ]
        for command in [
            ["check", "--ats", "default"], ["ats", "suggest"], ["diagnose", "--no-redirects", "--confirm"],
        ] {
            let finished = try await CommandLineTool.servertrust(command + options)
            #expect(server.reason.map(finished.output.contains) ?? true, "\(command): \(finished.output)")
            #expect(server.answer == .failed || !finished.output.contains("Enable ECDHE"), "\(finished.output)")
            #expect(!finished.output.contains("machines of different settings"), "\(finished.output)")
        }
        guard server.answer == .failed, let reason = server.reason else { return }
        let json = try await CommandLineTool.servertrust(["check", "--ats", "default", "--format", "json"] + options)
        #expect(!json.errors.contains("none of the offered cipher suites"), "\(json.errors)")
        #expect(json.errors.isEmpty || json.errors.contains(reason), "\(json.errors)")
    }
}
