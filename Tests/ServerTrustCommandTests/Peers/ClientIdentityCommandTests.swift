//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@testable import ServerTrustCommand

/// A server, the identity that it is given, and what every command says became of it.
private struct IdentityCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let product: RealProduct
    var settings: [String] = []
    let identity: [String]
    let code: String
    var sentence = ""
}

private let taken = ["--p12", "client.p12:right"]
private let foreign = ["--cert", "other.pem", "--key", "other.key"]
private let demanding = ["-Verify", "3", "-verify_return_error", "-CAfile", "root.pem"]
private let nginxAuthority = "ssl_client_certificate FOLDER/root.pem; ssl_verify_depth 3;"

private let cases: [IdentityCase] = [
    IdentityCase(
        testDescription: "OpenSSL demands one in TLS 1.3, and takes it", product: .openssl, settings: demanding,
        identity: taken, code: "client-identity-accepted", sentence: "with the client certificate “a.test”"),
    IdentityCase(
        testDescription: "OpenSSL demands one in TLS 1.2, and takes it", product: .openssl,
        settings: demanding + ["-tls1_2"], identity: ["--cert", "client.pem", "--key", "client.key"],
        code: "client-identity-accepted"),
    IdentityCase(
        testDescription: "OpenSSL demands one in TLS 1.3, of another authority", product: .openssl, settings: demanding,
        identity: foreign, code: "client-identity-refused", sentence: "with the alert unknown_ca"),
    IdentityCase(
        testDescription: "OpenSSL demands one in TLS 1.2, of another authority", product: .openssl,
        settings: demanding + ["-tls1_2"], identity: foreign, code: "client-identity-refused",
        sentence: "with the alert unknown_ca"),
    IdentityCase(
        testDescription: "OpenSSL asks for none", product: .openssl, identity: taken,
        code: "client-identity-not-needed", sentence: "is not needed, and was not sent"),
    IdentityCase(
        testDescription: "of two, the one of the authority is chosen", product: .openssl, settings: demanding,
        identity: ["--cert", "other.pem", "--key", "other.key", "--p12", "client.p12:right"],
        code: "client-identity-accepted", sentence: "“a.test”"),
    IdentityCase(
        testDescription: "both of two are of other authorities", product: .openssl, settings: demanding,
        identity: ["--cert", "other.pem", "--key", "other.key", "--p12", "other.p12:right"],
        code: "client-identity-not-sent", sentence: "no given one is of an authority and a kind that it takes"),
    IdentityCase(
        testDescription: "nginx demands one", product: .nginx, settings: ["ssl_verify_client on;", nginxAuthority],
        identity: taken, code: "client-identity-accepted"),
    IdentityCase(
        testDescription: "nginx asks for one", product: .nginx,
        settings: ["ssl_verify_client optional;", nginxAuthority],
        identity: ["--cert-type", "p12", "--cert", "client.p12:right"], code: "client-identity-accepted"),
    IdentityCase(
        testDescription: "GnuTLS demands one", product: .gnutls,
        settings: ["--require-client-cert", "--verify-client-cert", "--x509cafile", "root.pem"], identity: taken,
        code: "client-identity-accepted"),
    IdentityCase(
        testDescription: "GnuTLS demands one of another authority", product: .gnutls,
        settings: ["--require-client-cert", "--verify-client-cert", "--x509cafile", "root.pem"], identity: foreign,
        code: "client-identity-refused"),
]

private let commands: [[String]] = [
    ["check"], ["check", "--ats", "default"], ["diagnose", "--plan", "ats"], ["ats", "suggest"], ["scan"], ["pin"],
]

@Suite("Client certificates before real servers", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ClientIdentityCommandTests {
    @Test("Every command says what became of the client's certificate", arguments: cases)
    private func identities(_ identity: IdentityCase) async throws {
        guard identity.product.isInstalled else { return }
        try await Self.withCertificates { folder in
            let settings = identity.settings.map { setting in
                setting == "root.pem" ? folder.path(setting) : setting.replacing("FOLDER", with: folder.url.path)
            }
            try await RealServer(product: identity.product, settings: settings).run(in: folder) { port in
                for command in commands {
                    let answer = try await Self.answer(command, port: port, identity.identity, in: folder)
                    let text = answer.output + answer.errors
                    #expect(answer.status == 0, "\(command): \(text)")
                    // Scans write sentences alone.
                    let isScan = command == ["scan"]
                    #expect(isScan || text.contains("[\(identity.code)"), "\(command): \(text)")
                    #expect(identity.sentence.isEmpty || text.contains(identity.sentence), "\(command): \(text)")
                    #expect(!text.contains("right") && !text.contains("client-certificate-requested"), "\(command)")
                }
            }
        }
    }

    @Test("get names the option for a certificate that the server demands, and the option mends it")
    func demanded() async throws {
        try await Self.withCertificates { folder in
            let settings = demanding.map { $0 == "root.pem" ? folder.path($0) : $0 }
            try await RealServer(product: .openssl, settings: settings).run(in: folder) { port in
                let request = [
                    "get", "https://a.test:\(port)/", "--connect-to", "::127.0.0.1:", "--cacert",
                    folder.path("root.pem"),
                ]
                let none = try await CommandLineTool.servertrust(request)
                #expect(none.status == 2 && none.errors.contains("--cert FILE gives one."), "\(none.errors)")
                let given = try await CommandLineTool.servertrust(request + Self.placed(taken, in: folder))
                #expect(given.status == 0, "\(given.errors)")
            }
        }
    }

    @Test("A server that is not trusted is shown no certificate, and that is said")
    func untrusted() async throws {
        try await Self.withCertificates { folder in
            let settings = demanding.map { $0 == "root.pem" ? folder.path($0) : $0 }
            try await RealServer(product: .openssl, settings: settings).run(in: folder) { port in
                let identity = Self.placed(taken, in: folder)
                let answer = try await CommandLineTool.servertrust(
                    ["check", "a.test:\(port)", "--connect-to", "127.0.0.1"] + identity)
                #expect(answer.status == 1)
                #expect(answer.output.contains("was not sent: the server is not trusted"), "\(answer.output)")
            }
        }
    }

    @Test("What is wrong with the client's files is said before a server is asked", arguments: faults)
    private func brokenFiles(_ fault: IdentityFault) async throws {
        try await Self.withCertificates { folder in
            let answer = try await Self.answer(["check"], port: 1, fault.arguments, in: folder)
            #expect(answer.status == 2 && answer.isCleanExit)
            #expect(answer.errors.contains(fault.sentence), "\(answer.errors)")
            #expect(!answer.errors.contains("Nothing listens"), "\(answer.errors)")
        }
    }

    @Test(
        "A file and its password are told apart as curl tells them",
        arguments: [
            ("file", "file", nil), ("file:", "file", ""), ("file:a:b", "file", "a:b"), (#"a\:b:c"#, "a:b", "c"),
            (#"a\\b:c\d"#, #"a\b"#, #"c\d"#), (#"a\b"#, #"a\b"#, nil), (#"./a\:b"#, "./a:b", nil),
            (#"a\"#, #"a\"#, nil),
        ] as [(String, String, String?)])
    func grammar(text: String, path: String, password: String?) throws {
        let read = try FileAndPassword(text)
        #expect(read.path == path && read.password == password)
    }

    @Test("A file without a name is refused", arguments: ["", ":", ":password"])
    func nameless(text: String) {
        #expect(throws: CommandError.self) { try FileAndPassword(text) }
    }

    private static func answer(
        _ command: [String], port: Int, _ identity: [String], in folder: TemporaryFolder
    ) async throws -> Finished {
        let server = "a.test:\(port)"
        let target = command == ["scan"] ? try folder.file("list", server + "\n") : server
        return try await CommandLineTool.servertrust(
            command + [target, "--connect-to", "127.0.0.1", "--roots", folder.path("root.pem"), "--anchors-only"]
                + Self.placed(identity, in: folder))
    }

    /// The arguments with the folder before the names of files.
    private static func placed(_ arguments: [String], in folder: TemporaryFolder) -> [String] {
        let names = ["client.", "other.", "server.", "password", "missing"]
        return arguments.map { text in names.contains(where: text.hasPrefix) ? folder.path(text) : text }
    }

    /// A server's certificate, a client's of the same authority, and one of another authority.
    private static func withCertificates(_ body: (TemporaryFolder) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            var client = RealAuthority.Leaf()
            client.extensions = "basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\nextendedKeyUsage=clientAuth\n"
            try await authority.issue(client, as: "client")
            try await authority.openssl([
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                "other.key",
                "-subj", "/CN=other", "-days", "30", "-out", "other.pem",
            ])
            for name in ["client", "other"] {
                try await authority.openssl([
                    "pkcs12", "-export", "-in", "\(name).pem", "-inkey", "\(name).key", "-passout", "pass:right",
                    "-out", "\(name).p12",
                ])
            }
            try await body(folder)
        }
    }
}

private struct IdentityFault: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let sentence: String

    var testDescription: String { self.arguments.joined(separator: " ") }
}

private let faults: [IdentityFault] = [
    IdentityFault(arguments: ["--p12", "client.p12:wrong"], sentence: "The password does not open"),
    IdentityFault(arguments: ["--p12", "client.p12"], sentence: "Give its password"),
    IdentityFault(
        arguments: ["--p12", "client.pem:right"], sentence: "this is PEM, and no PKCS#12 file. Give it with --cert"),
    IdentityFault(arguments: ["--cert", "client.p12:right"], sentence: "this is a PKCS#12 file. Give it with --p12"),
    IdentityFault(arguments: ["--cert", "client.pem"], sentence: "Give the file with the key: --key FILE"),
    IdentityFault(arguments: ["--cert", "client.pem", "--key", "other.key"], sentence: "does not belong to the first"),
    IdentityFault(arguments: ["--cert", "missing.pem"], sentence: "missing.pem"),
    IdentityFault(arguments: ["--key", "client.key"], sentence: "Add --cert FILE"),
    IdentityFault(arguments: ["--cert-type", "P12"], sentence: "Add --cert FILE"),
    IdentityFault(arguments: ["--cert-type", "DER", "--cert", "client.pem"], sentence: "--cert-type"),
    IdentityFault(arguments: ["--pass", "right"], sentence: "Give each password once"),
    IdentityFault(arguments: ["--p12", "client.p12:right", "--pass", "right"], sentence: "Give each password once"),
    IdentityFault(
        arguments: ["--p12", "client.p12", "--pass", "right", "--pass-file", "password"],
        sentence: "Give each password once"),
    IdentityFault(arguments: ["--p12", "client.p12", "--pass-file", "missing"], sentence: "missing"),
    IdentityFault(
        arguments: ["--p12", "client.p12:right", "--key", "client.key"], sentence: "--key is the key of a certificate"),
]
