//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import Foundation
import TestSupport
import Testing

/// A server or proxy of another project that asks for a user and a password.
enum AuthenticatingServer: String, CaseIterable, Sendable {
    case apache, lighttpd, squid, httpbin

    static let user = "ada"
    static let password = "pa:ss w\u{F6}rd"

    private var program: String { self == .apache ? "apache2" : self.rawValue }

    /// Whether tests can run it here. In continuous integration every program is to be there.
    var isInstalled: Bool {
        ProcessInfo.processInfo.environment["CI"] != nil || CommandLineTool.installed(self.program) != nil
    }

    /// Runs the server until the body is over, which gets its port.
    func run(_ body: (Int) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let port = try #require(try await PeerServer.freePorts(1).first)
            try await self.writeFiles(to: folder)
            let configuration = try folder.file("server.conf", self.configuration(port, folder))
            let arguments =
                switch self {
                // One process, so that no process is left behind when it is ended.
                case .apache: ["-f", configuration, "-X"]
                case .lighttpd: ["-D", "-f", configuration]
                case .squid: ["-N", "-n", Self.service(port), "-f", configuration]
                // Flask's server with httpbin 0.10, as .ci/run installs it.
                case .httpbin: ["--host", "127.0.0.1", "--port", "\(port)"]
                }
            defer { if self == .squid { Self.removeSharedMemory(port) } }
            try await RunningPeer.with(self.program, arguments, ports: [port]) { try await body(port) }
        }
    }

    // MARK: Files

    private func writeFiles(to folder: TemporaryFolder) async throws {
        let openssl = try #require(CommandLineTool.installed("openssl"))
        let hash = try await CommandLineTool.run(openssl, ["passwd", "-apr1", Self.password]).output
        _ = try folder.file("basic", "\(Self.user):\(hash)")
        let area = "\(Self.user):area:\(Self.password)"
        _ = try folder.file("md5", "\(Self.user):area:\(Self.hex(Insecure.MD5.hash(data: Data(area.utf8))))\n")
        _ = try folder.file("sha256", "\(Self.user):area:\(Self.hex(SHA256.hash(data: Data(area.utf8))))\n")
        _ = try folder.file("content", "the content")
    }

    private static func hex(_ digest: some Sequence<UInt8>) -> String {
        digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func configuration(_ port: Int, _ folder: TemporaryFolder) -> String {
        switch self {
        case .apache: Self.apache(port, folder)
        case .lighttpd: Self.lighttpd(port, folder)
        case .squid: Self.squid(port, folder)
        case .httpbin: ""
        }
    }

    private static func apache(_ port: Int, _ folder: TemporaryFolder) -> String {
        let names = [
            "mpm_event", "authz_core", "authz_user", "authn_core", "authn_file", "auth_basic", "auth_digest", "alias",
        ]
        let modules = names.map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
        return """
            \(modules.joined(separator: "\n"))
            ServerRoot \(folder.url.path)
            ServerName localhost
            User www-data
            Group www-data
            PidFile \(folder.path("pid"))
            ErrorLog \(folder.path("log"))
            Listen 127.0.0.1:\(port)
            Alias /basic \(folder.path("content"))
            Alias /digest \(folder.path("content"))
            <Location /basic>
            AuthType Basic
            AuthName area
            AuthUserFile \(folder.path("basic"))
            Require valid-user
            </Location>
            <Location /digest>
            AuthType Digest
            AuthName area
            AuthDigestProvider file
            AuthUserFile \(folder.path("md5"))
            Require valid-user
            </Location>
            """
    }

    private static func lighttpd(_ port: Int, _ folder: TemporaryFolder) -> String {
        """
        server.document-root = "\(folder.url.path)"
        server.bind = "127.0.0.1"
        server.port = \(port)
        server.modules = ("mod_auth", "mod_authn_file")
        auth.backend = "htdigest"
        auth.backend.htdigest.userfile = "\(folder.path("sha256"))"
        auth.require = ("/" => (
            "method" => "digest", "algorithm" => "SHA-256", "realm" => "area", "require" => "valid-user"))

        """
    }

    /// It passes requests and tunnels on for the user alone.
    private static func squid(_ port: Int, _ folder: TemporaryFolder) -> String {
        """
        http_port 127.0.0.1:\(port)
        pid_filename none
        cache_log /dev/null
        access_log none
        cache_mem 0 MB
        memory_cache_shared off
        pinger_enable off
        visible_hostname localhost
        shutdown_lifetime 0 seconds
        auth_param digest program /usr/lib/squid/digest_file_auth -c \(folder.path("md5"))
        auth_param digest realm area
        auth_param digest children 1 startup=1
        auth_param basic program /usr/lib/squid/basic_ncsa_auth \(folder.path("basic"))
        auth_param basic realm area
        auth_param basic children 1 startup=1
        acl users proxy_auth REQUIRED
        http_access allow users
        http_access deny all

        """
    }

    // MARK: Shared memory of squid

    private static func service(_ port: Int) -> String { "servertrust\(port)" }

    /// Squid leaves it when it is killed, and refuses to start a second time over it.
    private static func removeSharedMemory(_ port: Int) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/shm")) ?? []
        for name in names where name.hasPrefix("\(Self.service(port))-") {
            try? FileManager.default.removeItem(atPath: "/dev/shm/\(name)")
        }
    }
}
