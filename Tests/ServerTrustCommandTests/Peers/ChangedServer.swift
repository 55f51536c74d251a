//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

/// A client that is asked about a server.
enum PeerClient: String, CaseIterable, Sendable {
    case servertrust, curl, openssl, java, gnutls

    /// The clients that are asked about each server.
    static let usual: Set<PeerClient> = [.servertrust, .curl, .openssl, .java]

    /// The clients whose library has ML-KEM and ML-DSA, as OpenSSL has since version 3.5.
    static let postQuantum: Set<PeerClient> = {
        guard let path = CommandLineTool.installed("openssl"),
            let process = try? TestProcess(.init(path, ["genpkey", "-algorithm", "ML-KEM-768", "-out", "/dev/null"]))
        else { return [] }
        return process.endingBlocking() == .exit(0) ? [.curl, .openssl] : []
    }()
}

/// A server for a.test, and how clients are to be asked about it.
struct ChangedServer: Sendable {
    var authority: RealAuthority?
    var server = RealServer(product: .openssl)
    /// The options of `check` in place of those that trust root.pem alone.
    var options: [String]?
    /// A file of revocation lists for the other clients.
    var lists: String?
    /// The name of the files of the client's certificate and key.
    var client: String?
    /// `true` if a box before the server drops hellos that do not fit into one segment.
    var dropsLargeHellos = false
    var clients = PeerClient.usual

    /// The answers of the clients, and the text of ours on one line.
    struct Answers {
        var accepting: Set<PeerClient> = []
        var refusing: Set<PeerClient> = []
        var text = ""
    }

    /// Runs the server and asks each client.
    func answers(in folder: TemporaryFolder) async throws -> Answers {
        var answers = Answers()
        try await self.server.run(in: folder) { port in
            guard self.dropsLargeHellos else {
                answers = try await self.answers(at: port, folder)
                return
            }
            let own = try #require(try await PeerServer.freePorts(1).first)
            let box = try folder.file("box.js", Self.box(from: own, to: port))
            try await RunningPeer.with("node", [box], ports: [own]) {
                answers = try await self.answers(at: own, folder)
            }
        }
        return answers
    }

    private func answers(at port: Int, _ folder: TemporaryFolder) async throws -> Answers {
        var answers = Answers()
        for client in PeerClient.allCases where self.clients.contains(client) {
            let finished: Finished?
            switch client {
            case .servertrust: finished = try await self.servertrust(port, folder)
            case .curl: finished = try await self.curl(port, folder)
            case .openssl: finished = try await self.openssl(port, folder)
            case .java: finished = try await self.java(port, folder)
            case .gnutls: finished = try await self.gnutls(port, folder)
            }
            guard let finished else { continue }
            if client == .servertrust {
                answers.text = finished.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            }
            // Of curl's codes these are about TLS, https://curl.se/docs/manpage.html.
            let isRefused =
                client == .curl
                ? [35, 51, 53, 54, 56, 58, 59, 60, 77, 80, 82, 83].contains(finished.status) : finished.status != 0
            if isRefused { answers.refusing.insert(client) } else { answers.accepting.insert(client) }
        }
        return answers
    }

    private func identity(_ folder: TemporaryFolder) -> [String] {
        self.client.map { ["--cert", folder.path("\($0).pem"), "--key", folder.path("\($0).key")] } ?? []
    }

    private func servertrust(_ port: Int, _ folder: TemporaryFolder) async throws -> Finished {
        let options = self.options ?? ["--roots", folder.path("root.pem"), "--anchors-only"]
        return try await CommandLineTool.servertrust(
            ["check", "a.test:\(port)", "--connect-to", "127.0.0.1"] + self.identity(folder) + options)
    }

    private func curl(_ port: Int, _ folder: TemporaryFolder) async throws -> Finished {
        let site = ["--resolve", "a.test:\(port):127.0.0.1", "https://a.test:\(port)/"]
        let trust = ["--cacert", folder.path("root.pem")] + (self.lists.map { ["--crlfile", $0] } ?? [])
        return try await CommandLineTool.run(
            try #require(CommandLineTool.installed("curl")),
            ["-qs", "--noproxy", "*", "--max-time", "5", "-o", "/dev/null"] + trust + self.identity(folder) + site)
    }

    private func openssl(_ port: Int, _ folder: TemporaryFolder) async throws -> Finished {
        let program = try #require(CommandLineTool.installed("openssl"))
        let root = folder.path("root.pem")
        // s_client reads one list of a file, verify reads all.
        if let lists {
            return try await CommandLineTool.run(
                program,
                [
                    "verify", "-CAfile", root, "-untrusted", folder.path("site.pem"), "-crl_check_all", "-CRLfile",
                    lists, folder.path("site.leaf"),
                ])
        }
        let files = self.client.map { (folder.path("\($0).pem"), folder.path("\($0).key")) }
        return try await CommandLineTool.run(
            program,
            [
                "s_client", "-connect", "127.0.0.1:\(port)", "-servername", "a.test", "-verify_hostname", "a.test",
                "-CAfile", root, "-verify_return_error",
            ] + (files.map { ["-cert", $0.0, "-cert_chain", $0.0, "-key", $0.1] } ?? []))
    }

    private func gnutls(_ port: Int, _ folder: TemporaryFolder) async throws -> Finished? {
        guard let program = CommandLineTool.installed("gnutls-cli") else { return nil }
        return try await CommandLineTool.run(
            program,
            [
                "--x509cafile", folder.path("root.pem"), "--sni-hostname", "a.test", "--verify-hostname", "a.test",
                "-p", "\(port)", "127.0.0.1",
            ])
    }

    private func java(_ port: Int, _ folder: TemporaryFolder) async throws -> Finished? {
        var identity = "-"
        if let client {
            identity = folder.path("client.p12")
            let made = try await CommandLineTool.run(
                try #require(CommandLineTool.installed("openssl")),
                [
                    "pkcs12", "-export", "-in", folder.path("\(client).pem"), "-inkey", folder.path("\(client).key"),
                    "-out", identity, "-passout", "pass:right",
                ])
            #expect(made.status == 0, "\(made.errors)")
        }
        return try await JavaClient.run(
            ["connect", "\(port)", folder.path("root.pem"), identity, self.lists ?? "-"], in: folder)
    }

    /// A program of Node that stands for a box: it reads one segment, and drops a hello that is longer.
    private static func box(from port: Int, to server: Int) -> String {
        """
        const net = require('net');
        net.createServer(client => {
          client.on('error', () => {});
          client.once('data', hello => {
            if (hello.length > 1400) return client.destroy();
            const server = net.connect(\(server), '127.0.0.1');
            server.on('error', () => client.destroy());
            server.write(hello);
            client.pipe(server);
            server.pipe(client);
          });
        }).listen(\(port), '127.0.0.1');
        """
    }
}
