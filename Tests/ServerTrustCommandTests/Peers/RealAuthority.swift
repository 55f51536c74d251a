//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
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

    private func certify(_ request: String, _ leaf: Leaf, as name: String) async throws {
        _ = try self.folder.file("\(name).ext", "subjectAltName=\(leaf.name)\n\(leaf.extensions)")
        try await self.openssl([
            "x509", "-req", "-in", request, "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "\(leaf.days)",
            "-\(leaf.digest)", "-extfile", "\(name).ext", "-out", "\(name).leaf",
        ])
        try self.assemble(name, isWhole: leaf.isWhole)
    }

    /// Runs the commands of an advice as they are printed, with no other extension and no other option, and puts the
    /// certificate into the chain where they made one.
    ///
    /// The commands name the server's key `privkey.pem`, and the authority's files as this folder does.
    func follow(commands: [String], as name: String) async throws {
        guard !commands.isEmpty else { return }
        try await self.shell("cp \(name).key privkey.pem && rm -f certificate.pem")
        for command in commands { try await self.shell(command) }
        try await self.shell("cp privkey.pem \(name).key && cp certificate.pem \(name).leaf")
        try self.assemble(name, isWhole: true)
    }

    /// Revokes a server's certificate, and returns the list of the intermediate.
    func revoke(_ name: String) async throws -> CertificateList {
        let configuration = """
            [ca]
            default_ca = files
            [files]
            database = ca.index
            crlnumber = ca.number
            certificate = ca.pem
            private_key = ca.key
            default_md = sha256
            default_crl_days = 30

            """
        for (name, text) in [("ca.cnf", configuration), ("ca.index", ""), ("ca.number", "01\n")] {
            _ = try self.folder.file(name, text)
        }
        try await self.openssl(["ca", "-config", "ca.cnf", "-revoke", "\(name).leaf", "-crl_reason", "keyCompromise"])
        try await self.openssl(["ca", "-config", "ca.cnf", "-gencrl", "-out", "ca.crl"])
        try await self.openssl(["crl", "-in", "ca.crl", "-outform", "DER", "-out", "ca.crl.der"])
        return try CertificateList(
            der: Array(try Data(contentsOf: self.folder.url.appendingPathComponent("ca.crl.der"))))
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

    func text(_ name: String) throws -> String {
        try String(contentsOfFile: self.folder.path(name), encoding: .utf8)
    }
}
