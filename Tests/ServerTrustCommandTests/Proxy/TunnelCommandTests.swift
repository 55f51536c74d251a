//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@testable import ServerTrustCommand

@Suite("The proxy with --tunnel, and real programs", .limitedConcurrency, .timeLimit(.minutes(10)))
struct TunnelCommandTests {
    @Test(
        "curl reaches a good server with its own TLS, and reads why a bad one is refused",
        .enabled(if: CommandLineTool.installed("curl") != nil), arguments: ["1.2", "1.3"])
    func curl(version: String) async throws {
        let curl = try #require(CommandLineTool.installed("curl"))
        try await ProxyCommandTests.servers { good, bad, authority in
            try await ProxyCommandTests.with(["--tunnel"], good: good.port, bad: bad.port, authority: authority) {
                scene in
                let given = [
                    "-sSv", "-m", "30", "-x", scene.url, "--cacert", scene.folder.path("anchors.pem"), "--tls-max",
                    version,
                ]
                let fine = try await CommandLineTool.run(curl, given + ["https://server.test/"])
                #expect(fine.status == 0 && fine.output.contains("hello"), "\(fine.errors)")
                let refused = try await CommandLineTool.run(curl, given + ["-k", "https://bad.test/"])
                #expect(refused.status == 56 && refused.errors.contains("403"), "\(refused.errors)")
                #expect(bad.fromClients.hasOnlyHelloAndAlerts)
                let lines = try await scene.log(4).filter { $0["kind"] as? String == "request" }
                #expect(lines.compactMap { $0["verdict"] as? String } == ["trusted", "refused"])
                #expect(lines.compactMap { $0["method"] as? String } == ["CONNECT", "CONNECT"])
                #expect(lines.last?["rule"] as? String == "expired")
                let log = try String(contentsOfFile: scene.folder.path("log"), encoding: .utf8)
                for line in log.split(separator: "\n") {
                    try ProxyCommandTests.expect(String(line), "servertrust.proxy/1")
                }
            }
        }
    }

    @Test(
        "A session of TLS 1.2 that is resumed, and shows no certificate, is refused",
        .enabled(if: CommandLineTool.installed("openssl") != nil))
    func resumption() async throws {
        let openssl = try #require(CommandLineTool.installed("openssl"))
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["server.test"]))
        try await withTemporaryFolder { folder in
            try await OpenSSLServer.with(["-tls1_2", "-www"], [leaf, authority.root]) { port in
                try await ProxyCommandTests.with(["--tunnel"], good: port, bad: port, authority: authority) { scene in
                    let proxy = scene.url.replacing("http://", with: "")
                    for (option, isWhole) in [("-sess_out", true), ("-sess_in", false)] {
                        let finished = try await CommandLineTool.run(
                            openssl,
                            [
                                "s_client", "-proxy", proxy, "-connect", "server.test:443", "-servername",
                                "server.test",
                                "-tls1_2", "-CAfile", scene.folder.path("anchors.pem"), option, folder.path("session"),
                            ])
                        #expect((finished.status == 0) == isWhole, "\(finished.errors)")
                    }
                    let rules = try await scene.log(4).compactMap { $0["rule"] as? String }
                    #expect(rules == ["resumed-session"])
                }
            }
        }
    }
}
