//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

/// Certificates that tests read from files and texts.
enum TestCertificates {
    static let root = Certificate(try! TestChain.root.authority())
    static let other = Certificate(try! CraftedAuthority("Other", .p256(11)).authority())
    static let third = Certificate(try! CraftedAuthority("Third", .p256(12)).authority())
    static let all = [root, other, third]
}

@Suite("PEM")
struct PEMTests {
    static let (a, b, c) = (TestCertificates.root, TestCertificates.other, TestCertificates.third)

    static func read(_ text: String) throws(CertificateError) -> [Certificate] {
        try Certificate.certificates(in: Array(text.utf8))
    }

    static func error(_ text: String) -> CertificateError.Code? {
        do {
            _ = try self.read(text)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("Text that holds no whole certificate is refused, and says where it breaks")
    func refused() throws {
        let lines = Self.a.pemRepresentation.split(separator: "\n").map(String.init)
        func joined(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }
        #expect(Self.error("") == .malformed(Self.derError("")))
        #expect(Self.error("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n") == .noCertificate)
        #expect(Self.error(joined(lines.dropLast())) == .pem(PEMError(line: 1, .missingEnd)))
        #expect(Self.error("x\n" + joined(lines.dropLast()) + joined(lines)) == .pem(PEMError(line: 2, .missingEnd)))
        #expect(Self.error(joined([lines[0], "AAAA*AAA"] + lines[1...])) == .pem(PEMError(line: 2, .invalidBase64)))
        #expect(
            Self.error(joined([lines[0], "AAAAA", lines[lines.count - 1]])) == .pem(PEMError(line: 3, .invalidBase64)))
        #expect(
            Self.error(joined([lines[0], "AAA", lines[lines.count - 1]])) == .pem(PEMError(line: 3, .invalidBase64)))
        #expect(
            Self.error(joined([lines[0], "AAB=", lines[lines.count - 1]])) == .pem(PEMError(line: 3, .invalidBase64)))
        #expect(
            Self.error(joined([lines[0], "AAAA=", lines[lines.count - 1]])) == .pem(PEMError(line: 3, .invalidBase64)))
        #expect(
            Self.error(joined([lines[0], "AA==AAAA", lines[lines.count - 1]]))
                == .pem(PEMError(line: 2, .invalidBase64)))
        #expect(
            Self.error(joined([lines[0], "Proc-Type: 4,ENCRYPTED"] + lines[1...]))
                == .pem(PEMError(line: 2, .invalidBase64)))
        guard case .malformed(let empty)? = Self.error(joined([lines[0], lines[lines.count - 1]])) else {
            Issue.record("an empty block is no certificate")
            return
        }
        #expect(empty.code == .empty)
        #expect(Self.error("no certificate here") == .malformed(Self.derError("no certificate here")))
        #expect(throws: CertificateError.self) { try Certificate(pem: "") }
    }

    static func derError(_ text: String) -> DERError {
        do throws(DERError) {
            _ = try CertificateView(der: Array(text.utf8))
            fatalError("text is no certificate")
        } catch {
            return error
        }
    }

    @Test("Certificates are found among keys, comments and blank lines, with any line ends")
    func found() throws {
        let key = "-----BEGIN PRIVATE KEY-----\n!!!\n-----END PRIVATE KEY-----\n"
        let (a, b, c) = (Self.a.pemRepresentation, Self.b.pemRepresentation, Self.c.pemRepresentation)
        #expect(try Self.read(a) == [Self.a])
        #expect(try Self.read(a + b + c) == [Self.a, Self.b, Self.c])
        #expect(try Self.read("subject=Root\n\n" + a + key + "# next\n" + b + "trailing\n") == [Self.a, Self.b])
        #expect(try Self.read((a + b).replacingOccurrences(of: "\n", with: "\r\n")) == [Self.a, Self.b])
        #expect(try Self.read((a + b).replacingOccurrences(of: "\n", with: "\r")) == [Self.a, Self.b])
        #expect(try Self.read((a + b).replacingOccurrences(of: "\n", with: " \t\n")) == [Self.a, Self.b])
        #expect(try Self.read(String(a.dropLast())) == [Self.a])
        #expect(try Self.read(a.replacingOccurrences(of: "CERTIFICATE", with: "X509 CERTIFICATE")) == [Self.a])
        #expect(Self.error(a.replacingOccurrences(of: "CERTIFICATE", with: "TRUSTED CERTIFICATE") + b) != nil)
        #expect(try Certificate(pem: a + b) == Self.a)
        let oneLine =
            "-----BEGIN CERTIFICATE-----\n" + Data(Self.a.derRepresentation).base64EncodedString()
            + "\n-----END CERTIFICATE-----"
        #expect(try Self.read(oneLine) == [Self.a])
    }

    @Test("What is written can be read, by lines of 64 characters")
    func written() throws {
        for certificate in TestCertificates.all {
            let pem = certificate.pemRepresentation
            #expect(try Certificate(pem: pem) == certificate)
            #expect(pem.split(separator: "\n").dropFirst().dropLast(2).allSatisfy { $0.count == 64 })
        }
    }

    @Test("DER where PEM is expected is read, and PEM where DER is expected is told")
    func confusion() throws {
        #expect(try Certificate.certificates(in: Self.a.derRepresentation) == [Self.a])
        #expect(throws: CertificateError(.pemInsteadOfDER)) {
            try Certificate(der: Array(Self.a.pemRepresentation.utf8))
        }
        #expect(throws: CertificateError.self) { try Certificate(der: Self.a.derRepresentation + [0]) }
        #expect(throws: CertificateError.self) { try Certificate(der: []) }
        #expect("\(CertificateError(.noCertificate))".contains("BEGIN CERTIFICATE"))
    }

    @Test("A text cut off anywhere, or with any character changed, is read or refused and never traps")
    func damaged() {
        let text = Array((Self.a.pemRepresentation + Self.b.pemRepresentation).utf8)
        for count in stride(from: 0, to: text.count, by: 7) {
            let cut = try? Certificate.certificates(in: text[..<count])
            #expect(cut == nil || cut == [Self.a])
            var damaged = text
            damaged[count] = damaged[count] ^ 0x11
            let read = (try? Certificate.certificates(in: damaged)) ?? []
            #expect(read.count <= 2 && read != [Self.a, Self.b])
        }
    }
}

@Suite("Certificates and keys")
struct CertificateTests {
    @Test("A certificate shows what it says")
    func accessors() throws {
        let leaf = try TestChain.second.leaf {
            $0.subject = TestDER.name([[.c("DE")], [.o("Example")], [.cn("first")], [.cn("www.example.com")]])
            $0.set(
                .alternativeNames([
                    .dns("www.example.com"), .dns("a.example"), .ip([192, 0, 2, 1]), .email("a@b.example"),
                ]))
            $0.serialNumber = DER.element(2, [0x00, 0x81])
        }
        let certificate = Certificate(leaf)
        #expect(certificate.subjectSummary == "www.example.com, first")
        #expect(certificate.commonName == "www.example.com")
        #expect(certificate.subject == "C=DE, O=Example, CN=first, CN=www.example.com")
        #expect(certificate.issuer == "O=Test, CN=Second")
        #expect(certificate.dnsNames == ["www.example.com", "a.example"])
        #expect(certificate.ipAddresses.map(\.description) == ["192.0.2.1"])
        #expect(certificate.emailAddresses == ["a@b.example"])
        #expect(certificate.serialNumber == [0x00, 0x81])
        #expect(certificate.notValidBefore == Date(timeIntervalSince1970: 1_777_593_600))
        #expect(certificate.notValidAfter == Date(timeIntervalSince1970: 1_785_542_400))
        #expect(certificate.signatureAlgorithm == "ECDSA with SHA-256")
        #expect(certificate.isCertificateAuthority == false)
        #expect(certificate.isSelfIssued == false)
        #expect(TestCertificates.root.isCertificateAuthority)
        #expect(TestCertificates.root.isSelfIssued)
        #expect(certificate.derRepresentation == leaf.bytes)
        #expect(certificate.description == "www.example.com, first (until 2026-08-01T00:00:00Z)")
        #expect(certificate.sha256Fingerprint.count == 32)
    }

    @Test("A summary is the common name, or the next best name there is")
    func summaries() throws {
        func summary(_ name: [[TestAttribute]], _ names: [TestName] = []) throws -> String {
            Certificate(
                try TestChain.second.leaf {
                    $0.subject = TestDER.name(name)
                    $0.remove("2.5.29.17")
                    if !names.isEmpty { $0.set(.alternativeNames(names)) }
                }
            ).subjectSummary
        }
        #expect(try summary([[.o("O")], [TestAttribute("2.5.4.11", "U")], [.cn("C")]]) == "C")
        #expect(try summary([[.o("O")], [TestAttribute("2.5.4.11", "U")]]) == "U")
        #expect(try summary([[.o("O")]]) == "O")
        #expect(try summary([], [.dns("a.example")]) == "a.example")
        #expect(try summary([], [.ip([192, 0, 2, 1])]) == "192.0.2.1")
        let (unit, description) = ("2.5.4.11", "2.5.4.13")
        let mail = [TestAttribute("1.2.840.113549.1.9.1", "subject@b.example")]
        func described(_ text: String) -> [TestAttribute] { [TestAttribute(description, text)] }
        #expect(try summary([[.cn("A")], [.o("O")], [.cn("B")], [.cn("C")]]) == "C, B, A")
        #expect(try summary([[.cn("A"), .cn("B")], described("D")]) == "B, A (D)")
        #expect(try summary([[.cn("A")], described("D"), described("E")]) == "A (E, D)")
        #expect(try summary([[.o("O")], described("D")]) == "O")
        #expect(try summary([[.o("O")], [.o("P")]]) == "P, O")
        #expect(try summary([[.o("O")], [TestAttribute(unit, "U")]], [.dns("a.example")]) == "a.example")
        #expect(try summary([[.o("O")]], [.dns("a.example"), .email("a@b.example")]) == "a@b.example")
        #expect(try summary([[.o("O")], mail], [.dns("a.example")]) == "subject@b.example")
        #expect(try summary([[.o("O")], mail], [.email("a@b.example")]) == "a@b.example")
        #expect(try summary([[.o("O")], mail, [.cn("C")]], [.dns("a.example")]) == "C")
        #expect(try summary([[.o("O")]], [.ip([192, 0, 2, 1])]) == "O")
        let many = try summary((0..<500).map { [.cn("name \($0)")] })
        #expect(many.hasPrefix("name 499, name 498, ") && many.utf8.count < 1_000)
        let addresses = Certificate(
            try TestChain.second.leaf {
                $0.subject = TestDER.name([mail, [.cn("C")]])
                $0.set(.alternativeNames([.dns("a.example"), .email("a@b.example"), .email("c@d.example")]))
            })
        #expect(addresses.emailAddresses == ["a@b.example", "c@d.example", "subject@b.example"])
        #expect(try summary([]) == "certificate without a subject")
        #expect(try summary([[.c("DE")]]) == "C=DE")
    }

    @Test("A key is pinned by the digest of its SubjectPublicKeyInfo, as openssl computes it")
    func pins() throws {
        // The P-256 key with the scalar 1: openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
        let key = TestCertificates.root.publicKey
        #expect(key.pin == "XNJS+wzokyQ2+vjM0QQJgbie5K1rn+niorfnGqyyfNM=")
        #expect(Data(key.sha256).base64EncodedString() == key.pin)
        #expect(key.kind == .p256)
        #expect(key.sizeInBits == 256)
        #expect(key.description == "P-256")
        #expect(key.externalRepresentation.count == 65)
        #expect(key.subjectPublicKeyInfo == TestKey.p256(1).info)
        let rsa = Certificate(try TestChain.root.leaf(.rsa2048)).publicKey
        #expect(rsa.description == "RSA 2048 bits")
    }

    @Test("Two keys are the same when their bytes are, whatever certificate they are in")
    func equality() throws {
        let twin = Certificate(try CraftedAuthority("Twin", .p256(1)).authority())
        #expect(twin != TestCertificates.root)
        #expect(twin.publicKey == TestCertificates.root.publicKey)
        #expect(Set([twin.publicKey, TestCertificates.root.publicKey, TestCertificates.other.publicKey]).count == 2)
    }
}
