//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOCore
import NIOPosix
import ServerTrustTesting
import TestSupport
import Testing

/// A server of another project, set up in one of the ways that servers are.
struct PeerServer: Sendable, CustomStringConvertible {
    enum Keys: String, CaseIterable, Sendable { case rsa, ecdsa, both }
    enum Age: String, CaseIterable, Sendable { case modern, legacy }

    let age: Age
    let keys: Keys
    let port: Int

    var description: String { "\(self.age) \(self.keys)" }

    /// One of each kind, on ports that were free a moment ago.
    static func all() async throws -> [PeerServer] {
        var servers: [PeerServer] = []
        let ports = try await Self.freePorts(Age.allCases.count * Keys.allCases.count)
        for age in Age.allCases {
            for keys in Keys.allCases {
                servers.append(PeerServer(age: age, keys: keys, port: ports[servers.count]))
            }
        }
        return servers
    }

    /// Ports that were free a moment ago.
    static func freePorts(_ count: Int) async throws -> [Int] { try await FreePort.ports(count) }

    /// OpenSSL's names for the suites: what Mozilla calls intermediate, and all there are.
    var suites: String {
        switch self.age {
        case .modern:
            "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
                + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
        case .legacy: "ALL:COMPLEMENTOFALL:@SECLEVEL=0"
        }
    }

    var certificates: [String] { self.keys == .both ? ["rsa", "ecdsa"] : [self.keys.rawValue] }
}

/// Starts servers of other projects.
enum PeerSoftware: String, CaseIterable, Sendable {
    case nginx, apache, openssl

    var program: String { self == .apache ? "apache2" : self.rawValue }

    /// Runs one server of each kind, and ends them after the body.
    func withServers(_ body: ([PeerServer]) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try Self.writeCertificates(to: folder)
            let servers = try await PeerServer.all()
            switch self {
            case .nginx:
                _ = try folder.file("nginx.conf", Self.nginx(servers, folder))
                let arguments = ["-p", folder.url.path, "-c", folder.path("nginx.conf")]
                try await RunningPeer.with("nginx", arguments, servers) { try await body(servers) }
            case .apache:
                _ = try folder.file("httpd.conf", Self.apache(servers, folder))
                // One process, so that no process is left behind when it is ended.
                let arguments = ["-f", folder.path("httpd.conf"), "-X"]
                try await RunningPeer.with("apache2", arguments, servers) { try await body(servers) }
            case .openssl: try await Self.withOpenSSL(servers[...], folder) { try await body(servers) }
            }
        }
    }

    private static func writeCertificates(to folder: TemporaryFolder) throws {
        let authority = try TestAuthority()
        for (name, kind) in [("rsa", TestKeyKind.rsa2048), ("ecdsa", .p256)] {
            var description = CertificateDescription.leaf(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"])
            description.keyKind = kind
            let leaf = try authority.issue(description)
            _ = try folder.file("\(name).pem", leaf.pem + authority.root.pem)
            _ = try folder.file("\(name).key", leaf.privateKey.pem)
        }
    }

    private static func withOpenSSL(
        _ servers: ArraySlice<PeerServer>, _ folder: TemporaryFolder, _ body: () async throws -> Void
    ) async throws {
        guard let server = servers.first else { return try await body() }
        var arguments = ["s_server", "-quiet", "-accept", "127.0.0.1:\(server.port)", "-cipher", server.suites]
        arguments += ["-alpn", "h2,http/1.1"]
        for (certificate, options) in zip(server.certificates, [("-cert", "-key"), ("-dcert", "-dkey")]) {
            arguments += [options.0, folder.path("\(certificate).pem"), options.1, folder.path("\(certificate).key")]
        }
        arguments += server.age == .modern ? ["-no_tls1", "-no_tls1_1"] : ["-serverpref", "-no_tls1_3"]
        try await RunningPeer.with("openssl", arguments, [server]) {
            try await Self.withOpenSSL(servers.dropFirst(), folder, body)
        }
    }
}

// MARK: - Configurations

extension PeerSoftware {
    private static func nginx(_ servers: [PeerServer], _ folder: TemporaryFolder) -> String {
        let blocks = servers.map { server in
            let files = server.certificates.map { name in
                "ssl_certificate \(folder.path("\(name).pem")); ssl_certificate_key \(folder.path("\(name).key"));"
            }
            let isModern = server.age == .modern
            return """
                server {
                    listen 127.0.0.1:\(server.port) ssl\(isModern ? " http2" : "");
                    \(files.joined(separator: " "))
                    ssl_protocols \(isModern ? "TLSv1.2 TLSv1.3" : "TLSv1 TLSv1.1 TLSv1.2 TLSv1.3");
                    ssl_ciphers \(server.suites);
                    ssl_prefer_server_ciphers \(isModern ? "off" : "on");
                }
                """
        }
        return """
            daemon off; master_process off; pid \(folder.path("pid")); error_log \(folder.path("log"));
            events { worker_connections 512; }
            http {
                access_log off;
                \(blocks.joined(separator: "\n"))
            }
            """
    }

    private static func apache(_ servers: [PeerServer], _ folder: TemporaryFolder) -> String {
        let modules = ["mpm_event", "authz_core", "ssl", "http2", "socache_shmcb"]
        let hosts = servers.map { server in
            let files = server.certificates.map { name in
                "SSLCertificateFile \(folder.path("\(name).pem"))\nSSLCertificateKeyFile \(folder.path("\(name).key"))"
            }
            let isModern = server.age == .modern
            return """
                Listen 127.0.0.1:\(server.port)
                <VirtualHost *:\(server.port)>
                SSLEngine on
                Protocols \(isModern ? "h2 " : "")http/1.1
                \(files.joined(separator: "\n"))
                SSLProtocol \(isModern ? "-all +TLSv1.2 +TLSv1.3" : "all")
                SSLCipherSuite \(server.suites)
                SSLHonorCipherOrder \(isModern ? "off" : "on")
                </VirtualHost>
                """
        }
        return """
            \(modules.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }.joined(separator: "\n"))
            ServerRoot \(folder.url.path)
            ServerName localhost
            User www-data
            Group www-data
            PidFile \(folder.path("pid"))
            ErrorLog \(folder.path("log"))
            \(hosts.joined(separator: "\n"))
            """
    }
}

/// A server process, ended by its own id when a test is over.
enum RunningPeer {
    static func with(
        _ program: String, _ arguments: [String], _ servers: [PeerServer], _ body: () async throws -> Void
    ) async throws {
        try await Self.with(program, arguments, ports: servers.map(\.port), body)
    }

    /// Runs a program until the body is over, which begins when all ports are listened on.
    static func with(
        _ program: String, _ arguments: [String], ports: [Int], environment: [String: String] = [:],
        _ body: () async throws -> Void
    ) async throws {
        let path = try #require(CommandLineTool.installed(program))
        try await withTemporaryFolder { folder in
            var program = try CommandLineTool.program(path, arguments, environment, output: folder.file("out", ""))
            program.hasInput = true
            let process = try TestProcess(program)
            let outcome: Result<Void, any Error>
            do {
                for port in ports { try await Self.waitUntilListening(port, process) }
                try await body()
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            await process.end()
            try outcome.get()
        }
    }

    private static func waitUntilListening(_ port: Int, _ process: TestProcess) async throws {
        while process.isRunning {
            let connection = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port).get()
            if let connection {
                try? await connection.close()
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw ServiceError(output: "nothing listens on \(port)")
    }
}
