//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import NIOSSL
import ServerDiagnosis
import ServerTrust
import ServerTrustTesting
import TLSProbe
import TLSWire
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

/// What --fail-on names, and the exit codes for a server without forward secrecy on iOS 27.
private let criteria: [(FailCriterion, ReportVerdict)] = [
    (.subject(.ats), .notTrusted), (.subject(.fcp), .notTrusted), (.subject(.trust), .trusted), (.row(1), .notTrusted),
    (.row(2), .trusted), (.row(7), .trusted), (.row(3), .notTrusted), (.row(17), .notTrusted),
]

/// Arguments that make no sense, and a word of what is said about them.
private let wrongArguments: [([String], String)] = [
    (["http://a.test"], "https"), (["a.test", "--fail-on", "plist"], "--plist"), (["a.test", "--fail-on", "18"], "17"),
    (["a.test", "--client", "web"], "--plist"), (["a.test", "--confirm", "--sni", "b.test"], "--sni"),
    (["a.test", "b.test", "--format", "nscurl"], "one URL"),
    (["a.test", "--target-os", "ios18", "--fail-on", "fcp"], "no such question"),
    (["a.test", "--server", "iis"], "iis"), (["a.test", "--format", "csv", "--server", "caddy"], "--server"),
    (["a.test", "--format", "json", "--verbose"], "--verbose"),
    (["a.test", "--watch", "1m", "--verbose"], "--verbose"),
    (["a.test", "--watch", "1m", "--server", "caddy"], "--server"),
    (["a.test", "--watch", "1m", "--fail-on", "7"], "--fail-on"),
    (["a.test", "--watch", "1m", "--redirects"], "--redirects"),
    (["a.test", "--plist", "/nonexistent/Info.plist"], "/nonexistent/Info.plist"), ([], "url"),
]

@Suite("servertrust diagnose", .limitedConcurrency, .timeLimit(.minutes(10)))
struct DiagnoseCommandTests {
    @Test("What --fail-on names decides the exit code", arguments: criteria)
    private func criterion(criterion: FailCriterion, verdict: ReportVerdict) async throws {
        let fixture = try DiagnosisFixture()
        let server = try await fixture.server(fixture.facts([(.tls12, [0x009D])]))
        #expect(server.verdict(by: criterion) == verdict)
    }

    @Test("What is not known, or contradicted, is exit code 2")
    func unknown() async throws {
        let fixture = try DiagnosisFixture()
        var facts = fixture.facts([(.tls12, [0xC02F])])
        var server = try await fixture.server(facts)
        #expect(server.verdict(by: .subject(.ats)) == .trusted)
        let test = try #require(server.diagnosis.row(1)?.test)
        server.confirmations = [Confirmation(test: test, computed: .passed, observed: .unknown, violation: nil)]
        #expect(server.verdict(by: .subject(.ats)) == .trusted && server.complaints.isEmpty)
        server.confirmations = [Confirmation(test: test, computed: .passed, observed: .failed, violation: nil)]
        #expect(server.verdict(by: .subject(.ats)) == .notEvaluated && server.complaints.count == 1)
        facts.versions[0] = VersionFact(.tls13, .unknown(.reset))
        #expect(try await fixture.server(facts).verdict(by: .subject(.ats)) == .notEvaluated)
    }

    @Test("Mistakes are said in one line, and no server is connected to", arguments: wrongArguments)
    private func mistakes(arguments: [String], word: String) async throws {
        let finished = try await CommandLineTool.servertrust(["diagnose"] + arguments)
        // A program that asked for JSON reads the mistake as JSON, too.
        let isJSON = finished.output.contains("\"format\" : \"servertrust.error/1\"")
        #expect(finished.status == 2 && (arguments.contains("json") ? isJSON : finished.output.isEmpty))
        #expect(finished.errors.contains(word), "\(finished.errors)")
    }

    @Test("An Info.plist is held against the server, with the key and the line that decide")
    func app() async throws {
        let fixture = try DiagnosisFixture()
        try await withTemporaryFolder { folder in
            let file = try folder.file(
                "Info.plist",
                """
                <plist><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict>
                <key>a.test</key><dict>
                <key>NSExceptionRequiresForwardSecrecy</key><false/>
                </dict></dict></dict></dict></plist>
                """)
            let policy = ATSPolicy(try InfoPropertyList(contentsOf: file))
            let app = ServerDiagnoser.App(policy: policy, name: file)
            let server = try await fixture.server(fixture.facts([(.tls12, [0x009D])]), app: app)
            #expect(server.verdict(by: .subject(.plist)) == .trusted)
            #expect(server.verdict(by: .subject(.ats)) == .notTrusted)
            let lines = server.appLines.flatMap(\.values)
            #expect(lines.contains { $0.contains("NSExceptionRequiresForwardSecrecy, line 3") }, "\(lines)")
        }
    }

    @Test("A server is asked, confirmed, and diagnosed", arguments: [true, false])
    func server(isModern: Bool) async throws {
        let fixture = try DiagnosisFixture()
        var configuration = TestTLSServer.Configuration(
            certificates: [fixture.leaf.der], privateKey: fixture.leaf.privateKey)
        if !isModern { configuration.maximumTLSVersion = .tlsv11 }
        let server = try await TestTLSServer.start(configuration)
        do {
            try await withTemporaryFolder { folder in
                let roots = try folder.file("root.pem", fixture.authority.root.pem)
                let finished = try await CommandLineTool.servertrust([
                    "diagnose", "a.test:\(server.port)", "--connect-to", "127.0.0.1", "--roots", roots,
                    "--anchors-only", "--confirm", "--target-os", "ios18", "--server", "caddy",
                ])
                #expect(finished.status == (isModern ? 0 : 1), "\(finished.output)\(finished.errors)")
                #expect(finished.output.contains("a real connection came to \(isModern ? "PASS" : "FAIL")"))
                #expect(finished.output.contains("protocols tls1.2 tls1.3") == !isModern)
            }
        } catch {
            try await server.shutdown()
            throw error
        }
        try await server.shutdown()
    }

    @Test("A port without a server is neither yes nor no")
    func closedPort() async throws {
        let server = try await TestTLSServer.start(.init(try DiagnosisFixture().leaf))
        try await server.shutdown()
        let finished = try await CommandLineTool.servertrust([
            "diagnose", "a.test:\(server.port)", "--connect-to", "127.0.0.1", "--timeout", "2",
        ])
        #expect(finished.status == 2)
        #expect(finished.output.contains("UNKNOWN  App Transport Security"))
        #expect(finished.errors.contains("Nothing listens at the port."))
    }
}
