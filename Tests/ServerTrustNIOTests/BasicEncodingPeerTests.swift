//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@testable import ServerTrustNIO

@Suite("Files in BER that other programs write", .limitedConcurrency, .timeLimit(.minutes(3)))
struct BasicEncodingPeerTests {
    @Test(
        "A PKCS#12 file that NSS exports is read with its password and with no other",
        .enabled(
            if: ProcessInfo.processInfo.environment["CI"] != nil || PeerProcess.path(of: "pk12util") != nil,
            "NSS's tools are not installed"), arguments: exports)
    func nss(arguments: [String]) async throws {
        let client = try ClientFixture.good.get()
        let file = try await PeerFolder.with { folder in
            let (chain, key) = try folder.identity("client", client)
            let database = ["-d", "sql:\(folder.url.path)", "-K", "", "-W", "right"]
            for (program, arguments) in [
                (
                    "openssl",
                    ["pkcs12", "-export", "-in", chain, "-inkey", key, "-name", "client", "-out", "in.p12"]
                        + ["-passout", "pass:right"]
                ), ("certutil", ["-N", "-d", "sql:\(folder.url.path)", "--empty-password"]),
                ("pk12util", ["-i", "in.p12"] + database),
                ("pk12util", ["-o", "out.p12", "-n", "client"] + database + arguments),
            ] { _ = try await PeerProcess.output(program, arguments, in: folder.url, input: "", until: "\u{0}") }
            return Array(try Data(contentsOf: folder.url.appendingPathComponent("out.p12")))
        }
        #expect(file.starts(with: [0x30, 0x80]))
        let expected = try TLSIdentity(pem: client.map(\.pem).joined(), key: try client[0].privateKey.pem)
        #expect(try TLSIdentity(pkcs12: file, password: "right") == expected)
        let wrong = #expect(throws: TLSIdentityError.self) { try TLSIdentity(pkcs12: file, password: "wrong") }
        #expect(wrong?.code == .wrongPassword)
    }

    @Test(
        "The certificates of a message that OpenSSL writes are read, in DER and streamed in BER",
        arguments: [
            (["crl2pkcs7", "-nocrl", "-certfile", "client.pem", "-certfile", "issuers.pem"], false),
            (
                ["cms", "-sign", "-nodetach", "-stream", "-binary", "-in", "text", "-signer", "client.pem"]
                    + ["-inkey", "client.key", "-certfile", "issuers.pem"], true
            ),
        ])
    func openSSL(arguments: [String], isBER: Bool) async throws {
        let client = try ClientFixture.good.get()
        let message = try await PeerFolder.with { folder in
            _ = try folder.identity("client", [client[0]])
            try folder.file("issuers.pem", client.dropFirst().map(\.pem).joined())
            try folder.file("text", String(repeating: "text", count: 10_000))
            _ = try await PeerProcess.output(
                "openssl", arguments + ["-outform", "DER", "-out", "message.p7b"], in: folder.url, input: "",
                until: "\u{0}")
            return Array(try Data(contentsOf: folder.url.appendingPathComponent("message.p7b")))
        }
        #expect(message.starts(with: [0x30, 0x80]) == isBER)
        let certificates = try CertificateView.certificates(inCertificatesOnlyMessage: message)
        #expect(Set(certificates.map(\.bytes)) == Set(client.map(\.der)))
    }

    @Test("A file with an algorithm that is not supported is refused with its name and the way on", arguments: ciphers)
    func unsupported(arguments: [String], identifier: String) async throws {
        let client = try ClientFixture.good.get()
        let file = try await PKCS12IdentityTests.file(client, password: "right", arguments)
        let error = #expect(throws: TLSIdentityError.self) { try TLSIdentity(pkcs12: file, password: "right") }
        #expect(error?.code == .unsupportedPKCS12)
        let text = error?.description ?? ""
        #expect(
            text.contains("not supported: algorithm \(identifier). Write it anew: openssl pkcs12 -legacy"), "\(text)")
    }
}

/// The encryption of the key, that of the certificates, and the code. NSS writes 600,000 iterations.
private let exports: [[String]] = [[], ["-c", "AES-128-CBC", "-C", "AES-256-CBC", "-M", "SHA-512"]]

private let ciphers: [([String], String)] = [
    (["-keypbe", "camellia-256-cbc"], "1.2.392.200011.61.1.1.1.4"),
    (["-certpbe", "camellia-128-cbc"], "1.2.392.200011.61.1.1.1.2"), (["-macalg", "sha224"], "2.16.840.1.101.3.4.2.4"),
    (["-macalg", "sha512-256"], "2.16.840.1.101.3.4.2.6"),
]
