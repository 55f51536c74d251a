//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import NIOSSL
import ReportSupport
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

/// Arguments that make no sense, and a word of what is said about them.
private let wrongArguments: [([String], String)] = [
    (["http://a.test"], "https"), (["a.test", "--fail-on", "plist"], "--plist"), (["a.test", "--fail-on", "18"], "17"),
    (["a.test", "--client", "web"], "--plist"), (["a.test", "--confirm", "--sni", "b.test"], "--sni"),
    (["a.test", "b.test", "--format", "nscurl"], "one URL"),
    (["a.test", "--target-os", "ios18", "--fail-on", "fcp"], "no such question"),
    (["a.test", "--server", "nosuch"], "nosuch"), (["a.test", "--format", "csv", "--server", "caddy"], "--server"),
    (["a.test", "--format", "json", "--verbose"], "--verbose"),
    (["a.test", "--watch", "1m", "--verbose"], "--verbose"),
    (["a.test", "--watch", "1m", "--server", "caddy"], "--server"),
    (["a.test", "--watch", "1m", "--fail-on", "7"], "--fail-on"),
    (["a.test", "--watch", "1m", "--redirects"], "--redirects"),
    (["a.test", "--plist", "/nonexistent/Info.plist"], "/nonexistent/Info.plist"), ([], "url"),
]

@Suite("servertrust diagnose", .limitedConcurrency, .timeLimit(.minutes(10)))
struct DiagnoseCommandTests {
    @Test("Mistakes are said in one line, and no server is connected to", arguments: wrongArguments)
    private func mistakes(arguments: [String], word: String) async throws {
        let finished = try await CommandLineTool.servertrust(["diagnose"] + arguments)
        // A program that asked for JSON reads the mistake as JSON, too.
        let isJSON = finished.output.contains("\"format\" : \"servertrust.error/1\"")
        #expect(finished.status == 2 && (arguments.contains("json") ? isJSON : finished.output.isEmpty))
        #expect(finished.errors.contains(word), "\(finished.errors)")
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
