//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TestSupport
import Testing

@Suite("The gate before servers of other projects", .limitedConcurrency, .timeLimit(.minutes(10)))
struct GatePeerServerTests {
    @Test(
        "A server that asks for a client's certificate gets it once it is trusted, and not before",
        arguments: PeerServerKind.allCases, [TLSVersion.tlsv12, .tlsv13])
    func clientCertificate(kind: PeerServerKind, version: TLSVersion) async throws {
        guard kind.isInstalled else {
            #expect(ProcessInfo.processInfo.environment["CI"] == nil, "\(kind) is not installed")
            return
        }
        let client = try ClientFixture.good.get()
        try await kind.running { port in
            for isTrusted in [true, false] {
                let gate = try ServerTrustGateTests.gate(anchors: isTrusted ? nil : TrustAnchors.none) { settings in
                    settings.tls.certificateChain = try client.map {
                        .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der))
                    }
                    settings.tls.privateKey = .privateKey(
                        try NIOSSLPrivateKey(bytes: Array(client[0].privateKey.pem.utf8), format: .pem))
                    settings.tls.maximumTLSVersion = version
                    settings.tls.minimumTLSVersion = version
                }
                try await RecordRelay.with(port) { relay in
                    let destination = ATSDestination(host: ATSTestClient.host, port: relay.port)
                    do {
                        let gated = try await gate.connect(to: destination, connectAddress: "127.0.0.1")
                        #expect(isTrusted, "\(kind) was let through")
                        let request = ByteBuffer(string: "GET / HTTP/1.0\r\nHost: server.test\r\n\r\n")
                        try await gated.channel.writeAndFlush(request)
                        try await gated.channel.closeFuture.get()
                        #expect(relay.fromServer.hasApplicationData, "\(kind)")
                        #expect(relay.fromClients.hasApplicationData, "\(kind)")
                    } catch let error as ServerTrustGateError {
                        #expect(!isTrusted, "\(kind), \(version): \(error)")
                        #expect(relay.fromClients.hasOnlyHelloAndAlerts, "\(kind): \(relay.fromClients)")
                    }
                }
            }
        }
    }

    @Test(
        "A man in the middle gets no request",
        .enabled(if: PeerProcess.path(of: "mitmdump") != nil, "mitmproxy is not installed"))
    func manInTheMiddle() async throws {
        try await ATSTestServer.with(.init(), try ATSFixture.rsa.get()) { server in
            try await PeerFolder.with { folder in
                let mode = "reverse:https://127.0.0.1:\(server.port)"
                try await PeerProcess.listening("mitmdump", in: folder.url) { port in
                    [
                        "--mode", mode, "--listen-host", "127.0.0.1", "--listen-port", "\(port)", "--ssl-insecure",
                        "--quiet",
                        "--set", "confdir=\(folder.url.path)",
                    ]
                } _: { port in
                    try await RecordRelay.with(port) { relay in
                        let outcome = try await ATSTestClient.run(try ServerTrustGateTests.gate(), port: relay.port)
                        #expect(outcome.code == "untrusted", "\(outcome)")
                        #expect(relay.fromClients.hasOnlyHelloAndAlerts, "\(relay.fromClients)")
                    }
                }
            }
            #expect(server.seen.received.isEmpty)
        }
    }
}

@Suite("The gate of a server before clients of other projects", .limitedConcurrency, .timeLimit(.minutes(10)))
struct GatePeerClientTests {
    @Test(
        "A session that was resumed without a certificate reaches nothing",
        arguments: [["-tls1_2"], ["-tls1_2", "-no_ticket"], ["-tls1_3"]])
    func resumption(options: [String]) async throws {
        let gate = try ClientTrustGate(try ClientFixture.settings())
        try await PeerFolder.with { folder in
            let client = try folder.identity("client", try ClientFixture.good.get())
            try await GatedTestServer.with(gate) { server in
                let connect =
                    ["s_client", "-connect", "127.0.0.1:\(server.port)", "-quiet", "-verify_quiet"] + options
                let identity = ["-cert", client.chain, "-cert_chain", client.chain, "-key", client.key]
                let first = try await PeerProcess.output(
                    "openssl", connect + identity + ["-sess_out", "session"], in: folder.url, input: "ping\n",
                    until: "pong")
                #expect(first.contains("hello"))
                for more in [[], identity] {
                    let resumed = connect + ["-sess_in", "session"] + more
                    let second = try await PeerProcess.output(
                        "openssl", resumed, in: folder.url, input: "ping\n", until: "pong")
                    #expect(second.contains("hello") == !more.isEmpty, "\(options): \(second)")
                }
                let outcomes = try await server.seen(afterOutcomes: 3).outcomes
                let judged = outcomes.map { outcome in (try? outcome.get())?.identity != nil }
                #expect(judged == [true, false, true], "a resumed session would have no identity")
            }
        }
    }

    @Test("curl is let through with a trusted certificate alone", arguments: [true, false])
    func curl(isTrusted: Bool) async throws {
        let gate = try ClientTrustGate(try ClientFixture.settings())
        let stranger = [try TestAuthority().issue(.client(commonName: "stranger"))]
        try await PeerFolder.with { folder in
            let client = try folder.identity("client", isTrusted ? try ClientFixture.good.get() : stranger)
            try await GatedTestServer.with(gate) { server in
                let arguments = [
                    "--silent", "--no-buffer", "--insecure", "--http0.9", "--max-time", "120", "--cert", client.chain,
                    "--key",
                    client.key,
                    "https://127.0.0.1:\(server.port)/",
                ]
                let heard = try await PeerProcess.output(
                    "curl", arguments, in: folder.url, input: "", until: "pong")
                #expect(heard.contains("hello") == isTrusted)
                #expect(server.seen.received.isEmpty != isTrusted)
            }
        }
    }

    @Test("A client is told the names of the authorities that it can choose by", arguments: [true, false])
    func authorityNames(areSent: Bool) async throws {
        let gate = try ClientTrustGate(try ClientFixture.settings { $0.sendsAuthorityNames = areSent })
        try await PeerFolder.with { folder in
            try await GatedTestServer.with(gate) { server in
                let output = try await PeerProcess.output(
                    "openssl", ["s_client", "-connect", "127.0.0.1:\(server.port)"], in: folder.url, input: "",
                    until: "Verify return code")
                #expect(output.contains("Acceptable client certificate CA names") == areSent, "\(output)")
            }
        }
    }
}

enum PeerServerKind: String, CaseIterable, Sendable {
    case openssl
    case gnutls = "gnutls-serv"
    case nginx

    var isInstalled: Bool { PeerProcess.path(of: self.rawValue) != nil }

    /// Runs a server that wants a certificate of clients, and answers HTTP/1.0.
    func running(_ body: (Int) async throws -> Void) async throws {
        try await PeerFolder.with { folder in
            let server = try folder.identity("server", try ATSFixture.rsa.get())
            let root = try folder.file("root.pem", try ClientFixture.authority.get().root.pem)
            try await PeerProcess.listening(self.rawValue, in: folder.url) { port in
                try self.arguments(port, server, root, folder)
            } _: { port in
                try await body(port)
            }
        }
    }

    private func arguments(
        _ port: Int, _ server: (chain: String, key: String), _ root: String, _ folder: PeerFolder
    ) throws -> [String] {
        switch self {
        case .openssl:
            return [
                "s_server", "-accept", "127.0.0.1:\(port)", "-cert", server.chain, "-cert_chain", server.chain, "-key",
                server.key,
                "-Verify", "3", "-verify_return_error", "-CAfile", root, "-www",
            ]
        case .gnutls:
            return [
                "--http", "-p", "\(port)", "--x509certfile", server.chain, "--x509keyfile", server.key,
                "--require-client-cert",
                "--verify-client-cert", "--x509cafile", root,
            ]
        case .nginx:
            let configuration = """
                daemon off; master_process off; pid \(folder.url.path)/pid; error_log \(folder.url.path)/log;
                events { worker_connections 64; }
                http {
                    access_log off;
                    server {
                        listen 127.0.0.1:\(port) ssl;
                        ssl_certificate \(server.chain); ssl_certificate_key \(server.key);
                        ssl_protocols TLSv1.2 TLSv1.3;
                        ssl_client_certificate \(root); ssl_verify_client on; ssl_verify_depth 3;
                        location / { return 200 "hello"; }
                    }
                }
                """
            return ["-p", folder.url.path, "-c", try folder.file("nginx.conf", configuration)]
        }
    }
}
