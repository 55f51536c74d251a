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

    /// Java starts for each, so that all advice about one element is read at once.
    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: Self.catalina), "Tomcat is not installed: apt install tomcat10"),
        arguments: [
            [.version, .cipherSuites, .groups, .signatures, .chain], [.newSuites, .extendedMasterSecret], [.site],
            [.site, .site],
            [.applicationProtocols], [.redirect], [.speakTLS],
        ] as [[ServerAdvice.Kind]])
    func `Tomcat takes what is advised`(_ kinds: [ServerAdvice.Kind]) async throws {
        try await withTemporaryFolder { folder in
            try Self.writeCertificate(in: folder)
            let text = Self.text(kinds, .tomcat, folder).replacing("conf/", with: "\(folder.url.path)/")
            let lines = text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
                .map { $0.replacing("port=\"8443\"", with: "port=\"0\"") }
            try FileManager.default.createDirectory(
                at: folder.url.appendingPathComponent("conf"), withIntermediateDirectories: true)
            try Data(Self.server(lines, in: folder).utf8).write(
                to: folder.url.appendingPathComponent("conf/server.xml"))
            let finished = try await CommandLineTool.run(
                "/bin/sh", [Self.catalina, "configtest"],
                environment: ["CATALINA_BASE": folder.url.path, "JAVA_HOME": "", "PATH": "/usr/bin:/bin"])
            let said = finished.output + finished.errors
            #expect(finished.status == 0 && !said.contains("WARNING") && !said.contains("SEVERE"), "\(said)\n\(lines)")
        }
    }

    private static let catalina = "/usr/share/tomcat10/bin/catalina.sh"

    /// A configuration with the lines in the places that they name.
    private static func server(_ lines: [String], in folder: TemporaryFolder) -> String {
        let attributes = lines.filter { ["protocols=", "ciphers=", "cipherSuites="].contains(where: $0.hasPrefix) }
        let ofConnector = lines.filter { $0.hasPrefix("default") }
        let certificate = lines.filter { $0.hasPrefix("<Certificate") }
        let valve = lines.filter { $0.hasPrefix("<Valve") }
        let rest = lines.filter { !(attributes + ofConnector + certificate + valve).contains($0) }
        let isWhole = rest.contains { $0.hasPrefix("<Connector") }
        let files =
            "<Certificate certificateFile=\"\(folder.path("fullchain.pem"))\" certificateKeyFile=\"\(folder.path("privkey.pem"))\" />"
        let connector = """
            <Connector port="0" protocol="HTTP/1.1" SSLEnabled="true" \(ofConnector.joined(separator: " "))>
              <SSLHostConfig \(attributes.joined(separator: " "))>\(certificate.isEmpty ? files : certificate[0])</SSLHostConfig>
              \(rest.joined(separator: "\n"))
            </Connector>
            """
        return """
            <Server port="-1" shutdown="SHUTDOWN">
              <Service name="Catalina">
                \(isWhole ? rest.joined(separator: "\n") : connector)
                <Engine name="Catalina" defaultHost="localhost">
                  <Host name="localhost" appBase="webapps">\(valve.joined())</Host>
                </Engine>
              </Service>
            </Server>
            """
    }

    @Test(
        .enabled(if: CommandLineTool.installed("caddy") != nil, "Caddy is not installed: apt install caddy"),
        arguments: ServerAdvice.Kind.allCases.map { [$0] } + [Self.settings, [.site, .site]])
    func `Caddy takes what is advised`(_ kinds: [ServerAdvice.Kind]) async throws {
        try await self.check("caddy", ["validate", "--adapter", "caddyfile", "--config"], kinds) { folder in
            let text = Self.text(kinds, .caddy, folder).replacing("/etc/caddy", with: folder.url.path)
            return Self.caddyfile(
                text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }, in: folder)
        }
    }

    /// A configuration with the lines in the places that they name.
    private static func caddyfile(_ lines: [String], in folder: TemporaryFolder) -> String {
        let (global, proxy) = (["default_sni "], ["header_down "])
        let isOf = { (line: String, names: [String]) in names.contains(where: line.hasPrefix) }
        let options = lines.filter { isOf($0, global) }
        let ofProxy = lines.filter { isOf($0, proxy) }
        let files =
            lines.first { $0.hasPrefix("tls ") } ?? "tls \(folder.path("fullchain.pem")) \(folder.path("privkey.pem"))"
        let ofTLS = lines.filter { !isOf($0, global + proxy + ["tls "]) }
        let site = """
            https://a.test:8443 {
                \(files)\(ofTLS.isEmpty ? "" : " {\n\(ofTLS.joined(separator: "\n"))\n}")
                reverse_proxy 127.0.0.1:8080 {
                    \(ofProxy.joined())
                }
            }
            """
        let isWhole = lines.contains { $0.hasPrefix("https://") }
        return """
            {
                admin off
                auto_https off
                \(options.joined(separator: "\n"))
            }
            \(isWhole ? lines.joined(separator: "\n") : site)

            """
    }

    @Test(
        .enabled(if: CommandLineTool.installed("postconf") != nil, "Postfix is not installed: apt install postfix"),
        arguments: ServerAdvice.Kind.allCases.map { [$0] } + [Self.settings, [.site, .site]])
    func `Postfix takes what is advised`(_ kinds: [ServerAdvice.Kind]) async throws {
        let path = try #require(CommandLineTool.installed("postconf"))
        try await withTemporaryFolder { folder in
            try Self.writeCertificate(in: folder)
            let text = Self.text(kinds, .postfix, folder)
            _ = try folder.file("main.cf", "compatibility_level = 3.6\n" + text + "\n")
            _ = try folder.file("master.cf", "smtp inet n - n - - smtpd\n")
            // Settings that Postfix does not know are warned of.
            let finished = try await CommandLineTool.run(path, ["-c", folder.url.path, "-n"])
            #expect(finished.status == 0 && finished.errors.isEmpty, "\(finished.errors)\n\(text)")
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                #expect(finished.output.contains(line.prefix { $0 != "=" }), "\(line): \(finished.output)")
            }
        }
    }

    @Test(
        .enabled(
            if: CommandLineTool.installed("doveconf") != nil, "Dovecot is not installed: apt install dovecot-imapd"),
        arguments: ServerAdvice.Kind.allCases.map { [$0] } + [Self.settings, [.site, .site]])
    func `Dovecot takes what is advised`(_ kinds: [ServerAdvice.Kind]) async throws {
        try await self.check("doveconf", ["-n", "-c"], kinds) { folder in
            "protocols = imap\nssl = required\n" + Self.text(kinds, .dovecot, folder) + "\n"
        }
    }

    /// The products whose snippets no program here has read, each with the reason.
    private static let notApplied: [ServerProduct: String] = [
        .envoy: "Debian has no package of it", .iis: "it runs on Windows alone", .f5: "it is an appliance",
        .netscaler: "it is an appliance",
    ]

    @Test("Each product's snippets are read by its program above, or say that no test has loaded them")
    func applied() throws {
        let applied: Set<ServerProduct> = [.nginx, .apache, .haproxy, .tomcat, .caddy, .postfix, .dovecot]
        #expect(applied == Set(ServerProduct.allCases.filter(\.isTested)))
        #expect(Set(Self.notApplied.keys) == Set(ServerProduct.allCases.filter { !$0.isTested }))
        for kind in ServerAdvice.Kind.allCases {
            let advice = ServerAdvice(kind, reason: "", subjects: [], rows: [], context: Self.context(sendsName: true))
            for product in ServerProduct.allCases {
                let text = advice.snippet(for: product)
                let hasSettings = text.split(separator: "\n").contains { !$0.hasPrefix("#") }
                let isSaid = text.hasPrefix(
                    "# These settings follow the manual of \(product.title). No test has loaded")
                #expect(isSaid == (hasSettings && !product.isTested), "\(product) \(kind): \(text)")
            }
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
            try Self.writeCertificate(in: folder)
            let text = configuration(folder)
            let finished = try await CommandLineTool.run(
                path, arguments + [try folder.file("configuration", text)],
                environment: ["XDG_DATA_HOME": folder.url.path, "XDG_CONFIG_HOME": folder.url.path])
            #expect(finished.status == 0, "\(finished.errors)\(finished.output)\n\(text)")
        }
    }

    private static func writeCertificate(in folder: TemporaryFolder) throws {
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        description.keyKind = .rsa2048
        let leaf = try TestAuthority().issue(description)
        _ = try folder.file("fullchain.pem", leaf.pem)
        _ = try folder.file("privkey.pem", leaf.privateKey.pem)
        _ = try folder.file("site.pem", leaf.pem + leaf.privateKey.pem)
    }

    /// The advice as it is written, with the files of the folder.
    private static func text(
        _ kinds: [ServerAdvice.Kind], _ product: ServerProduct, _ folder: TemporaryFolder
    ) -> String {
        // Two of the same site: one that answers by its name, and one that answers without.
        let sendsName = kinds != [.site, .site]
        let kinds = sendsName ? kinds : [.site]
        let writer = SnippetWriter(syntax: product.syntax, context: Self.context(sendsName: sendsName))
        return kinds.map { "\n\(writer.text(for: [$0]))" }.joined()
            .replacing("/etc/ssl/site", with: folder.url.path).replacing("/etc/haproxy", with: folder.url.path)
    }

    private static func context(sendsName: Bool) -> AdviceContext {
        AdviceContext(
            host: "a.test", isAddress: false, names: ["DNS:*.b.test"], suites: [0xC02F, 0xC030].map(CipherSuite.init),
            present: [CipherSuite(rawValue: 0x009D)], needsRSAKey: true, port: 8_443, sentName: sendsName,
            needsNewKey: false, certificateRemedies: [], needsOtherIssuer: false,
            authorityRemedies: ["Make the root again."])
    }
}
