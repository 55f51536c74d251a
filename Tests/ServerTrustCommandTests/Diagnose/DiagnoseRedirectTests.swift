//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrustTesting
import TestSupport
import Testing

/// Where the page of a server that passes redirects to, what the other server there takes, and what comes of it: the exit code,
/// and words of the report.
private struct RedirectCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The suites of the other server; `nil` without one.
    var suites: String?
    /// The field Location, with the ports of both servers.
    let location: @Sendable (_ own: Int, _ other: Int) -> String
    let status: Int32
    let words: [String]
    /// Words that the report of `diagnose` must not have.
    var absent: [String] = []
}

private let redirectCases: [RedirectCase] = [
    RedirectCase(
        testDescription: "another server that passes", suites: "ECDHE-RSA-AES128-GCM-SHA256",
        location: { "https://localhost:\($1)/page" }, status: 0, words: ["redirects to https://localhost:"]),
    RedirectCase(
        testDescription: "a local server, which need not pass", suites: "AES128-SHA",
        location: { "https://localhost:\($1)/page" }, status: 0, words: ["redirects to https://localhost:"]),
    RedirectCase(
        testDescription: "another port of the same host that does not", suites: "AES128-SHA",
        location: { "https://a.test:\($1)/page" }, status: 1, words: ["After the redirect to https://a.test:"]),
    RedirectCase(
        testDescription: "a server that is not there", location: { _, _ in "https://localhost:1/" }, status: 2,
        words: ["what comes of it is not known"]),
    RedirectCase(
        testDescription: "a name that is not trusted", suites: "ECDHE-RSA-AES128-GCM-SHA256",
        location: { "https://127.0.0.1:\($1)/page" }, status: 1, words: ["After the redirect to https://127.0.0.1:"]),
    RedirectCase(
        testDescription: "plain HTTP", location: { _, _ in "http://b.test/" }, status: 1, words: ["over plain HTTP"],
        absent: ["unknown-redirect"]),
    RedirectCase(
        testDescription: "plain HTTP at a local host, which is allowed and not asked for",
        location: { _, _ in "http://localhost:1/" }, status: 2, words: ["plain HTTP at another host"]),
    RedirectCase(
        testDescription: "no place", location: { _, _ in "gopher://a.test/" }, status: 2, words: ["not known"]),
    RedirectCase(
        testDescription: "itself", location: { own, _ in "https://a.test:\(own)/end" }, status: 0, words: ["PASS"]),
]

@Suite(
    "Redirects of a server that is diagnosed", .enabled(if: CommandLineTool.installed("openssl") != nil),
    .limitedConcurrency)
struct DiagnoseRedirectTests {
    @Test("The load passes where every server on its way does", arguments: redirectCases)
    private func redirect(example: RedirectCase) async throws {
        try await withTemporaryFolder { folder in
            let roots = try Self.identity(in: folder)
            _ = try folder.file("end", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")
            try await Self.withServer(example.suites, "page", "HTTP/1.0 204 No Content\r\n\r\n", folder) { other in
                try await Self.withServer("ECDHE-RSA-AES128-GCM-SHA256", nil, nil, folder) { own in
                    let location = example.location(own, other)
                    _ = try folder.file("start", "HTTP/1.0 302 Found\r\nLocation: \(location)\r\n\r\n")
                    let options = [
                        "https://a.test:\(own)/start", "--connect-to", "127.0.0.1", "--roots", roots, "--anchors-only",
                    ]
                    let finished = try await CommandLineTool.servertrust(["diagnose", "--plan", "ats"] + options)
                    #expect(finished.status == example.status, "\(finished.output)\(finished.errors)")
                    for word in example.words { #expect(finished.output.contains(word), "\(finished.output)") }
                    for word in example.absent { #expect(!finished.output.contains(word), "\(finished.output)") }
                    // The others ask for the same page, and give the same answer.
                    for command in [["check", "--ats", "default"], ["ats", "suggest"]] {
                        let other = try await CommandLineTool.servertrust(command + options)
                        #expect(other.status == example.status, "\(command): \(other.output)\(other.errors)")
                    }
                }
            }
        }
    }

    /// A certificate for both hosts in files; returns the path of its root.
    private static func identity(in folder: TemporaryFolder) throws -> String {
        var root = CertificateDescription.root()
        root.keyKind = .rsa2048
        let authority = try TestAuthority(root: root)
        var description = CertificateDescription.leaf(dnsNames: ["a.test", "localhost"])
        description.keyKind = .rsa2048
        // Static RSA needs a key that may encipher.
        description.keyUsage = nil
        let leaf = try authority.issue(description)
        _ = try folder.file("leaf.pem", leaf.pem)
        _ = try folder.file("leaf.key", leaf.privateKey.pem)
        return try folder.file("root.pem", authority.root.pem)
    }

    /// A server of TLS 1.2 that answers requests with the files of the folder; none without suites.
    private static func withServer(
        _ suites: String?, _ name: String?, _ answer: String?, _ folder: TemporaryFolder,
        _ body: (Int) async throws -> Void
    ) async throws {
        guard let suites else { return try await body(1) }
        if let name, let answer { _ = try folder.file(name, answer) }
        let arguments = ["s_server", "-accept", "127.0.0.1:0", "-HTTP", "-tls1_2", "-cipher", suites]
        try await Service.with(
            "openssl", arguments + ["-cert", "leaf.pem", "-key", "leaf.key"], in: folder,
            portAfter: "ACCEPT 127\\.0\\.0\\.1:", body)
    }
}
