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

@Suite("PKCS#12 files that OpenSSL writes", .limitedConcurrency, .timeLimit(.minutes(10)))
struct PKCS12IdentityTests {
    @Test("A file is read with its password and with no other, however it is encrypted", arguments: forms)
    func reading(form: PKCS12Form) async throws {
        let client = try ClientFixture.good.get()
        let expected = try TLSIdentity(pem: client.map(\.pem).joined(), key: try client[0].privateKey.pem)
        for password in ["right", "pässwörd 🔑", ""] {
            let file = try await Self.file(client, password: password, form.arguments)
            #expect(try TLSIdentity(pkcs12: file, password: form.isProtected ? password : nil) == expected)
            let wrong = #expect(throws: TLSIdentityError.self) { try TLSIdentity(pkcs12: file, password: "wrong") }
            #expect(wrong?.code == (form.isProtected ? .wrongPassword : .passwordNotNeeded))
            guard !password.isEmpty, form.isProtected else { continue }
            let missing = #expect(throws: TLSIdentityError.self) { try TLSIdentity(pkcs12: file) }
            #expect(missing?.code == .passwordNeeded)
        }
    }

    @Test("A file without a key, and one without its certificate, is refused with what to do")
    func incomplete() async throws {
        let client = try ClientFixture.good.get()
        let keyless = try await Self.file(client, password: "right", ["-nokeys"])
        let noKey = #expect(throws: TLSIdentityError.self) { try TLSIdentity(pkcs12: keyless, password: "right") }
        #expect(noKey?.code == .noKey)
        let bare = try await Self.file(client, password: "right", ["-nocerts"])
        let noCertificate = #expect(throws: TLSIdentityError.self) { try TLSIdentity(pkcs12: bare, password: "right") }
        #expect(noCertificate?.code == .noCertificateOfKey)
    }

    @Test("The certificate is the key's, wherever it is in the file, and its issuers follow as far as they are there")
    func order() throws {
        let client = try ClientFixture.good.get()
        let stranger = try ATSFixture.rsa.get()
        let key = try Self.privateKeyInfo(client[0])
        let certificates = [stranger[0], client[1], client[0]].map(\.der)
        let file = PKCS12Writer.file(keys: [key], certificates: certificates)
        let identity = try TLSIdentity(pkcs12: file)
        #expect(identity.certificates.map(\.derRepresentation) == client.map(\.der))
        // A local key identifier that names another certificate is not believed.
        let lying = PKCS12Writer.file(
            keys: [key], certificates: certificates, localKeyID: { $0 == stranger[0].der ? [1] : nil }, keyID: [1])
        #expect(try TLSIdentity(pkcs12: lying) == identity)
        for (keys, certificates, code) in [
            ([key, try Self.privateKeyInfo(stranger[0])], certificates, TLSIdentityError.Code.severalKeys),
            ([key], [stranger[0].der], .noCertificateOfKey), ([key], [], .noCertificateOfKey),
            ([[0x30, 0x00]], certificates, .unreadableKey), ([key], [[0x30, 0x00]], .unreadableCertificate),
        ] {
            let file = PKCS12Writer.file(keys: keys, certificates: certificates)
            let error = #expect(throws: TLSIdentityError.self) { try TLSIdentity(pkcs12: file) }
            #expect(error?.code == code)
        }
    }

    @Test("No file that was cut or has a bit changed gives another identity", arguments: [[], ["-legacy"]])
    func damage(arguments: [String]) async throws {
        let client = try ClientFixture.good.get()
        let file = try await Self.file(client, password: "right", ["-iter", "1"] + arguments)
        let whole = try PKCS12File(der: file, password: "right")
        for count in 0..<file.count {
            #expect(throws: PKCS12Error.self) { try PKCS12File(der: Array(file.prefix(count)), password: "right") }
        }
        for position in file.indices {
            for bit in 0..<8 {
                var changed = file
                changed[position] ^= 1 << bit
                guard let read = try? PKCS12File(der: changed, password: "right", maximumRounds: 1_000) else {
                    continue
                }
                #expect(
                    read.keys == whole.keys && read.certificates == whole.certificates, "octet \(position), bit \(bit)")
            }
        }
    }

    private static func privateKeyInfo(_ certificate: TestCertificate) throws -> [UInt8] {
        let base64 = try certificate.privateKey.pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        return Array(try #require(Data(base64Encoded: base64)))
    }

    /// What `openssl pkcs12 -export` writes.
    static func file(
        _ chain: [TestCertificate], password: String, _ arguments: [String]
    ) async throws -> [UInt8] {
        try await PeerFolder.with { folder in
            let (certificates, key) = try folder.identity("client", chain)
            let keyArguments = arguments.contains("-nokeys") ? [] : ["-inkey", key]
            _ = try await PeerProcess.output(
                "openssl",
                ["pkcs12", "-export", "-in", certificates, "-out", "client.p12", "-passout", "pass:\(password)"]
                    + keyArguments + arguments, in: folder.url, input: "", until: "\u{0}")
            return Array(try Data(contentsOf: folder.url.appendingPathComponent("client.p12")))
        }
    }
}

struct PKCS12Form: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    var isProtected = true

    var testDescription: String { self.arguments.isEmpty ? "as usual" : self.arguments.joined(separator: " ") }
}

private let forms: [PKCS12Form] =
    [
        [], ["-legacy"], ["-legacy", "-descert"], ["-macalg", "sha1"], ["-macalg", "sha384"], ["-macalg", "sha512"],
        ["-nomac"], ["-noiter", "-nomaciter"], ["-iter", "100000"],
        ["-keypbe", "aes-128-cbc", "-certpbe", "aes-192-cbc"], ["-keypbe", "des-ede3-cbc", "-certpbe", "NONE"],
        ["-legacy", "-keypbe", "PBE-SHA1-RC2-40", "-certpbe", "PBE-SHA1-RC2-128"],
        ["-legacy", "-keypbe", "PBE-SHA1-2DES", "-certpbe", "PBE-SHA1-3DES"],
        ["-keypbe", "NONE", "-certpbe", "NONE"],
    ].map { PKCS12Form(arguments: $0) } + [
        PKCS12Form(arguments: ["-keypbe", "NONE", "-certpbe", "NONE", "-nomac"], isProtected: false)
    ]

/// Writes files without encryption and authentication.
enum PKCS12Writer {
    static func file(
        keys: [[UInt8]], certificates: [[UInt8]], localKeyID: ([UInt8]) -> [UInt8]? = { _ in nil },
        keyID: [UInt8]? = nil
    ) -> [UInt8] {
        let certificateBags = certificates.map { der in
            let octets = DER.element(0xA0, DER.octetString(der))
            return self.bag(3, DER.sequence(DER.oid("1.2.840.113549.1.9.22.1"), octets), localKeyID(der))
        }
        let bags = keys.map { self.bag(1, $0, keyID) } + certificateBags
        let contents = DER.octetString(DER.element(0x30, Array(bags.joined())))
        let data = DER.sequence(DER.oid("1.2.840.113549.1.7.1"), DER.element(0xA0, contents))
        let safe = DER.element(0xA0, DER.octetString(DER.sequence(data)))
        return DER.sequence(DER.integer(3), DER.sequence(DER.oid("1.2.840.113549.1.7.1"), safe))
    }

    private static func bag(_ kind: Int, _ value: [UInt8], _ localKeyID: [UInt8]?) -> [UInt8] {
        let attributes = localKeyID.map {
            DER.set(DER.sequence(DER.oid("1.2.840.113549.1.9.21"), DER.set(DER.octetString($0))))
        }
        return DER.sequence(
            DER.oid("1.2.840.113549.1.12.10.1.\(kind)"), DER.element(0xA0, value), attributes ?? [])
    }
}
