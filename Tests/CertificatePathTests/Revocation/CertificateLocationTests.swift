//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import TestSupport
import Testing

/// An AuthorityInfoAccess extension from pairs of a method and a name.
private func access(_ items: [(String, TestName)]) -> TestExtension {
    TestExtension("1.3.6.1.5.5.7.1.1", DER.list(items.map { DER.sequence(DER.oid($0.0), $0.1.encoded) }))
}

private let ocspMethod = "1.3.6.1.5.5.7.48.1"
private let issuersMethod = "1.3.6.1.5.5.7.48.2"

@Suite("Where a certificate says that more is to be found")
struct CertificateLocationTests {
    @Test(
        "A location that is not plain HTTP, not printable or endless is left out",
        arguments: [
            "https://ca.test/", "ldap://ca.test/", "file:///etc/passwd", "http:/ca.test", "http//ca.test", "",
            "http://ca.test/a b", "http://ca.test/\u{1B}[0m", "http://ca.test/\r\nHost: x", "http://cä.test/",
            "http://ca.test/" + String(repeating: "a", count: 2_048),
        ])
    func unusable(text: String) throws {
        let leaf = try testRoot.leaf { certificate in
            certificate.set(access([(ocspMethod, .uri(text)), (issuersMethod, .uri(text))]))
            certificate.set(.distributionPoints([Point.uri(text)]))
        }
        #expect(leaf.ocspURLs.isEmpty)
        #expect(leaf.issuerURLs.isEmpty)
        #expect(leaf.revocationListURLs.isEmpty)
    }

    @Test("Locations are told apart by what is there")
    func kinds() throws {
        let leaf = try testRoot.leaf { certificate in
            certificate.set(
                access([
                    (issuersMethod, .uri("http://ca.test/ca.cer")), (ocspMethod, .uri("HTTP://ocsp.test")),
                    (ocspMethod, .dns("ocsp.test")), ("1.2.3", .uri("http://other.test/")),
                ]))
            certificate.set(
                .distributionPoints(
                    [Point.uri("http://ca.test/a.crl"), Point.reasons(0x40)], [Point.directory(testRoot.name)],
                    [Point.uri("http://ca.test/a.crl")], [Point.uri("http://ca.test/b.crl")]))
        }
        #expect(leaf.ocspURLs == ["HTTP://ocsp.test"])
        #expect(leaf.issuerURLs == ["http://ca.test/ca.cer"])
        #expect(leaf.revocationListURLs == ["http://ca.test/a.crl", "http://ca.test/b.crl"])
    }

    @Test("Of very many locations the first eight are known")
    func many() throws {
        let leaf = try testRoot.leaf { certificate in
            certificate.set(access((0..<100).map { (ocspMethod, .uri("http://ocsp.test/\($0)")) }))
        }
        #expect(leaf.ocspURLs == (0..<8).map { "http://ocsp.test/\($0)" })
    }

    @Test("A certificate without locations has none")
    func none() throws {
        let leaf = try testRoot.leaf()
        #expect(leaf.ocspURLs.isEmpty && leaf.issuerURLs.isEmpty && leaf.revocationListURLs.isEmpty)
    }
}

@Suite("Messages that hold certificates only (RFC 5652)")
struct CertificatesOnlyMessageTests {
    private func message(_ certificates: [[UInt8]], type: String = "1.2.840.113549.1.7.2") -> [UInt8] {
        let signedData = DER.sequence(
            DER.integer(1), DER.set(), DER.sequence(DER.oid("1.2.840.113549.1.7.1")),
            DER.element(0xA0, Array(certificates.joined())), DER.set())
        return DER.sequence(DER.oid(type), DER.element(0xA0, signedData))
    }

    @Test("The certificates are read, and what is not one of them is left out")
    func certificates() throws {
        let root = try testRoot.authority()
        let leaf = try testRoot.leaf()
        let message = self.message([root.bytes, DER.sequence(DER.integer(1)), leaf.bytes])
        #expect(try CertificateView.certificates(inCertificatesOnlyMessage: message) == [root, leaf])
        let many = self.message(Array(repeating: leaf.bytes, count: 100))
        #expect(try CertificateView.certificates(inCertificatesOnlyMessage: many).count == 64)
    }

    @Test("A message in BER is read, and its certificates keep their octets")
    func basicEncoding() throws {
        let (root, leaf) = (try testRoot.authority(), try testRoot.leaf())
        let message = self.message([root.bytes, leaf.bytes])
        let ber = try #require(BER.rewritten(message, depth: 4))
        #expect(ber.contains([0x30, 0x80]) && ber != message)
        #expect(try CertificateView.certificates(inCertificatesOnlyMessage: ber) == [root, leaf])
        for count in ber.indices {
            #expect(throws: DERError.self) {
                try CertificateView.certificates(inCertificatesOnlyMessage: Array(ber.prefix(count)))
            }
        }
        let error = #expect(throws: DERError.self) {
            try CertificateView.certificates(inCertificatesOnlyMessage: ber + [0])
        }
        #expect(error?.code == .trailingBytes && error?.offset == ber.count)
    }

    @Test("A certificate in BER cannot be read, in a message of either form")
    func certificateInBER() throws {
        let leaf = try testRoot.leaf()
        let (ber, serial) = (try #require(BER.rewritten(leaf.bytes)), DER.integer(1))
        for (message, code) in [
            (self.message([leaf.bytes, ber]), .indefiniteLength),
            (try #require(BER.rewritten(self.message([leaf.bytes]), depth: 5)), .indefiniteLength),
            (self.message([ber.dropLast(2)]), .truncated),
            (self.message([[0x30, 0x81, 0x03] + serial]), .nonMinimalLength),
        ] as [([UInt8], DERError.Code)] {
            let error = #expect(throws: DERError.self) {
                try CertificateView.certificates(inCertificatesOnlyMessage: message)
            }
            #expect(error?.code == code)
        }
    }

    @Test("Lists of more elements than are read, and levels without an end, are refused")
    func bounds() {
        let crowd = self.message([[UInt8]](repeating: [0x05, 0x00], count: 20_000))
        let levels = self.message([Array([[UInt8]](repeating: [0x30, 0x80], count: 10_000).joined())])
        for message in [crowd, levels, [UInt8](repeating: 0x30, count: 4 << 20 + 1)] {
            let error = #expect(throws: DERError.self) {
                try CertificateView.certificates(inCertificatesOnlyMessage: message)
            }
            #expect([.tooManyElements, .tooLarge].contains(error?.code))
        }
    }

    @Test("Other bytes are refused, and cut off or changed ones never trap")
    func hostile() throws {
        let message = self.message([try testRoot.leaf().bytes])
        #expect(throws: DERError.self) {
            try CertificateView.certificates(inCertificatesOnlyMessage: self.message([], type: "1.2.840.113549.1.7.1"))
        }
        #expect(throws: DERError.self) { try CertificateView.certificates(inCertificatesOnlyMessage: []) }
        for count in message.indices {
            #expect(throws: DERError.self) {
                try CertificateView.certificates(inCertificatesOnlyMessage: Array(message[..<count]))
            }
        }
        for bit in 0..<message.count * 8 {
            var flipped = message
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            _ = try? CertificateView.certificates(inCertificatesOnlyMessage: flipped)
        }
    }
}
