//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

/// Keys and certificates of every kind for `a.test`, made with OpenSSL's commands in one folder: a root, an intermediate,
/// and servers' certificates below it.
struct RealAuthority: Sendable {
    let folder: TemporaryFolder

    /// How a server's certificate differs from a good one.
    struct Leaf: Sendable {
        /// What `openssl genpkey` is told.
        var key = RealAuthority.p256
        var name = "DNS:a.test"
        var days = 90
        var digest = "sha256"
        /// The lines of its extensions besides the name.
        var extensions = RealAuthority.serverExtensions
        /// Whether the intermediate is sent.
        var isWhole = true
    }

    static let p256 = ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    static let rsa2048 = ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
    static let rsa1024 = ["RSA", "-pkeyopt", "rsa_keygen_bits:1024"]
    static let ed25519 = ["ED25519"]

    /// A key on a curve that OpenSSL names.
    static func curve(_ name: String) -> [String] { ["EC", "-pkeyopt", "ec_paramgen_curve:\(name)"] }

    static let serverExtensions =
        "basicConstraints=CA:FALSE\nkeyUsage=digitalSignature,keyEncipherment\nextendedKeyUsage=serverAuth\n"

    /// Makes the root and the intermediate.
    init(_ folder: TemporaryFolder) async throws {
        self.folder = folder
        let authority = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n"
        _ = try folder.file("authority.ext", authority)
        try await self.openssl([
            "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", "group:ffdhe2048", "-out", "dh.pem",
        ])
        for name in ["root", "ca"] { try await self.makeKey(Self.p256, "\(name).key") }
        try await self.openssl([
            "req", "-x509", "-new", "-key", "root.key", "-subj", "/CN=Root", "-days", "3650", "-out", "root.pem",
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign",
        ])
        try await self.openssl(["req", "-new", "-key", "ca.key", "-subj", "/CN=Intermediate", "-out", "ca.csr"])
        try await self.openssl([
            "x509", "-req", "-in", "ca.csr", "-CA", "root.pem", "-CAkey", "root.key", "-days", "1825", "-out", "ca.pem",
            "-extfile", "authority.ext",
        ])
    }

    /// Makes a server's key and chain, `NAME.key` and `NAME.pem`, and both in one file, `NAME.both`.
    func issue(_ leaf: Leaf, as name: String) async throws {
        try await self.makeKey(leaf.key, "\(name).key")
        try await self.openssl(["req", "-new", "-key", "\(name).key", "-subj", "/CN=a.test", "-out", "\(name).csr"])
        try await self.certify("\(name).csr", leaf, as: name)
    }

    /// Certifies a request as an authority does: for the names and the key of the request, and else by its own rules.
    func certify(request: String, as name: String) async throws {
        try await self.certify(request, Leaf(), as: name, ["-copy_extensions", "copy"])
    }

    private func certify(_ request: String, _ leaf: Leaf, as name: String, _ options: [String] = []) async throws {
        let names = options.isEmpty ? "subjectAltName=\(leaf.name)\n" : ""
        _ = try self.folder.file("\(name).ext", names + leaf.extensions)
        try await self.openssl(
            [
                "x509", "-req", "-in", request, "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "\(leaf.days)",
                "-\(leaf.digest)", "-extfile", "\(name).ext", "-out", "\(name).leaf",
            ] + options)
        try self.assemble(name, isWhole: leaf.isWhole)
    }

    /// Writes the chain, with the intermediate where it is to be sent, and the file that HAProxy reads.
    func assemble(_ name: String, isWhole: Bool) throws {
        let chain = try self.text("\(name).leaf") + (isWhole ? self.text("ca.pem") : "")
        _ = try self.folder.file("\(name).pem", chain)
        _ = try self.folder.file("\(name).both", chain + self.text("\(name).key"))
    }

    /// Runs OpenSSL in the folder; it is to succeed.
    func openssl(_ arguments: [String]) async throws {
        try await self.shell("exec openssl \"$@\"", arguments)
    }

    /// Runs a command as a shell reads it, in the folder; it is to succeed.
    func shell(_ command: String, _ arguments: [String] = []) async throws {
        let script = "cd \"$0\" && \(command)"
        let finished = try await CommandLineTool.run("/bin/sh", ["-c", script, self.folder.url.path] + arguments)
        try #require(finished.status == 0, "\(command) \(arguments): \(finished.errors)")
    }

    private func makeKey(_ kind: [String], _ name: String) async throws {
        try await self.openssl(["genpkey", "-algorithm"] + kind + ["-out", name])
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: self.folder.path(name), encoding: .utf8)
    }
}
