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

@Suite("servertrust show, and files of other kinds than were asked for", .limitedConcurrency)
struct ShowTests {
    private static let leaf = Result { try FaultScene.leaf { _ in }.chain[0] }

    @Test("A certificate is shown with its subject, dates and pin, in DER and in PEM")
    func certificate() async throws {
        let certificate = Certificate(try Self.leaf.get())
        try await withTemporaryFolder { folder in
            let der = try folder.file("a.der", contents: certificate.derRepresentation)
            let pem = try folder.file(
                "a.pem", "text before\n" + certificate.pemRepresentation + certificate.pemRepresentation)
            let finished = try await CommandLineTool.servertrust(["show", der, pem])
            #expect(finished.status == 0, "\(finished.errors)")
            #expect(finished.output.components(separatedBy: "\(Pin(keyOf: certificate))").count == 4)
            #expect(
                finished.output.contains("a certificate in DER") && finished.output.contains("PEM with 2 × CERTIFICATE")
            )
            #expect(finished.output.contains("2026-05-01T00:00:00Z to 2026-08-01T00:00:00Z"))
        }
    }

    @Test("Lists, responses, requests and keys are told apart, and a private key is not shown")
    func kinds() async throws {
        guard CommandLineTool.installed("openssl") != nil else { return }
        try await withTemporaryFolder { folder in
            let list = try folder.file("a.crl", contents: try TestRevocationList(FaultScene.issuer).view().bytes)
            let response = try folder.file("a.ocsp", contents: try TestOCSPResponse().view().bytes)
            let (key, request) = (folder.path("key.pem"), folder.path("a.csr"))
            let openssl = try #require(CommandLineTool.installed("openssl"))
            let made = try await CommandLineTool.run(
                openssl,
                [
                    "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
                    "-out",
                    request, "-subj", "/O=Example/CN=x", "-addext", "subjectAltName=DNS:a.test,IP:192.0.2.1",
                ])
            #expect(made.status == 0, "\(made.errors)")
            let finished = try await CommandLineTool.servertrust(["show", list, response, key, request])
            #expect(finished.status == 0, "\(finished.errors)")
            for text in [
                "of O=Test, CN=Fault Issuing CA", "made at 2026-05-31T00:00:00Z", "named and not shown",
                "revoked     no certificate", "number      05", "about 1 certificate",
                "serial      1267: good, as of 2026-05-31T00:00:00Z", "--crl \(list)` judges",
                "--ocsp \(response)` judges",
                "O=Example, CN=x", "names       a.test, 192.0.2.1", "pin         sha256/",
            ] { #expect(finished.output.contains(text), "\(text): \(finished.output)") }
            let secret = try String(contentsOfFile: key, encoding: .utf8).split(separator: "\n")[1]
            #expect(!finished.output.contains(secret))
        }
    }

    @Test("What cannot be read ends with 2 and is named, in text and in JSON, and a key without a password is no fault")
    func unreadable() async throws {
        let pem = Certificate(try Self.leaf.get()).pemRepresentation
        let der = try Self.leaf.get().bytes
        let encrypted =
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nMAA=\n"
        let cases: [(contents: [UInt8], isFault: Bool)] = [
            (Array(pem.utf8), false), (Array((pem + pem.prefix(200)).utf8), true), (Array(pem.prefix(200).utf8), true),
            (Array(pem.dropLast(8).utf8), true), (Array(pem.replacingOccurrences(of: "MII", with: "M!I").utf8), true),
            (Array((encrypted + "-----END RSA PRIVATE KEY-----\n").utf8), false), (Array(encrypted.utf8), true),
            (Array("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n".utf8), true),
            (Array(der.prefix(100)), true), ([], true), (Array("plain text".utf8), false),
            (try TestRevocationList(FaultScene.issuer).view().bytes.dropLast(), true),
        ]
        for (contents, isFault) in cases {
            try await withTemporaryFolder { folder in
                let file = try folder.file("file", contents: contents)
                for arguments in [["show", file], ["show", file, "--format", "json"]] {
                    let finished = try await CommandLineTool.servertrust(arguments)
                    #expect(finished.status == (isFault ? 2 : 0), "\(finished.output)\(finished.errors)")
                    #expect(finished.errors.contains("cannot be read") == isFault, "\(finished.errors)")
                    #expect(!finished.output.isEmpty)
                }
            }
        }
    }

    @Test("A key on a curve that Apple's systems do not use is named in words")
    func otherCurve() async throws {
        guard let openssl = CommandLineTool.installed("openssl") else { return }
        try await withTemporaryFolder { folder in
            let file = folder.path("c.pem")
            let made = try await CommandLineTool.run(
                openssl,
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:secp256k1", "-nodes", "-keyout",
                    folder.path("key.pem"), "-out", file, "-subj", "/CN=a.test",
                ])
            #expect(made.status == 0, "\(made.errors)")
            for arguments in [["show", file], ["evaluate", "--chain", file, "--host", "a.test"]] {
                let finished = try await CommandLineTool.servertrust(arguments)
                #expect(finished.output.contains("EC on a curve that is not of NIST"), "\(finished.output)")
                #expect(!finished.output.contains("other curve"), "\(finished.output)")
            }
        }
    }

    @Test("Of a private key the way to the pin of its public key is told, which the shown commands go")
    func privateKey() async throws {
        guard let openssl = CommandLineTool.installed("openssl") else { return }
        try await withTemporaryFolder { folder in
            let key = try TestAuthority().root.privateKey.pem
            let file = try folder.file("backup.key", key)
            let shown = try await CommandLineTool.servertrust(["show", file])
            #expect(shown.output.contains("openssl pkey -in \(file) -pubout -out public.pem"), "\(shown.output)")
            let written = try await CommandLineTool.run(
                openssl, ["pkey", "-in", file, "-pubout", "-out", folder.path("public.pem")])
            let pin = try await CommandLineTool.servertrust(["show", folder.path("public.pem")])
            #expect(written.status == 0 && pin.status == 0 && pin.output.contains("pin sha256/"), "\(pin.output)")
        }
    }

    @Test("A chain or root of another kind is named, with the way to a certificate")
    func named() async throws {
        let key = Array("-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n".utf8)
        let store = DER.sequence(DER.integer(3), DER.sequence(DER.oid("1.2.840.113549.1.7.1")), DER.sequence())
        let message = DER.sequence(DER.oid("1.2.840.113549.1.7.2"), DER.element(0xA0, DER.sequence()))
        let certificate = try Self.leaf.get().bytes
        let bare = Array(Data(certificate).base64EncodedString().utf8)
        let label = "TRUSTED CERTIFICATE-----\n"
        let trusted = Array("-----BEGIN \(label)".utf8) + bare + Array("\n-----END \(label)".utf8)
        let cases: [([UInt8], String)] = [
            (key, "PEM with 1 × PRIVATE KEY, and not a certificate"),
            (store, "this is a PKCS#12 file, and not a certificate. Take the certificates out"),
            (message, "a PKCS#7 message, and not a certificate. Take the certificates out"),
            (bare, "a certificate in Base64, without the lines BEGIN and END of PEM. Put it between"),
            (trusted, "PEM with 1 × TRUSTED CERTIFICATE. Write it as a plain certificate"),
            (try TestRevocationList(FaultScene.issuer).view().bytes, "a revocation list in DER"),
            ([0xFF, 0xFE, 0x2D, 0x00], "text in UTF-16"),
        ]
        for (contents, text) in cases {
            try await withTemporaryFolder { folder in
                let file = try folder.file("file", contents: contents)
                let chain = try await CommandLineTool.servertrust(["evaluate", "--chain", file, "--host", "a.test"])
                #expect(chain.status == 2 && chain.errors.contains(text), "\(chain.errors)")
                #expect(!chain.errors.contains("ask its issuer"), "\(chain.errors)")
            }
        }
    }

    @Test("A PKCS#7 message and a PKCS#12 file in BER are shown, and a certificate in BER is of no known kind")
    func basicEncoding() async throws {
        let certificate = try Self.leaf.get().bytes
        let signedData = DER.sequence(
            DER.integer(1), DER.set(), DER.sequence(DER.oid("1.2.840.113549.1.7.1")), DER.element(0xA0, certificate))
        let message = DER.sequence(DER.oid("1.2.840.113549.1.7.2"), DER.element(0xA0, signedData))
        let safe = DER.element(0xA0, DER.octetString(DER.sequence()))
        let store = DER.sequence(DER.integer(3), DER.sequence(DER.oid("1.2.840.113549.1.7.1"), safe))
        let cases: [([UInt8]?, String?)] = [
            (BER.rewritten(message, depth: 4), "a PKCS#7 message\n  PKCS#7      1 certificate"),
            (BER.rewritten(store), "a PKCS#12 file\n  PKCS#12     0 keys, 0 certificates, without a password"),
            (BER.rewritten(certificate), nil),
        ]
        for (contents, text) in cases {
            let contents = try #require(contents)
            try await withTemporaryFolder { folder in
                let file = try folder.file("file", contents: contents)
                let finished = try await CommandLineTool.servertrust(["show", file])
                #expect(finished.status == (text == nil ? 2 : 0), "\(finished.errors)")
                #expect(finished.output.contains(text ?? "a file of no known kind"), "\(finished.output)")
            }
        }
    }

    @Test("Octets that are cut off anywhere, or changed, are told of, and end nothing")
    func hostile() throws {
        let certificate = try Self.leaf.get().bytes
        let list = try TestRevocationList(FaultScene.issuer).view().bytes
        let message = BER.indefinite(0x30, DER.oid("1.2.840.113549.1.7.2"), BER.indefinite(0xA0, certificate))
        for octets in [certificate, list, message, DER.sequence(DER.element(2, []), DER.sequence())] {
            for count in 0...octets.count {
                _ = FileKind(of: Array(octets.prefix(count)))
                var changed = octets
                if count < octets.count { changed[count] ^= 0x5A }
                _ = EncodedKind(of: changed)
                _ = try? CertificateRequest(der: changed)
            }
        }
        #expect(FileKind(of: []) == .empty)
        #expect(FileKind(of: Array("hello".utf8)) == .text)
        #expect(EncodedKind(of: certificate) == .certificate && EncodedKind(of: list) == .revocationList)
    }
}
