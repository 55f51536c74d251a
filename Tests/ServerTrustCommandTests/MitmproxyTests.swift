//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

/// A real man in the middle, whose root the system's store has: what pins are for.
@Suite(
    .limitedConcurrency, .timeLimit(.minutes(10)),
    .enabled(
        if: CommandLineTool.installed("mitmdump") != nil,
        "mitmproxy is not installed: `pip install mitmproxy`, and have mitmdump in PATH"))
struct MitmproxyTests {
    /// A server behind mitmproxy, and a store with both roots as the system's.
    private struct Scene {
        let server: TestTLSServerRange.Target
        let proxyPort: Int
        let store: String
        let folder: TemporaryFolder

        /// What `check` says, of the server through the proxy or past it.
        func check(throughProxy: Bool, _ more: [String] = []) async throws -> (status: Int32, answer: CheckAnswer) {
            let port = throughProxy ? self.proxyPort : self.server.port
            let finished = try await CommandLineTool.servertrust(
                [
                    "check", "\(self.server.host):\(port)", "--connect-to", "127.0.0.1", "--roots", "system",
                    "--format", "json",
                ] + more, environment: ["SSL_CERT_FILE": self.store])
            return (finished.status, try JSONDecoder().decode(CheckAnswer.self, from: Data(finished.output.utf8)))
        }

        /// A configuration of one pin for the server's host, whatever the port.
        func pins(_ pin: Pin) throws -> String {
            try self.folder.file(
                "pins-\(UUID().uuidString).json",
                #"{"format": "servertrust.pins/1", "domains": [{"host": "\#(self.server.host)", "pins": ["\#(pin)"]}]}"#
            )
        }
    }

    private static func withScene(_ body: (Scene) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try await withTestServers([.goodRSA]) { range in
                let target = try #require(range[.goodRSA])
                let proxy = [
                    "--mode", "reverse:https://127.0.0.1:\(target.port)", "--listen-host", "127.0.0.1", "--listen-port",
                    "0",
                    "--set", "confdir=\(folder.path("mitmproxy"))", "--set", "ssl_insecure=true",
                ]
                try await Service.with("mitmdump", proxy, in: folder, portAfter: #"listening at 127\.0\.0\.1:"#) {
                    port in
                    let root = try String(
                        contentsOfFile: folder.path("mitmproxy/mitmproxy-ca-cert.pem"), encoding: .utf8)
                    let store = try folder.file("store.pem", root + range.rootPEM)
                    try await body(Scene(server: target, proxyPort: port, store: store, folder: folder))
                }
            }
        }
    }

    @Test func `Without pins the man in the middle passes, with the server's pin he does not`() async throws {
        try await Self.withScene { scene in
            let open = try await scene.check(throughProxy: true)
            #expect(open.status == 0, "the attack must work, or the test shows nothing")
            let issuer = try #require(open.answer.servers.first?.evaluation?.path.first?.issuer)
            #expect(issuer.contains("mitmproxy"))

            let genuine = try scene.server.certificates.map { try Certificate(der: $0) }
            for certificate in genuine {
                let pins = try scene.pins(Pin(keyOf: certificate))
                #expect(try await scene.check(throughProxy: false, ["--pins", pins]).status == 0)
                let caught = try await scene.check(throughProxy: true, ["--pins", pins])
                #expect(caught.status == 1)
                let evaluation = try #require(caught.answer.servers.first?.evaluation)
                #expect(evaluation.reasons.map(\.code) == ["path-not-pinned"])
                #expect(evaluation.pinning?.status == "mismatched")
                #expect(evaluation.pinning?.configuredPins == ["\(Pin(keyOf: certificate))"])
            }
        }
    }

    @Test func `pins check tells that the host would be locked out, and by whom`() async throws {
        try await Self.withScene { scene in
            let leaf = try Certificate(der: scene.server.certificates[0])
            let finished = try await CommandLineTool.servertrust(
                [
                    "pins", "check", try scene.pins(Pin(keyOf: leaf)), "--against",
                    "\(scene.server.host):\(scene.proxyPort)", "--connect-to", "127.0.0.1", "--roots", "system",
                ], environment: ["SSL_CERT_FILE": scene.store])
            #expect(finished.status == 1)
            #expect(finished.output.contains("WOULD FAIL"))
            #expect(finished.output.contains("mitmproxy") && finished.output.contains("\(Pin(keyOf: leaf))"))
        }
    }
}
