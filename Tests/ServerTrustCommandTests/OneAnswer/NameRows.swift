//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrustTesting
import TestSupport

/// Wildcards over public suffixes, and names in every spelling: one server, asked for by many names.
enum NameRows {
    /// Wildcards, each with a name that it would stand for.
    private static let wildcards: [(host: String, answer: DoorAnswer)] = [
        ("foo.co.uk", .refused("name-mismatch")), ("a.example.co.uk", .trusted),
        ("a.x.kawasaki.jp", .refused("name-mismatch")), ("a.city.kawasaki.jp", .trusted),
        ("a.github.io", .trusted), ("a.corp.internal", .trusted),
    ]

    /// Hosts as people type them.
    private static let spellings: [(host: String, answer: DoorAnswer)] = [
        ("a.names.test", .trusted), ("A.Names.TEST", .trusted), ("a.names.test.", .trusted),
        ("127.0.0.1", .trusted), ("[::1]", .trusted), ("[0:0:0:0:0:0:0:1]", .trusted),
        ("xn--bcher-kva.names.test", .trusted), ("XN--BCHER-KVA.names.test", .trusted),
        ("x.wild.names.test", .trusted), ("X.WILD.names.test", .trusted),
        ("wild.names.test", .refused("name-mismatch")), ("a.b.wild.names.test", .refused("name-mismatch")),
        ("b.names.test", .refused("name-mismatch")), ("127.0.0.2", .refused("name-mismatch")),
        ("[::2]", .refused("name-mismatch")), ("bücher.names.test", .trusted),
    ]

    static func withWildcards(_ body: (TestCertificate, [DoorRow]) async throws -> Void) async throws {
        let names = [
            "*.co.uk", "*.example.co.uk", "*.x.kawasaki.jp", "*.city.kawasaki.jp", "*.github.io", "*.corp.internal",
        ]
        try await Self.serve(.leaf(dnsNames: names), Self.wildcards, body)
    }

    static func withSpellings(_ body: (TestCertificate, [DoorRow]) async throws -> Void) async throws {
        let names = ["a.names.test", "xn--bcher-kva.names.test", "*.wild.names.test"]
        try await Self.serve(.leaf(dnsNames: names, ipAddresses: ["127.0.0.1", "::1"]), Self.spellings, body)
    }

    /// Text that a resolver takes for an address, and that is no host here. Commands refuse it as an argument.
    static func withoutHost(_ body: (TestCertificate, [DoorRow]) async throws -> Void) async throws {
        try await Self.serve(.leaf(dnsNames: ["a.test"], ipAddresses: ["127.0.0.1"]), [("127.1", .undecided())]) {
            try await body($0, $1.map { $0.notAsking([.proxy], "curl writes the address in four numbers") })
        }
    }

    private static func serve(
        _ leaf: CertificateDescription, _ hosts: [(host: String, answer: DoorAnswer)],
        _ body: (TestCertificate, [DoorRow]) async throws -> Void
    ) async throws {
        let authority = try TestAuthority()
        let configuration = TestTLSServer.Configuration(try authority.issue(leaf))
        try await withTestServer(configuration) { server in
            let rows = hosts.map { host, answer in
                let target = DoorTarget(host: host, port: server.port, chain: configuration.certificates)
                return DoorRow("the host \(host)", target, answer, words: ", not for ")
            }
            try await body(authority.root, rows)
        }
    }
}
