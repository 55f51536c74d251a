//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath
import Crypto

/// The authority that answers, or has someone answer, for its certificates.
package let testRoot = CraftedAuthority("Root", .p256(1))

/// A response to be written and signed.
package struct TestOCSPResponse: Sendable {
    package var status: [UInt8] = DER.element(0x80, [])
    package var serial: [UInt8] = DER.number(4_711)
    package var issuerName: [UInt8] = testRoot.name
    package var issuerKey: TestKey = testRoot.key
    package var thisUpdate = "20260531000000Z"
    package var nextUpdate: String? = "20260607000000Z"
    package var producedAt = "20260531000000Z"
    package var signer: TestKey
    /// Who is named as the signer, with the tag of the choice; the digest of the signer's key when not set.
    package var responder: [UInt8]?
    package var certificates: [CertificateView] = []
    package var singleExtensions: [TestExtension] = []
    package var responseExtensions: [TestExtension] = []
    /// The algorithm of the signature; the signer's own when not set.
    package var algorithm: TestAlgorithm?
    package var responseStatus: UInt8 = 0
    /// Other answers, and what else may stand among them.
    package var answersBefore: [[UInt8]] = []
    package var answersAfter: [[UInt8]] = []
    /// What follows `thisUpdate` in the answer, when it is not the end.
    package var singleTrailer: [UInt8]?
    /// The algorithm that names the issuer, when it is not SHA-1.
    package var digest = DER.sequence(DER.oid("1.3.14.3.2.26"), [5, 0])

    package init(signer: TestKey = testRoot.key) {
        self.signer = signer
    }

    package func view() throws -> OCSPResponse {
        let identifier = try DER.sequence(
            self.digest,
            DER.octetString(Array(Insecure.SHA1.hash(data: self.issuerName))),
            DER.octetString(Self.digest(of: self.issuerKey)), self.serial)
        let single = DER.sequence(
            identifier, self.status, DER.generalizedTime(self.thisUpdate),
            self.singleTrailer ?? self.nextUpdate.map { DER.element(0xA0, DER.generalizedTime($0)) } ?? [],
            self.singleExtensions.isEmpty
                ? [] : DER.element(0xA1, DER.list(self.singleExtensions.map(\.encoded))))
        let data = try DER.sequence(
            self.responder ?? DER.element(0xA2, DER.octetString(Self.digest(of: self.signer))),
            DER.generalizedTime(self.producedAt),
            DER.list(self.answersBefore + [single] + self.answersAfter),
            self.responseExtensions.isEmpty
                ? [] : DER.element(0xA1, DER.list(self.responseExtensions.map(\.encoded))))
        let algorithm = self.algorithm ?? self.signer.algorithm
        let certificates = self.certificates.isEmpty ? [] : DER.element(0xA0, DER.list(self.certificates.map(\.bytes)))
        let basic = DER.sequence(
            data, algorithm.identifier, DER.bitString(try self.signer.sign(data, algorithm)), certificates)
        return try OCSPResponse(
            der: DER.sequence(
                DER.element(0x0A, [self.responseStatus]),
                DER.element(0xA0, DER.sequence(DER.oid("1.3.6.1.5.5.7.48.1.1"), DER.octetString(basic)))))
    }

    /// The SHA-1 digest of a key's bits, which names issuers and responders.
    package static func digest(of key: TestKey) throws -> [UInt8] {
        Array(Insecure.SHA1.hash(data: try testRoot.authority(CraftedAuthority("x", key)).publicKeyBytes))
    }
}

extension TestExtension {
    /// The nonce of a request or response: an OCTET STRING, if it is one.
    package static func nonce(_ value: [UInt8], critical: Bool = false) -> TestExtension {
        TestExtension("1.3.6.1.5.5.7.48.1.2", critical: critical, value)
    }

    /// What a certificate promises of its server (RFC 7633).
    package static func tlsFeature(_ features: [UInt8]) -> TestExtension {
        TestExtension("1.3.6.1.5.5.7.1.24", DER.list(features.map(DER.integer)))
    }
}
