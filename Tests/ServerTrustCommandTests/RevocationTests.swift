//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

@Suite(
    "Revocation with OpenSSL's own authority and responder",
    .enabled(if: CommandLineTool.installed("openssl") != nil), .timeLimit(.minutes(2))
)
struct RevocationTests {
    @Test("Lists and answers of OpenSSL are understood, before and after it revokes the certificate")
    func openSSL() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await OpenSSLAuthority(folder)
            try await authority.publish("good")
            #expect(try await authority.evaluate(["--crl", "good.crl"]) == 0)
            #expect(try await authority.evaluate(["--crl", "good.crl", "--revocation", "hard"]) == 0)
            #expect(try await authority.evaluate(["--ocsp", "good.ocsp", "--revocation", "hard"]) == 0)
            #expect(try await authority.evaluate(["--revocation", "hard"]) == 1)
            try await authority.openssl([
                "ca", "-config", "ca.cnf", "-revoke", "leaf.pem", "-crl_reason", "keyCompromise",
            ])
            try await authority.publish("bad")
            #expect(try await authority.evaluate(["--crl", "bad.crl"]) == 1)
            #expect(try await authority.evaluate(["--ocsp", "bad.ocsp"]) == 1)
            #expect(try await authority.evaluate(["--crl", "good.crl", "--ocsp", "bad.ocsp"]) == 1)
            #expect(try await authority.evaluate(["--crl", "bad.crl", "--at", "2099-01-01"]) == 1)
        }
    }

    @Test(
        "A file that tells nothing about revocation ends with 2",
        arguments: [
            ["--crl", "root.pem"], ["--crl", "missing.crl"], ["--crl", "empty"], ["--crl", "."],
            ["--ocsp", "root.pem"],
            ["--ocsp", "empty"], ["--crl", "cut.crl"], ["--crl", "good.crl", "--revocation", "off"],
            ["--revocation", "sometimes"],
        ])
    func unusableFiles(arguments: [String]) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await OpenSSLAuthority(folder)
            try await authority.publish("good")
            _ = try folder.file("empty", "")
            let list = try Data(contentsOf: URL(fileURLWithPath: folder.path("good.crl")))
            _ = try folder.file("cut.crl", contents: list.prefix(list.count / 2))
            #expect(try await authority.evaluate(arguments) == 2)
        }
    }
}

/// An authority made and run with OpenSSL's commands in a folder, with one server's certificate.
private struct OpenSSLAuthority {
    private let folder: TemporaryFolder

    init(_ folder: TemporaryFolder) async throws {
        self.folder = folder
        for (name, text) in [
            ("ca.cnf", Self.configuration), ("index.txt", ""), ("serial", "1001\n"), ("crlnumber", "05\n"),
        ] {
            _ = try folder.file(name, text)
        }
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try await self.openssl(
            [
                "req", "-x509", "-config", "ca.cnf", "-extensions", "authority", "-subj", "/CN=Revoking Root", "-days",
                "365",
            ]
                + curve + ["-keyout", "ca.key", "-out", "root.pem"])
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
