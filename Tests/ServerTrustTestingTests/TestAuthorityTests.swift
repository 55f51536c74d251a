//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrustTesting
import SwiftASN1
import Testing
import X509

@Suite("A throw-away certificate authority")
struct TestAuthorityTests {
    @Test("Issues valid chains for every kind of key", arguments: [TestKeyKind.rsa2048, .p256, .p384, .p521, .ed25519])
    func validChains(kind: TestKeyKind) async throws {
        let authority = try TestAuthority()
        var description = CertificateDescription.intermediate()
        description.keyKind = kind
        let intermediate = try authority.issue(description)
        var leafDescription = CertificateDescription.leaf(dnsNames: ["a.test"], ipAddresses: ["192.0.2.1", "::1"])
        leafDescription.keyKind = kind
        let leaf = try authority.issue(leafDescription, by: intermediate)
        var verifier = Verifier(rootCertificates: CertificateStore([authority.root.certificate])) { RFC5280Policy() }
        let result = await verifier.validate(
            leaf: leaf.certificate,
            intermediates: CertificateStore([intermediate.certificate])
        )
        guard case .validCertificate = result else {
            Issue.record("\(result)")
            return
        }
        #expect(try Certificate(derEncoded: leaf.der) == leaf.certificate)
        #expect(try Certificate(pemEncoded: leaf.pem) == leaf.certificate)
    }

    @Test("Signs with the hash asked for")
    func signatureHashes() throws {
        var root = CertificateDescription.root()
        root.keyKind = .rsa2048
        let authority = try TestAuthority(root: root)
        let expected: [TestSignatureHash: Certificate.SignatureAlgorithm] = [
            .sha1: .sha1WithRSAEncryption, .sha256: .sha256WithRSAEncryption,
            .sha384: .sha384WithRSAEncryption, .sha512: .sha512WithRSAEncryption,
        ]
        for hash in TestSignatureHash.allCases {
            var leaf = CertificateDescription.leaf(dnsNames: ["a.test"])
            leaf.signatureHash = hash
            #expect(try authority.issue(leaf).certificate.signatureAlgorithm == expected[hash])
        }
    }

    @Test("Refuses what cannot be made")
    func impossibleDescriptions() throws {
        let authority = try TestAuthority()
        var sha1 = CertificateDescription.leaf(dnsNames: ["a.test"])
        sha1.signatureHash = .sha1
        #expect(throws: TestCertificateError.self) { try authority.issue(sha1) }
        let badAddress = CertificateDescription.leaf(dnsNames: [], ipAddresses: ["localhost"])
        #expect(throws: TestCertificateError.self) { try authority.issue(badAddress) }
    }

    @Test("Leaves out what is not described and adds what is")
    func extensions() throws {
        let authority = try TestAuthority()
        var description = CertificateDescription(commonName: nil)
        description.includesSubjectKeyIdentifier = false
        description.includesAuthorityKeyIdentifier = false
        description.serialNumber = 42
        description.extraExtensions = [.init(oid: [1, 2, 3], critical: true, value: [5, 0])]
        let certificate = try authority.issue(description).certificate
        #expect(certificate.subject.isEmpty)
        #expect(certificate.serialNumber == 42)
        #expect(certificate.extensions.map(\.oid) == [.X509ExtensionID.basicConstraints, [1, 2, 3]])
    }

    @Test("RSA leaves share a key, authorities do not")
    func sharedKeys() throws {
        let authority = try TestAuthority()
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        description.keyKind = .rsa1024
        #expect(try authority.issue(description).privateKey == authority.issue(description).privateKey)
        description.isCA = true
        #expect(try authority.issue(description).privateKey != authority.issue(description).privateKey)
    }
}
