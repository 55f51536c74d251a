//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import ServerTrustTesting
import SwiftASN1
import Testing
import X509

@Suite("A throw-away certificate in ServerTrust's terms")
struct TestCertificateConversionTests {
    @Test("What ServerTrust does not read is an error, not a trap")
    func unreadable() throws {
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        description.keyUsage = nil
        // Key usage that is no bit string: swift-certificates writes what it is told to.
        description.extraExtensions = [.init(oid: [2, 5, 29, 15], critical: true, value: [0xFF])]
        let certificate = try TestAuthority().issue(description)
        #expect(throws: ServerTrust.CertificateError.self) { try certificate.trustCertificate }
        #expect(throws: ServerTrust.CertificateError.self) { try certificate.pin }
        #expect(throws: ServerTrust.CertificateError.self) { try certificate.certificatePin }
    }

    @Test("Every kind of key has the pin its certificate has", arguments: keyKinds)
    func pins(kind: TestKeyKind) throws {
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        description.keyKind = kind
        let certificate = try TestAuthority().issue(description)
        #expect(try certificate.pin == certificate.privateKey.pin)
        #expect(try certificate.publicKey == certificate.privateKey.publicKey)
        #expect(try certificate.certificatePin == Pin(certificate: certificate.trustCertificate))
        #expect(try certificate.trustCertificate.derRepresentation == certificate.der)
    }
}

private let keyKinds: [TestKeyKind] = [.rsa1024, .rsa2048, .p256, .p384, .p521, .ed25519]
