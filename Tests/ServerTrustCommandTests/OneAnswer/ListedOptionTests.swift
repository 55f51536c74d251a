//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrustTesting
import SwiftASN1
import TestSupport
import Testing
import X509

/// An option about trust, and its effect on a server that is trusted with a note for lack of newer data.
private struct ListedOption: Sendable, CustomTestStringConvertible {
    let words: [String]
    /// The exit code of `get`.
    let status: Int32
    let reason: String

    var testDescription: String { self.words.isEmpty ? "none" : self.words.joined(separator: " ") }

    static let all = [
        ListedOption(words: [], status: 0, reason: ""),
        ListedOption(words: ["--at", "2001-01-01"], status: 1, reason: "is not valid before"),
        ListedOption(words: ["--require-apple-data"], status: 2, reason: "Only a newer list of logs can tell"),
    ]
}

@Suite("Options that a command lists work", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ListedOptionTests {
    /// Starts a server below a public root, whose log the data of Apple's are too old to know.
    private static func withServer(_ body: (Int, _ data: String, DoorScene) async throws -> Void) async throws {
        let authority = try TestAuthority()
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        let value = DER.octetString(PublicTrustTests.unknownLogs)
        description.extraExtensions = [
            X509.Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 11129, 2, 4, 2], critical: false, value: value[...])
        ]
        let leaf = try authority.issue(description)
        try await withTestServer(TestTLSServer.Configuration(leaf)) { server in
            let target = DoorTarget(host: "a.test", port: server.port, chain: [leaf.der])
            try await DoorScene.with(authority.root.pem, [target]) { scene in
                let (_, data) = try PublicTrustTests.program(
                    scene.folder.path("."), fetched: Date(timeIntervalSinceNow: -61 * 86_400),
                    root: try CertificateView(der: authority.root.der))
                try await body(server.port, data, scene)
            }
        }
    }

    @Test("An option about trust that get lists has its effect", arguments: ListedOption.all)
    private func get(option: ListedOption) async throws {
        try await Self.withServer { port, data, _ in
            let finished = try await CommandLineTool.servertrust(
                ["get", "https://a.test:\(port)/", "--connect-to", "::127.0.0.1:", "-o", "/dev/null"]
                    + ["--apple-data", data] + option.words)
            #expect(finished.status == option.status, "\(finished.errors)")
            #expect(option.reason.isEmpty || finished.errors.contains(option.reason), "\(finished.errors)")
        }
    }

    @Test(
        "An option about trust that proxy lists has its effect",
        .enabled(if: DoorTable.isRunning("curl"), "curl is not installed"), arguments: ListedOption.all)
    private func proxy(option: ListedOption) async throws {
        try await Self.withServer { _, data, scene in
            let answer = try #require(
                try await scene.proxied(with: ["--apple-data", data] + option.words)[0][.trust])
            #expect(DoorAnswer(answer).verdict == (option.status == 0 ? .trusted : .refused), "\(answer)")
            #expect(answer.text.contains(option.reason) || option.reason.isEmpty, "\(answer)")
        }
    }
}
