//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

/// An authority made and run with OpenSSL's commands in a folder, with one server's certificate.
struct OpenSSLAuthority {
    let folder: TemporaryFolder

    /// - Parameters:
    ///   - folder: Everything is there.
    ///   - extensions: More lines for the extensions of the server's certificate.
    ///   - keepsKey: Whether the authority is there already, and only the server's certificate is made again.
    init(_ folder: TemporaryFolder, extensions: String = "", keepsKey: Bool = false) async throws {
        self.folder = folder
        for (name, text) in [
            ("ca.cnf", Self.configuration + extensions), ("index.txt", ""), ("serial", "1001\n"), ("crlnumber", "05\n"),
        ] {
            _ = try folder.file(name, text)
        }
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        if !keepsKey {
            try await self.openssl(
                [
                    "req", "-x509", "-config", "ca.cnf", "-extensions", "authority", "-subj", "/CN=Revoking Root",
                    "-days",
                    "365",
                ]
                    + curve + ["-keyout", "ca.key", "-out", "root.pem"])
        }
        try await self.openssl(
            ["req", "-config", "ca.cnf", "-subj", "/CN=revoked.example.com"] + curve
                + ["-keyout", "leaf.key", "-out", "leaf.csr"])
        try await self.openssl(
            [
                "ca", "-config", "ca.cnf", "-batch", "-notext", "-extensions", "leaf", "-in", "leaf.csr", "-out",
                "leaf.pem",
            ])
    }

    /// Writes a revocation list and an answer about the certificate.
    func publish(_ name: String) async throws {
        try await self.openssl(["ca", "-config", "ca.cnf", "-gencrl", "-out", "\(name).crl"])
        try await self.openssl([
            "ocsp", "-index", "index.txt", "-CA", "root.pem", "-rsigner", "root.pem", "-rkey", "ca.key",
            "-issuer", "root.pem", "-cert", "leaf.pem", "-ndays", "1", "-noverify", "-respout", "\(name).ocsp",
        ])
    }

    /// The exit code of judging the certificate; options that name files name them in the folder.
    func evaluate(_ options: [String]) async throws -> Int32 {
        let options = zip([""] + options, options).map { previous, option in
            ["--crl", "--ocsp"].contains(previous) ? self.folder.path(option) : option
        }
        let finished = try await CommandLineTool.servertrust(
            [
                "evaluate", "--chain", self.folder.path("leaf.pem"), "--host", "revoked.example.com",
                "--roots", self.folder.path("root.pem"), "--anchors-only",
            ] + options)
        #expect(finished.isCleanExit)
        return finished.status
    }

    /// A certificate for the same name and key from another root, `top.pem`, in DER as `cross.der`.
    func crossCertify() async throws {
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        let new = ["req", "-x509", "-config", "ca.cnf", "-extensions", "authority", "-days", "365"]
        try await self.openssl(new + ["-subj", "/CN=Top Root"] + curve + ["-keyout", "top.key", "-out", "top.pem"])
        try await self.openssl(
            new + [
                "-subj", "/CN=Revoking Root", "-key", "ca.key", "-CA", "top.pem", "-CAkey", "top.key", "-outform",
                "DER",
                "-out", "cross.der",
            ])
    }

    func revoke() async throws {
        try await self.openssl(["ca", "-config", "ca.cnf", "-revoke", "leaf.pem", "-crl_reason", "keyCompromise"])
    }

    func openssl(_ arguments: [String]) async throws {
        let path = try #require(CommandLineTool.installed("openssl"))
        let shell = ["-c", "cd \"$0\" && exec \"$@\"", self.folder.url.path, path] + arguments
        let finished = try await CommandLineTool.run("/bin/sh", shell)
        try #require(finished.status == 0, "\(finished.errors)")
    }

    private static let configuration = """
        [ca]
        default_ca = authority_files
        [authority_files]
        database = index.txt
        serial = serial
        crlnumber = crlnumber
        new_certs_dir = .
        certificate = root.pem
        private_key = ca.key
        default_md = sha256
        default_days = 90
        default_crl_days = 7
        policy = names
        [names]
        commonName = supplied
        [req]
        distinguished_name = request
        [request]
        [authority]
        basicConstraints = critical,CA:true
        keyUsage = critical,keyCertSign,cRLSign
        subjectKeyIdentifier = hash
        [leaf]
        subjectAltName = DNS:revoked.example.com
        extendedKeyUsage = serverAuth
        keyUsage = digitalSignature
        authorityKeyIdentifier = keyid
        """
}
