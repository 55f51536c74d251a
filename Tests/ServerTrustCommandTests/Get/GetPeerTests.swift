//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

/// Servers and proxies of other projects with TLS, whose certificates are for `127.0.0.1`.
private struct Peers {
    let folder: TemporaryFolder

    static func with(_ body: (Peers) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(name: "DNS:a.test,IP:127.0.0.1"), as: "site")
            let usage = "basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\nextendedKeyUsage=clientAuth\n"
            try await authority.issue(RealAuthority.Leaf(extensions: usage), as: "client")
            try await body(Peers(folder: folder))
        }
    }

    /// nginx, which gives files to clients with a certificate alone.
    func withNginx(_ body: (Int) async throws -> Void) async throws {
        let port = try #require(try await PeerServer.freePorts(1).first)
        let configuration = """
            daemon off; master_process off; pid \(folder.path("nginx.pid")); error_log \(folder.path("log"));
            user root;
            events { worker_connections 128; }
            http {
                access_log off;
                server {
                    listen 127.0.0.1:\(port) ssl;
                    ssl_certificate \(folder.path("site.pem"));
                    ssl_certificate_key \(folder.path("site.key"));
                    ssl_client_certificate \(folder.path("root.pem"));
                    ssl_verify_client on;
                    ssl_verify_depth 3;
                    root \(folder.url.path);
                }
            }
            """
        let file = try folder.file("nginx.conf", configuration)
        try await RunningPeer.with("nginx", ["-p", folder.url.path, "-c", file], ports: [port]) { try await body(port) }
    }

    /// HAProxy, which has TLS in front of a port.
    func withTLS(before target: Int, _ body: (Int) async throws -> Void) async throws {
        let port = try #require(try await PeerServer.freePorts(1).first)
        let configuration = """
            defaults
              mode tcp
              timeout client 20s
              timeout server 20s
              timeout connect 5s
            frontend tls
              bind 127.0.0.1:\(port) ssl crt \(folder.path("site.both"))
              default_backend plain
            backend plain
              server plain 127.0.0.1:\(target)

            """
        let file = try folder.file("haproxy.conf", configuration)
        try await RunningPeer.with("haproxy", ["-db", "-f", file], ports: [port]) { try await body(port) }
    }

    /// A proxy of SOCKS 5 in Python, for one user.
    func withSOCKS(_ body: (Int) async throws -> Void) async throws {
        let port = try #require(try await PeerServer.freePorts(1).first)
        let file = try folder.file("socks.py", Self.socks)
        try await RunningPeer.with("python3", [file, "\(port)"], ports: [port]) { try await body(port) }
    }

    private static let socks = """
        import socket, socketserver, sys, threading
        def exactly(s, n):
            data = b''
            while len(data) < n:
                piece = s.recv(n - len(data))
                if not piece: raise OSError
                data += piece
            return data
        def pump(a, b):
            try:
                while data := a.recv(65536): b.sendall(data)
                b.shutdown(socket.SHUT_WR)
            except OSError: pass
        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                s = self.request
                try:
                    _, count = exactly(s, 2)
                    methods = exactly(s, count)
                    if 2 not in methods: s.sendall(bytes([5, 255])); return
                    s.sendall(bytes([5, 2]))
                    exactly(s, 1)
                    user = exactly(s, exactly(s, 1)[0]); password = exactly(s, exactly(s, 1)[0])
                    isRight = (user, password) == (b'ada', b'right')
                    s.sendall(bytes([1, 0 if isRight else 1]))
                    if not isRight: return
                    _, command, _, kind = exactly(s, 4)
                    host = socket.inet_ntoa(exactly(s, 4)) if kind == 1 else exactly(s, exactly(s, 1)[0]).decode()
                    port = int.from_bytes(exactly(s, 2), 'big')
                    target = socket.create_connection(('127.0.0.1', port), 5)
                    s.sendall(bytes([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]))
                    threading.Thread(target=pump, args=(s, target), daemon=True).start()
                    pump(target, s)
                except OSError: pass
        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True
        Server(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
        """

    var trust: [String] { ["--roots", self.folder.path("root.pem"), "--anchors-only"] }
    var identity: [String] { ["--cert", self.folder.path("client.pem"), "--key", self.folder.path("client.key")] }

    func get(_ url: String, _ arguments: [String]) async throws -> Finished {
        try await CommandLineTool.servertrust(
            ["get", url, "-m", "120"] + arguments,
            environment: ["http_proxy": "", "https_proxy": "", "all_proxy": "", "no_proxy": "", "NO_PROXY": ""])
    }
}

@Suite(
    "Getting from servers, and through proxies, of other projects", .serialized, .limitedConcurrency,
    .timeLimit(.minutes(10)))
struct GetPeerTests {
    private static let hasNginx = RealProduct.nginx.isInstalled

    @Test("nginx with mutual TLS gives nothing without a certificate, and all with one", .enabled(if: hasNginx))
    func mutualTLS() async throws {
        try await Peers.with { peers in
            _ = try peers.folder.file("file", "0123456789")
            try await peers.withNginx { port in
                let url = "https://127.0.0.1:\(port)/file"
                let untrusted = try await peers.get(url, peers.identity)
                #expect(untrusted.status == 1 && untrusted.output.isEmpty)
                let without = try await peers.get(url, peers.trust + ["-f"])
                #expect(without.status == 2 && without.output.isEmpty)
                let all = try await peers.get(url, peers.trust + peers.identity)
                #expect(all.status == 0 && all.output == "0123456789", "\(all.errors)")
                for (range, part) in [("2-4", "234"), ("7-", "789"), ("-2", "89")] {
                    let answer = try await peers.get(url, peers.trust + peers.identity + ["-r", range])
                    #expect(answer.output == part, "\(answer.errors)")
                }
            }
        }
    }

    @Test("A large file comes over whole, and its rest behind what is there", .enabled(if: hasNginx))
    func largeFile() async throws {
        try await Peers.with { peers in
            let size = 48 << 20
            let octets = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
            let whole = Data((0..<size >> 20).flatMap { _ in octets })
            try whole.write(to: peers.folder.url.appendingPathComponent("large"))
            try await peers.withNginx { port in
                let copy = peers.folder.path("copy")
                for start in [0, 1, size / 2, size - 1, size] {
                    try whole.prefix(start).write(to: URL(fileURLWithPath: copy))
                    let answer = try await peers.get(
                        "https://127.0.0.1:\(port)/large", peers.trust + peers.identity + ["-o", copy, "-C", "-"])
                    #expect(answer.status == 0, "from \(start): \(answer.errors)")
                    #expect(FileManager.default.contents(atPath: copy) == whole, "from \(start)")
                }
            }
        }
    }

    @Test(
        "A proxy with TLS is judged, and carries tunnels to a server that is judged too",
        .enabled(if: hasNginx && RealProduct.haproxy.isInstalled && AuthenticatingServer.squid.isInstalled))
    func proxyWithTLS() async throws {
        try await Peers.with { peers in
            _ = try peers.folder.file("file", "behind")
            try await peers.withNginx { port in
                try await AuthenticatingServer.squid.run { squid in
                    try await peers.withTLS(before: squid) { proxy in
                        let credential = "\(AuthenticatingServer.user):\(AuthenticatingServer.password)"
                        let url = "https://127.0.0.1:\(port)/file"
                        let options = ["-x", "https://127.0.0.1:\(proxy)", "-U", credential] + peers.identity
                        #expect(try await peers.get(url, options).status == 1)
                        #expect(try await peers.get(url, options + ["-U", "ada:wrong"] + peers.trust).status == 2)
                        for scheme in ["--proxy-basic", "--proxy-digest", "--proxy-anyauth"] {
                            let answer = try await peers.get(url, options + [scheme] + peers.trust)
                            #expect(answer.status == 0 && answer.output == "behind", "\(scheme): \(answer.errors)")
                        }
                    }
                }
            }
        }
    }

    @Test(
        "A proxy of SOCKS 5 gets its own credential, and carries what the server is trusted with",
        .enabled(if: hasNginx && CommandLineTool.installed("python3") != nil))
    func socks() async throws {
        try await Peers.with { peers in
            _ = try peers.folder.file("file", "behind")
            try await peers.withNginx { port in
                try await peers.withSOCKS { proxy in
                    let options = peers.identity + peers.trust
                    for (place, url) in [
                        ("socks5://ada:right@127.0.0.1:\(proxy)", "https://127.0.0.1:\(port)/file"),
                        ("socks5h://ada:right@127.0.0.1:\(proxy)", "https://a.test:\(port)/file"),
                    ] {
                        let answer = try await peers.get(url, ["-x", place] + options)
                        #expect(answer.status == 0 && answer.output == "behind", "\(place): \(answer.errors)")
                    }
                    for place in ["socks5://ada:wrong@127.0.0.1:\(proxy)", "socks5://127.0.0.1:\(proxy)"] {
                        let answer = try await peers.get("https://127.0.0.1:\(port)/file", ["-x", place] + options)
                        #expect(answer.status == 2 && answer.output.isEmpty, "\(place)")
                    }
                    let untrusted = try await peers.get(
                        "https://127.0.0.1:\(port)/file", ["-x", "socks5://ada:right@127.0.0.1:\(proxy)"])
                    #expect(untrusted.status == 1)
                }
            }
        }
    }
}
