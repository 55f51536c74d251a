//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import ReportSupport
import ServerDiagnosis
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

@Suite("One answer about a server, whichever command asks", .limitedConcurrency, .timeLimit(.minutes(10)))
struct OneAnswerTests {
    @Test("Every door answers alike", arguments: DoorTable.available)
    func doors(table: DoorTable) async throws { try await table.check() }

    @Test(
        "The reason is told about servers that differ in groups, signatures, suites and client certificates",
        .enabled(if: DoorTable.isRunning("openssl"), "openssl is not installed"), arguments: AnsweredServer.all)
    func reasons(server: AnsweredServer) async throws {
        let authority = try TestAuthority()
        try await withTemporaryFolder { folder in
            let root = try folder.file("root.pem", authority.root.pem)
            try await OpenSSLServer.with(server.options, try server.chain(of: authority)) { port in
                try await Self.checkReasons(server, port, root)
            }
        }
    }

    @Test(
        "A fact that is missing makes check undecided, and never trusted",
        arguments: [
            ([0xC02F], nil, .trusted), ([0xC02F], .reset, .notEvaluated), ([0x009D], nil, .notTrusted),
        ] as [([UInt16], ConnectionFailure?, ReportVerdict)])
    private func undecided(suites: [UInt16], failure: ConnectionFailure?, expected: ReportVerdict) async throws {
        let fixture = try DiagnosisFixture()
        let check = ServerCheck(settings: CommandTrust([try TrustStore([fixture.authority.root.trustCertificate])]))
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
            #expect(finished.status == (server.answer == .failed ? 1 : 0), "\(command): \(finished.output)")
            #expect(server.answer == .failed || !finished.output.contains("Enable ECDHE"), "\(finished.output)")
            #expect(!finished.output.contains("machines of different settings"), "\(finished.output)")
        }
        guard server.answer == .failed, let reason = server.reason else { return }
        let json = try await CommandLineTool.servertrust(["check", "--ats", "default", "--format", "json"] + options)
        #expect(!json.errors.contains("none of the offered cipher suites"), "\(json.errors)")
        #expect(json.errors.isEmpty || json.errors.contains(reason), "\(json.errors)")
    }
}
