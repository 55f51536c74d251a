//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

/// A server of another project that speaks HTTP/2, and serves the files of a folder for `a.test`.
enum HTTP2Peer: String, CaseIterable, Sendable {
    case nginx, apache, caddy, node

    private var program: String { self == .apache ? "apache2" : self.rawValue }

    /// Whether tests can run it here. In continuous integration every program is to be there.
    var isInstalled: Bool {
        ProcessInfo.processInfo.environment["CI"] != nil || CommandLineTool.installed(self.program) != nil
    }

    /// Runs the server until the body is over, which gets its port.
    func run(in folder: TemporaryFolder, _ body: (Int) async throws -> Void) async throws {
        let port = try #require(try await PeerServer.freePorts(1).first)
        let configuration = try folder.file("\(self)-\(port)", self.configuration(port, folder))
        let arguments =
            switch self {
            case .nginx: ["-p", folder.url.path, "-c", configuration]
            // One process, so that no process is left behind when it is ended.
            case .apache: ["-f", configuration, "-X"]
            case .caddy: ["run", "--adapter", "caddyfile", "--config", configuration]
            case .node: [configuration]
            }
        let environment = ["HOME": folder.url.path, "XDG_DATA_HOME": folder.url.path]
        try await RunningPeer.with(self.program, arguments, ports: [port], environment: environment) {
            try await body(port)
        }
    }

    private func configuration(_ port: Int, _ folder: TemporaryFolder) -> String {
        let (path, chain, key) = (folder.url.path, folder.path("site.pem"), folder.path("site.key"))
        switch self {
        case .nginx:
            return """
                daemon off; master_process off; pid \(path)/nginx.pid; error_log \(path)/log;
                events { worker_connections 128; }
                http {
                    access_log off; client_body_temp_path \(path)/body;
                    server {
                        listen 127.0.0.1:\(port) ssl http2; server_name a.test; root \(path)/files;
                        ssl_certificate \(chain); ssl_certificate_key \(key);
                    }
                }
                """
        case .apache: return Self.apache(port, path, chain: chain, key: key)
        case .caddy:
            return """
                {
                    admin off
                    auto_https off
                }
                https://a.test:\(port) {
                    bind 127.0.0.1
                    tls \(chain) \(key)
                    root * \(path)/files
                    file_server
                }
                """
        case .node:
            return """
                const fs = require('fs');
                const server = require('http2').createSecureServer({
                  allowHTTP1: true, cert: fs.readFileSync('\(chain)'), key: fs.readFileSync('\(key)')
                });
                server.on('request', (request, response) => {
                  if (request.method !== 'POST') {
                    fs.createReadStream('\(path)/files' + request.url).pipe(response);
                    return;
                  }
                  let size = 0;
                  request.on('data', data => { size += data.length; });
                  request.on('end', () => response.end('got ' + size));
                });
                server.listen(\(port), '127.0.0.1');
                """
        }
    }

    private static func apache(_ port: Int, _ path: String, chain: String, key: String) -> String {
        let modules = ["mpm_event", "authz_core", "ssl", "socache_shmcb", "http2"].map { name in
            "LoadModule \(name)_module /usr/lib/apache2/modules/mod_\(name).so"
        }
        return """
            \(modules.joined(separator: "\n"))
            ServerRoot \(path)
            ServerName localhost
            User www-data
            Group www-data
            PidFile \(path)/apache.pid
            ErrorLog \(path)/log
            Protocols h2 http/1.1
            Listen 127.0.0.1:\(port)
            DocumentRoot \(path)/files
            <VirtualHost *:\(port)>
            SSLEngine on
            SSLCertificateFile \(chain)
            SSLCertificateKeyFile \(key)
            </VirtualHost>
            """
    }
}
