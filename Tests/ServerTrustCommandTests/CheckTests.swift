//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOSSL
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

@Suite("servertrust check", .limitedConcurrency, .timeLimit(.minutes(10)))
struct CheckTests {
    @Test("check and evaluate agree about every server of the range")
    func agreesWithEvaluate() async throws {
        try await withRange { range, root, folder in
            for target in range.targets {
                let name = target.fault.rawValue
                let saved = folder.path("\(name).pem")
                let check = try await Self.check(target, root, ["--format", "json", "--save-chain", saved])
                let answer = try JSONDecoder().decode(CheckAnswer.self, from: Data(check.output.utf8))
                let server = try #require(answer.servers.first)
                let judged = try #require(server.evaluation)
                #expect(server.savedChain == saved, "\(name)")
                let evaluate = try await CommandLineTool.servertrust([
                    "evaluate", "--chain", saved, "--host", target.referenceIdentity, "--roots", root,
                    "--anchors-only", "--format", "json", "--at", judged.evaluatedAt,
                ])
                let evaluation = try JSONDecoder()
                    .decode(EvaluateAnswer.self, from: Data(evaluate.output.utf8)).evaluation
                #expect(evaluation.reasons == judged.reasons, "\(name)")
                #expect(evaluation.path.map(\.sha256) == judged.path.map(\.sha256), "\(name)")
                #expect(evaluation.verdict == (target.expectation == .refused ? "not-trusted" : "trusted"), "\(name)")
                #expect(server.verdict == (target.expectation == .trusted ? "trusted" : "not-trusted"), "\(name)")
                #expect(check.status == (target.expectation == .trusted ? 0 : 1), "\(name)")
            }
        }
    }

    /// Where OpenSSL and curl decide otherwise, and rightly by their own rules.
    private static let differsOnPurpose: [TLSFault: String] = [
        .lifetimeOverLimit: "Apple refuses more than 825 days below any root; OpenSSL has no limit"
    ]

    @Test("openssl s_client agrees about every server", .enabled(if: CommandLineTool.installed("openssl") != nil))
    func openSSLAgrees() async throws {
        let openssl = try #require(CommandLineTool.installed("openssl"))
        try await withRange { range, root, _ in
            for target in range.targets {
                let isAddress = target.fault == .ipAddressSAN
                let finished = try await CommandLineTool.run(
                    openssl,
                    [
                        "s_client", "-connect", "127.0.0.1:\(target.port)", "-verify_return_error", "-brief",
                        "-no-CApath", "-no-CAstore", "-CAfile", root, "-cipher", "DEFAULT@SECLEVEL=2",
                        isAddress ? "-verify_ip" : "-verify_hostname", target.referenceIdentity,
                    ] + (isAddress ? ["-noservername"] : ["-servername", target.referenceIdentity]))
                Self.expectAgreement(of: finished, target)
            }
        }
    }

    @Test("curl agrees about every server", .enabled(if: CommandLineTool.installed("curl") != nil))
    func curlAgrees() async throws {
        let curl = try #require(CommandLineTool.installed("curl"))
        try await withRange { range, root, _ in
            for target in range.targets {
                let authority = "\(target.referenceIdentity):\(target.port)"
                let finished = try await CommandLineTool.run(
                    curl,
                    [
                        "-q", "--silent", "--show-error", "--noproxy", "*", "--tlsv1.2", "--cacert", root,
                        "--ciphers", "DEFAULT@SECLEVEL=2", "--resolve", "\(authority):127.0.0.1",
                        "https://\(authority)/",
                    ])
                Self.expectAgreement(of: finished, target)
            }
        }
    }

    @Test("A server that demands a client's certificate has proven its key all the same, by what it signed")
    func clientCertificateDemanded() async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["a.test"]))
        var configuration = TestTLSServer.Configuration(certificates: [leaf.der], privateKey: leaf.privateKey)
        configuration.requiresClientCertificate = true
        configuration.maximumTLSVersion = .tlsv12
        let server = try await TestTLSServer.start(configuration)
        try await withTemporaryFolder { folder in
            let finished = try await Self.check(
                "a.test:\(server.port)", try folder.file("root.pem", authority.root.pem), ["--format", "json"])
            let answer = try JSONDecoder().decode(CheckAnswer.self, from: Data(finished.output.utf8))
            #expect(finished.status == 0 && answer.verdict == "trusted")
            #expect(answer.servers.first?.evaluation?.verdict == "trusted")
            #expect(answer.servers.first?.tls?.handshake == "completed")
            #expect(answer.servers.first?.problems?.map(\.code) == [])
        }
        try await server.shutdown()
    }

    @Test("What a server has not proven, or what cannot be read, is never trusted")
    func unprovenChains() async throws {
        let authority = try TestAuthority()
        let intermediate = try authority.issue(.intermediate())
        let leaf = try authority.issue(.leaf(dnsNames: ["a.test"]), by: intermediate)
        let root = try ServerTrust.Certificate(der: authority.root.der)
        let check = ServerCheck(settings: CommandTrust([try TrustStore([root])]))
        let good = [leaf.der, intermediate.der]
        for (certificates, handshake, version, verdict) in [
            (good, .completed, .tls13, .trusted), (good, .completed, .tls12, .trusted),
            (good, .completed, nil, .notTrusted), (good, .refused, .tls13, .notTrusted),
            (good, .completed, .tls11, .notTrusted), ([leaf.der], .completed, .tls13, .notTrusted),
            (good + [[0x30, 0x00], []], .completed, .tls13, .trusted),
            ([leaf.der, [0x30, 0x00]], .completed, .tls13, .notTrusted),
            ([[0x30, 0x00], leaf.der, intermediate.der], .completed, .tls13, .notEvaluated),
        ] as [([[UInt8]], PresentedChain.Handshake, TLSProtocolVersion?, ReportVerdict)] {
            let chain = PresentedChain(certificates: certificates, handshake: handshake, protocolVersion: version)
            let endpoint = try TLSEndpoint(host: "a.test")
            let report = ServerReport(endpoint: endpoint, outcome: try await check.judge(chain, of: endpoint))
            #expect(report.verdict == verdict, "\(certificates.count) \(handshake) \(String(describing: version))")
        }
    }

    @Test(
        "Commands have one code for one cause where a server cannot be reached",
        arguments: [("127.0.0.1:9", "connection-refused"), ("no-such-host.invalid:443", "host-not-found")])
    func unreached(server: String, code: String) async throws {
        try await withTemporaryFolder { folder in
            let list = try folder.file("hosts", server + "\n")
            for command in [
                ["check", server, "--format", "json"], ["diagnose", server, "--format", "json"],
                ["ats", "suggest", server, "--format", "json"], ["scan", list, "--quiet"],
            ] {
                let finished = try await CommandLineTool.servertrust(command)
                let codes = finished.output.matches(of: /"code" ?: ?"([a-zA-Z0-9.-]+)"/).map { String($0.1) }
                #expect(finished.status == 2, "\(command): \(finished.errors)")
                #expect(codes.contains(code) && codes.allSatisfy { $0 == $0.lowercased() }, "\(command): \(codes)")
            }
        }
    }

    @Test("The oldest accepted version of TLS can be chosen")
    func minimumVersions() async throws {
        try await withRange([.tls10Only, .goodECDSA]) { range, root, _ in
            for (fault, minimum, status) in [
                (.tls10Only, "1.0", 0), (.tls10Only, "1.1", 1), (.tls10Only, "1.2", 1), (.goodECDSA, "1.3", 0),
            ] as [(TLSFault, String, Int32)] {
                let finished = try await Self.check(try #require(range[fault]), root, ["--minimum-tls", minimum])
                #expect(finished.status == status, "\(fault) \(minimum)")
            }
        }
    }

    @Test("Many servers are reported in their order, and the worst gives the exit code")
    func manyServers() async throws {
        try await withRange([.goodECDSA, .expired]) { range, root, _ in
            let good = "good-ecdsa.range.test:\(try #require(range[.goodECDSA]).port)"
            let expired = "expired.range.test:\(try #require(range[.expired]).port)"
            let servers = [expired] + Array(repeating: good, count: 20) + [expired]
            let two = try await Self.check(servers, root, [])
            #expect(two.status == 1)
            let order = two.output.split(separator: "\n").filter { $0.contains("TRUSTED  ") }
            #expect(order.map { String($0.split(separator: " ").last ?? "") } == servers)
            #expect(two.output.contains("22 servers: 20 trusted, 2 not trusted"))
            let worst = try await Self.check([good, "closed.test:1", expired], root, [])
            #expect(worst.status == 2)
            #expect(worst.errors.hasPrefix("servertrust: closed.test:1: Nothing listens at the port. Check that"))
            #expect(worst.output.contains("1 not evaluated"))
        }
    }

    @Test("A chain that cannot be saved is an error")
    func unsavableChain() async throws {
        try await withRange([.goodECDSA]) { range, root, folder in
            let target = try #require(range.targets.first)
            let finished = try await Self.check(target, root, ["--save-chain", folder.url.path])
            #expect(finished.status == 2 && finished.errors.contains("cannot write the chain"))
        }
    }

    // MARK: - Helpers

    private static func expectAgreement(of finished: Finished, _ target: TestTLSServerRange.Target) {
        let isTrusted = finished.status == 0
        let differs = Self.differsOnPurpose[target.fault] != nil
        #expect((isTrusted == (target.expectation == .trusted)) != differs, "\(target.fault): \(finished.errors)")
    }

    private static func check(
        _ target: TestTLSServerRange.Target, _ root: String, _ options: [String]
    ) async throws -> Finished {
        try await self.check("\(target.referenceIdentity):\(target.port)", root, options)
    }

    private static func check(_ server: String, _ root: String, _ options: [String]) async throws -> Finished {
        try await self.check([server], root, options)
    }

    private static func check(_ servers: [String], _ root: String, _ options: [String]) async throws -> Finished {
        try await CommandLineTool.servertrust(
            ["check"] + servers + ["--connect-to", "127.0.0.1", "--roots", root, "--anchors-only"] + options)
    }
}

/// Runs a test with a range of servers and its root in a file.
func withRange(
    _ faults: [TLSFault] = TLSFault.allCases,
    _ body: (_ range: TestTLSServerRange, _ root: String, _ folder: TemporaryFolder) async throws -> Void
) async throws {
    let range = try await TestTLSServerRange.start(faults)
    do {
        try await withTemporaryFolder { folder in
            try await body(range, try folder.file("root.pem", range.rootPEM), folder)
        }
    } catch {
        try await range.shutdown()
        throw error
    }
    try await range.shutdown()
}
