//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing

@testable import ServerDiagnosis

/// What is advised is what the servers themselves take, each by itself and all side by side.
@Suite("Advice, as servers read it", .limitedConcurrency, .timeLimit(.minutes(10)))
struct AdviceSnippetTests {
    @Test(
        .enabled(if: CommandLineTool.installed("nginx") != nil, "nginx is not installed: apt install nginx"),
        arguments: ServerAdvice.Kind.allCases.map { [$0] } + [Self.settings, [.site, .site]])
    func `nginx takes what is advised`(_ kinds: [ServerAdvice.Kind]) async throws {
        try await self.check("nginx", ["-t", "-c"], kinds) { folder in
            let text = Self.text(kinds, .nginx, folder)
            let listen = text.contains("\nlisten ") ? "" : "listen 127.0.0.1:8443 ssl;"
            let (chain, key) = (folder.path("fullchain.pem"), folder.path("privkey.pem"))
            let files = "ssl_certificate \(chain); ssl_certificate_key \(key);"
            let location = kinds == [.redirect] ? text : ""
            return """
                pid \(folder.path("pid")); error_log stderr;
                events {}
                http {
                    access_log off;
                    server {
                        \(listen)
                        \(text.contains("\nssl_certificate ") ? "" : files)
                        \(kinds == [.redirect] ? "" : text)
                        location / {
                            proxy_pass http://127.0.0.1:8080;
                            \(location)
                        }
                    }
                }
                """
        }
    }

    @Test(
        .enabled(if: CommandLineTool.installed("apache2") != nil, "Apache is not installed: apt install apache2"),
        arguments: ServerAdvice.Kind.allCases.map { [$0] } + [Self.settings, [.site, .site]])
    func `Apache takes what is advised`(_ kinds: [ServerAdvice.Kind]) async throws {
        try await self.check("apache2", ["-t", "-f"], kinds) { folder in
            let text = Self.text(kinds, .apache, folder)
            let files =
                "SSLCertificateFile \(folder.path("fullchain.pem"))\nSSLCertificateKeyFile \(folder.path("privkey.pem"))"
            let modules = ["mpm_event", "authz_core", "ssl", "headers"].map { name in
                "LoadModule \(name)_module /usr/lib/apache2/modules/mod_\(name).so"
            }
            return """
                \(modules.joined(separator: "\n"))
                ServerRoot \(folder.url.path)
                ServerName localhost
                ErrorLog \(folder.path("log"))
                Listen 127.0.0.1:8443
                <VirtualHost *:8443>
                \(text.contains("\nSSLEngine ") ? "" : "SSLEngine on")
                \(text.contains("\nSSLCertificateFile ") ? "" : files)
                \(text)
                </VirtualHost>
                """
        }
    }

    /// Before HAProxy 2.8 there is no option for signatures, as is said with it.
    @Test(
        .enabled(if: CommandLineTool.installed("haproxy") != nil, "HAProxy is not installed: apt install haproxy"),
        arguments: (ServerAdvice.Kind.allCases.map { [$0] } + [Self.settings, [.site, .site]]).map {
            $0.filter { $0 != .signatures }
        }
        .filter { !$0.isEmpty })
    func `HAProxy takes what is advised`(_ kinds: [ServerAdvice.Kind]) async throws {
        try await self.check("haproxy", ["-c", "-f"], kinds) { folder in
            let lines = Self.text(kinds, .haproxy, folder).split(separator: "\n").filter { !$0.hasPrefix("#") }
            let isOfFrontend = lines.contains { $0.hasPrefix("bind ") || $0.hasPrefix("http-re") }
            let options = isOfFrontend ? "" : lines.joined(separator: " ")
            let bind = "bind 127.0.0.1:8443 ssl crt \(folder.path("site.pem")) \(options)"
            return """
                defaults
                  mode http
                  timeout client 5s
                  timeout server 5s
                  timeout connect 5s
                frontend site
                  \(lines.contains { $0.hasPrefix("bind ") } ? "" : bind)
                  \(isOfFrontend ? lines.joined(separator: "\n  ") : "")
                  http-request deny

                """
        }
    }

    /// What can be asked of one server at the same time.
    private static let settings: [ServerAdvice.Kind] = [.version, .cipherSuites, .groups, .signatures, .chain]

    private func check(
        _ program: String, _ arguments: [String], _ kinds: [ServerAdvice.Kind],
        _ configuration: (TemporaryFolder) -> String
    ) async throws {
        let path = try #require(CommandLineTool.installed(program))
        try await withTemporaryFolder { folder in
            var description = CertificateDescription.leaf(dnsNames: ["a.test"])
            description.keyKind = .rsa2048
            let leaf = try TestAuthority().issue(description)
            _ = try folder.file("fullchain.pem", leaf.pem)
            _ = try folder.file("privkey.pem", leaf.privateKey.pem)
            _ = try folder.file("site.pem", leaf.pem + leaf.privateKey.pem)
            let text = configuration(folder)
            let finished = try await CommandLineTool.run(path, arguments + [try folder.file("configuration", text)])
            #expect(finished.status == 0, "\(finished.errors)\(finished.output)\n\(text)")
        }
    }

    /// The advice as it is written, with the files of the folder.
    private static func text(
        _ kinds: [ServerAdvice.Kind], _ product: ServerProduct, _ folder: TemporaryFolder
    ) -> String {
        // Two of the same site: one that answers by its name, and one that answers without.
        let sendsName = kinds != [.site, .site]
        let kinds = sendsName ? kinds : [.site]
        let suites = [0xC02F, 0xC030].map(CipherSuite.init)
        let context = AdviceContext(
            host: "a.test", isAddress: false, names: ["DNS:*.b.test"], suites: suites,
            present: [CipherSuite(rawValue: 0x009D)], needsRSAKey: true, port: 8_443, sentName: sendsName,
            needsNewKey: false, certificateRemedies: [], needsOtherIssuer: false,
            authorityRemedies: ["Make the root again."])
        let writer = SnippetWriter(syntax: product.syntax, context: context)
        return kinds.map { "\n\(writer.text(for: [$0]))" }.joined()
            .replacing("/etc/ssl/site", with: folder.url.path).replacing("/etc/haproxy", with: folder.url.path)
    }
}
