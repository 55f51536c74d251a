//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@testable import CertificatePath

/// Certificates: read the same twice, with everything in them inside them.
enum CertificateTarget {
    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        for chunk in FuzzInput(bytes, headerCount: 0).chunks { self.read(chunk, &findings) }
    }

    private static func read(_ der: [UInt8], _ findings: inout Findings) {
        do {
            let certificate = try CertificateView(der: der)
            findings.expect(certificate.bytes == der, "other bytes than were given")
            findings.expect(self.frame(der), "three elements do not fill the certificate")
            self.checkValues(of: certificate, &findings)
            self.checkKey(of: certificate, &findings)
        } catch {
            findings.expect((0...der.count).contains(error.offset), "an error beyond the end: \(error)")
            let again = Result { () throws(DERError) in try CertificateView(der: der) }
            findings.expect(again == .failure(error), "another error the second time")
        }
    }

    /// A certificate is a SEQUENCE of three elements and nothing else, for every reader (RFC 5280 §4.1).
    private static func frame(_ der: [UInt8]) -> Bool {
        guard let outer = self.element(der, 0), der[0] == 0x30, outer.end == der.count else { return false }
        var position = outer.start
        var count = 0
        while position < der.count, let element = self.element(der, position) {
            (position, count) = (element.end, count + 1)
        }
        return position == der.count && count == 3
    }

    private static func element(_ der: [UInt8], _ position: Int) -> (start: Int, end: Int)? {
        guard position + 2 <= der.count else { return nil }
        var (start, length) = (position + 2, Int(der[position + 1]))
        if length >= 0x80 {
            let count = length - 0x80
            guard (1...4).contains(count), start + count <= der.count else { return nil }
            length = der[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
            start += count
        }
        return start + length <= der.count ? (start, start + length) : nil
    }

    private static func checkValues(of certificate: CertificateView, _ findings: inout Findings) {
        let size = certificate.bytes.count
        let texts = [
            certificate.subjectSummary, certificate.subjectDescription, certificate.issuerDescription,
            certificate.commonName ?? "", "\(certificate.notBefore)", "\(certificate.notAfter)",
            "\(certificate.signatureAlgorithm)",
        ]
        findings.expect(texts.allSatisfy { $0.utf8.count <= size * 8 + 64 }, "a text that is too long")
        let lists = [certificate.dnsNames, certificate.emailAddresses, certificate.commonNames]
        findings.expect(lists.allSatisfy { $0.count <= size }, "too many names")
        findings.expect(certificate.ipAddresses.count <= size, "too many addresses")
        findings.expect((1...3).contains(certificate.version), "version \(certificate.version)")
        findings.expect(!certificate.serialNumber.isEmpty, "no serial number")
        findings.expect(certificate.publicKeyBits <= size * 8, "a key larger than its certificate")
        findings.expect(certificate.extendedKeyUsages.count <= size, "too many usages")
        findings.expect(certificate.policyIdentifiers.count <= size, "too many policies")
        findings.expect((try? CertificateView(der: certificate.bytes)) == certificate, "another certificate")
        let subject = certificate.fields.subject
        let isEqual = DistinguishedName.areEqual(subject, of: certificate.bytes, subject, of: certificate.bytes)
        findings.expect(isEqual, "a name that differs from itself")
        let selfIssued = DistinguishedName.areEqual(
            certificate.fields.issuer, of: certificate.bytes, subject, of: certificate.bytes)
        findings.expect(selfIssued == certificate.isSelfIssued, "self-issued and not")
        let fields = certificate.fields
        findings.expect(!selfIssued || fields.issuerHash == fields.subjectHash, "equal names with different hashes")
    }

    private static func checkKey(of certificate: CertificateView, _ findings: inout Findings) {
        let info = certificate.subjectPublicKeyInfo
        let anchor = try? TrustAnchor(subject: TestDER.name([[.cn("x")]]), subjectPublicKeyInfo: info)
        findings.expect(anchor?.key.info.kind == certificate.publicKeyKind, "another kind of key by itself")
        findings.expect(anchor?.key.info.bits == certificate.publicKeyBits, "another size of key by itself")
        _ = PublicKeySource(certificate).verificationKey
    }

    static func seeds() throws -> [[UInt8]] {
        let keys: [TestKey] = [.p256(1), .p384(2), .p521(3), .ed25519(4), .rsa2048]
        var certificates = try keys.map { try CraftedAuthority("Root", $0).authority() }
        certificates += try Fixtures.chain
        certificates.append(try Fixtures.root.leaf(.p256(7)) { $0.extensions = SeedExtensions.all })
        for item in SeedExtensions.all {
            certificates.append(try Fixtures.root.leaf(Fixtures.leafKey) { $0.set(item) })
        }
        certificates.append(try Fixtures.root.leaf { $0.makeVersion1() })
        let names = [TestAttribute.o("TEST", tag: 0x13), .o(" te st ", tag: 0x14), .o("te  st"), .o("\u{FF34}est")]
        for (left, right) in zip(names, names.dropFirst()) {
            certificates.append(
                try Fixtures.root.leaf { ($0.issuer, $0.subject) = (TestDER.name([[left]]), TestDER.name([[right]])) })
        }
        certificates.append(try CraftedAuthority("PSS", .rsa2048).leaf { $0.setAlgorithm(.pssSHA256) })
        return certificates.map { FuzzInput(header: [], chunks: [$0.bytes]).encoded }
    }
}

/// One of every extension that is read.
enum SeedExtensions {
    static let all: [TestExtension] = [
        .basicConstraints(true, pathLength: 2), .keyUsage(0, 5, 6), .subjectKeyIdentifier([1, 2, 3]),
        .authorityKeyIdentifier([4, 5, 6]), .extendedKeyUsage("1.3.6.1.5.5.7.3.1", "2.5.29.37.0"),
        .alternativeNames([
            .dns("*.example.com"), .ip([127, 0, 0, 1]), .email("a@b.example"), .uri("https://b.example/"),
            .directory([[.cn("x"), .o("y")], [.c("DE")]]), .otherName, .registeredID, .x400, .ediParty,
        ]),
        .nameConstraints(
            permitted: [.dns("example.com"), .ip([127, 0, 0, 0, 255, 0, 0, 0]), .email(".example")],
            excluded: [.dns("bad.example.com"), .directory([[.o("z")]]), .uri(".b.example")]),
        .policies(["2.23.140.1.2.1", "2.5.29.32.0"]), .policyMappings([("1.2.3", "1.2.4")]),
        .policyConstraints(explicit: 1, mapping: 0), .inhibitAnyPolicy(1),
        .distributionPoints(
            [Point.uri("http://a/1"), Point.reasons(0x60)], [Point.relative("2"), Point.issuer(Fixtures.root.name)]),
        TestExtension("1.3.6.1.5.5.7.1.3", DER.sequence(DER.sequence(DER.oid("0.4.0.1862.1.1")))),
        TestExtension("1.3.6.1.5.5.7.48.1.5", [5, 0]),
        TestExtension("1.2.3.4.5", critical: true, DER.octetString([1])),
    ]
}
