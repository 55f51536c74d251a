//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust
import TLSProbe
import TLSWire
import Testing

/// Kinds of advice, and a server each is for.
private let mended: [(ServerAdvice.Kind, @Sendable () throws -> TestFacts)] = [
    (.speakTLS, { .nothing(.notTLS(beginning: "HTTP/1.1 400 Bad Request")) }),
    (.version, { try .standard([(.tls10, [0xC013])]) }),
    (.cipherSuites, { try .standard([(.tls12, [0x009D, 0x000A])]) }),
    (.extendedMasterSecret, { try .standard([(.tls12, [0xC02F])], extendedMasterSecret: false) }),
    (.key, { try .standard([(.tls13, [0x1301])], [.small]) }),
    (.digest, { try .standard([(.tls13, [0x1301])], [.sha1]) }),
    (.chain, { try .standard([(.tls13, [0x1301])], [.incomplete]) }),
    (.transparency, { try .standard([(.tls13, [0x1301])], [.unlogged]) }),
    (.name, { try .standard([(.tls13, [0x1301])], [.otherName]) }),
    (.renewal, { try .standard([(.tls13, [0x1301])], [.expired]) }),
    (.authority, { try .standard([(.tls13, [0x1301])], [.untrusted]) }),
    (.site, { .refusing(112) }),
    (.groups, { try .standard([(.tls13, [0x1301])]).with { $0.handshake = .failed(.alert(.init(rawValue: 40))) } }),
    (.signatures, { try .standard([(.tls12, [0xC02F])]).with { $0.refusedOffers = [.fcp] } }),
]

/// What must be in the snippets of a kind, for nginx, Apache, HAProxy, Envoy and Caddy.
private let settings: [(ServerAdvice.Kind, [String])] = [
    (
        .version,
        [
            "ssl_protocols TLSv1.2 TLSv1.3;", "SSLProtocol -all +TLSv1.2 +TLSv1.3", "ssl-min-ver TLSv1.2",
            "tls_maximum_protocol_version: TLSv1_3", "protocols tls1.2 tls1.3",
        ]
    ),
    (
        .cipherSuites,
        [
            "ssl_ciphers ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384:AES256-GCM-SHA384;",
            "SSLCipherSuite ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384:AES256-GCM-SHA384",
            "ciphers ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384:AES256-GCM-SHA384",
            "  - ECDHE-RSA-AES256-GCM-SHA384\n  - AES256-GCM-SHA384",
            "ciphers TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        ]
    ),
    (
        .chain,
        [
            "ssl_certificate /etc/ssl/site/fullchain.pem;", "SSLCertificateFile /etc/ssl/site/fullchain.pem",
            "crt /etc/haproxy/site.pem", "certificate_chain:", "tls /etc/caddy/fullchain.pem",
        ]
    ),
    (
        .speakTLS,
        [
            "listen 443 ssl;", "SSLEngine on",
            "bind :443 ssl crt /etc/haproxy/site.pem ssl-min-ver TLSv1.2 ssl-max-ver TLSv1.3",
            "name: envoy.transport_sockets.tls", "https://a.test:443 {",
        ]
    ),
    (
        .groups,
        [
            "ssl_ecdh_curve X25519:prime256v1:secp384r1;", "SSLOpenSSLConfCmd Groups X25519:prime256v1:secp384r1",
            "curves X25519:P-256:P-384", "ecdh_curves: [X25519, P-256, P-384]", "curves x25519 secp256r1 secp384r1",
        ]
    ),
    (
        .signatures,
        [
            "ssl_conf_command SignatureAlgorithms ECDSA+SHA256", "SSLOpenSSLConfCmd SignatureAlgorithms ECDSA+SHA256",
            "sigalgs ECDSA+SHA256", "  - rsa_pkcs1_sha256", "what answers is not Caddy",
        ]
    ),
    (
        .site,
        [
            "server_name a.test;", "ServerAlias a.test", "The file is for a.test", "server_names: [a.test]",
            "https://a.test {",
        ]
    ),
    (.extendedMasterSecret, ["nginx -V", "error log", "haproxy -vv", "always does it", "since 1.21"]),
]

@Suite("What to change at a server")
struct AdviceTests {
    private func advice(_ kind: ServerAdvice.Kind) throws -> ServerAdvice {
        let facts = try #require(mended.first { $0.0 == kind }).1
        return try #require(try facts().diagnosis().advice.first { $0.kind == kind })
    }

    @Test("Advice says why, which answers it changes, and what to write, for every server", arguments: mended.map(\.0))
    func complete(kind: ServerAdvice.Kind) throws {
        let advice = try self.advice(kind)
        #expect(advice.reason.hasSuffix(".") && !advice.subjects.isEmpty && !advice.title.isEmpty)
        #expect(!advice.rows.isEmpty)
        for product in ServerProduct.allCases {
            let snippet = advice.snippet(for: product)
            #expect(!snippet.isEmpty && !snippet.hasSuffix("\n"))
            #expect(snippet.split(separator: "\n").allSatisfy { $0.count <= 400 })
        }
    }

    @Test("Settings are in each server's own words", arguments: settings)
    func words(kind: ServerAdvice.Kind, expected: [String]) throws {
        let advice = try self.advice(kind)
        for (product, text) in zip(ServerProduct.allCases, expected) {
            #expect(advice.snippet(for: product).contains(text), "\(product)")
        }
    }

    @Test("Caddy is given no suites that Go does not have")
    func onlyGo() throws {
        #expect(try self.advice(.cipherSuites).snippet(for: .caddy).hasSuffix("_AES_256_GCM_SHA384"))
    }

    @Test("Suites are those for the server's kind of key, and broken ones are not kept")
    func suites() throws {
        let facts = try TestFacts.standard([(.tls12, [0xC009, 0xC008])], [.curve])
        let advice = try #require(try facts.diagnosis().advice.first { $0.kind == .cipherSuites })
        let snippet = advice.snippet(for: .nginx)
        #expect(snippet.contains("ECDHE-ECDSA-AES128-GCM-SHA256") && !snippet.contains("RSA"))
        #expect(snippet.contains("ECDHE-ECDSA-AES128-SHA") && !snippet.contains("DES"))
        #expect(advice.subjects == [.fcp] && advice.rows == [17])
    }

    @Test("Suites that were not asked for are not thought away")
    func unknownSuites() throws {
        let facts = try TestFacts.ats([(.compatible, .tls12, 0x009D)], refused: [.tls13, .tls11, .tls10])
        let advice = try #require(try facts.diagnosis().advice.first)
        #expect(advice.snippet(for: .nginx).contains("# before the suites that are there"))
    }

    @Test("What a certificate says is never written into a command")
    func hostileNames() throws {
        let snippet = try self.advice(.name).snippet(for: .nginx)
        #expect(snippet.contains("subjectAltName=DNS:a.test,DNS:b.test,DNS:*.c.test\""))
        #expect(!snippet.contains("reboot"))
        let facts = try TestFacts.standard([(.tls13, [0x1301])], [.small])
        let diagnosis = ServerDiagnosis(
            host: "a.test;reboot", facts: facts.facts, trust: [try TestChains.small.chain().trust])
        #expect(diagnosis.advice.allSatisfy { !$0.snippet(for: .apache).contains("reboot") })
    }

    @Test("Suites that anybody can be in the middle of are not kept, nor Diffie-Hellman in a small prime")
    func anonymousSuites() throws {
        // ADH-AES128-SHA256, AECDH-AES128-SHA, DHE-RSA-AES128-GCM-SHA256
        let facts = try TestFacts.standard([(.tls12, [0x006C, 0xC018, 0x009E, 0x009C])])
        func list(_ facts: TestFacts) throws -> String {
            try #require(try facts.diagnosis().advice.first { $0.kind == .cipherSuites }).snippet(for: .nginx)
        }
        let new = "ssl_ciphers ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384"
        #expect(try list(facts).hasSuffix("\(new):DHE-RSA-AES128-GCM-SHA256:AES128-GCM-SHA256;"))
        var groups = GroupFacts(.tls12)
        groups.primeSizes = [2_048, 1_024]
        let small = facts.with { $0.groups = [groups] }
        #expect(try list(small).hasSuffix("\(new):AES128-GCM-SHA256;"))
    }

    @Test("A port where another protocol answers gets no settings of a web server")
    func otherProtocol() throws {
        let diagnosis = try TestFacts.nothing(.notTLS(beginning: "SSH-2.0")).diagnosis()
        #expect(diagnosis[.ats]?.outcome == .failed && diagnosis.advice.isEmpty)
        let reason = try #require(diagnosis.reasons.first)
        #expect(reason.message == "The server does not answer in TLS. Its answer begins “SSH-2.0”.")
    }
}
