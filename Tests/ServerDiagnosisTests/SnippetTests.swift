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

/// What keeps redirects on https, in the order of the products.
private let redirects = [
    "proxy_redirect http:// https://;", "Header edit Location ^http: https:",
    "http-response replace-header Location ^http:(.*) https:\\1 if { ssl_fc }",
    "(location:gsub(\"^http:\", \"https:\"))", "header_down Location ^http: https:",
    "value=\"https:{R:1}\"", "protocolHeader=\"X-Forwarded-Proto\"", "redirect-rewrite all", "-sslRedirect ENABLED",
]

@Suite("What to write into a configuration")
struct SnippetTests {
    private func snippet(
        _ kind: ServerAdvice.Kind, _ product: ServerProduct, _ facts: TestFacts, host: String = "a.test"
    ) throws -> String {
        let diagnosis = try facts.diagnosis(host: host)
        return try #require(diagnosis.advice.first { $0.kind == kind || $0.others.contains(kind) }).snippet(
            for: product)
    }

    /// A load that is redirected is over TLS already: a server that redirects it again to the same URL does so for ever.
    @Test(
        "A redirect to http is mended where it is written, and by no redirect to https",
        arguments: ServerProduct.allCases.filter { !$0.isMailServer })
    func redirect(product: ServerProduct) throws {
        let target = ATSDestination(host: "a.test", scheme: .http)
        let advice = try TestFacts.standard([(.tls13, [0x1301])]).diagnosis(redirects: [target]).advice
        #expect(advice.map(\.kind) == [.redirect])
        let text = try #require(advice.first).snippet(for: product)
        #expect(zip(ServerProduct.allCases, redirects).contains { $0.0 == product && text.contains($0.1) })
        #expect(text.contains("the application's base URL") && text.contains("X-Forwarded-Proto"))
        let circles = ["return 30", "RewriteRule", "redir ", "redirect scheme", "https_redirect"]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            #expect(!circles.contains { line.contains($0) })
        }
    }

    @Test("TLS is turned on at the port that was asked, in one line or block", arguments: ServerProduct.allCases)
    func listening(product: ServerProduct) throws {
        let facts = TestFacts.nothing(.notTLS(beginning: "HTTP/1.1")).with { $0.address = "[2001:db8::1]:8443" }
        let text = try self.snippet(.speakTLS, product, facts)
        #expect(text.contains("8443"))
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n")
        for word in ["bind ", "tls /", "tls_params:", "listen ", "SSLEngine "] {
            #expect(lines.ranges(of: word).count <= 1, "\(word)")
        }
    }

    @Test("Settings of several pieces of advice can stand side by side", arguments: ServerProduct.allCases)
    func sideBySide(product: ServerProduct) throws {
        let facts = try TestFacts.standard([(.tls11, [0xC013])])
        let version = try self.snippet(.version, product, facts)
        let suites = try self.snippet(.cipherSuites, product, try .standard([(.tls12, [0x009D])]))
        #expect(version.split(separator: "\n").first == suites.split(separator: "\n").first)
        for text in [version, suites] {
            let blocks = ["tls {", "tls_params:"] + (product == .netscaler ? [] : ["bind "])
            #expect(!blocks.contains { text.contains("\n\($0)") })
        }
    }

    @Test("A larger key is of the old kind, which the suites that are there go with")
    func keys() throws {
        let rsa = try TestFacts.standard([(.tls12, [0x002F])], [.small])
        #expect(try self.snippet(.key, .nginx, rsa).contains("-newkey rsa:2048 "))
        #expect(try self.snippet(.cipherSuites, .nginx, rsa).contains("ssl_ciphers ECDHE-RSA-AES128-GCM-SHA256:"))
        let both = try TestFacts.standard([(.tls12, [0xC02F, 0xC02B])], [.curve, .small])
        #expect(try self.snippet(.key, .nginx, both).contains("-newkey rsa:2048 "))
        let edwards = try TestFacts.standard([(.tls13, [0x1301])], [.edwards])
        #expect(try self.snippet(.key, .nginx, edwards).contains("-newkey ec -pkeyopt ec_paramgen_curve:P-256 "))
    }

    @Test("A host that is too long for a common name is an alternative name only")
    func longHost() throws {
        let facts = try TestFacts.standard([(.tls13, [0x1301])], [.otherName])
        let host = String(repeating: "a", count: 60) + ".test"
        let text = try self.snippet(.name, .nginx, facts, host: host)
        #expect(text.contains(" -subj / -addext \"subjectAltName=DNS:\(host),"))
        #expect(try self.snippet(.name, .nginx, facts).contains(" -subj /CN=a.test -addext "))
    }
}
