//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Crypto

/// The authority that answers, or has someone answer, for its certificates.
let testRoot = TestAuthority("Root", .p256(1))

/// A response to be written and signed.
struct TestOCSPResponse: Sendable {
    var status: [UInt8] = DER.element(0x80, [])
    var serial: [UInt8] = DER.number(4_711)
    var issuerName: [UInt8] = testRoot.name
    var issuerKey: TestKey = testRoot.key
    var thisUpdate = "20260531000000Z"
    var nextUpdate: String? = "20260607000000Z"
    var producedAt = "20260531000000Z"
    var signer: TestKey = testRoot.key
    /// Who is named as the signer, with the tag of the choice; the digest of the signer's key when not set.
    var responder: [UInt8]?
    var certificates: [CertificateView] = []
    var singleExtensions: [TestExtension] = []
    var responseExtensions: [TestExtension] = []
    /// The algorithm of the signature; the signer's own when not set.
    var algorithm: TestAlgorithm?
    var responseStatus: UInt8 = 0
    /// Other answers, and what else may stand among them.
    var answersBefore: [[UInt8]] = []
    var answersAfter: [[UInt8]] = []
    /// What follows `thisUpdate` in the answer, when it is not the end.
    var singleTrailer: [UInt8]?
    /// The algorithm that names the issuer, when it is not SHA-1.
    var digest = DER.sequence(DER.oid("1.3.14.3.2.26"), [5, 0])

    func view() throws -> OCSPResponse {
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
    static func digest(of key: TestKey) throws -> [UInt8] {
        Array(Insecure.SHA1.hash(data: try testRoot.authority(TestAuthority("x", key)).publicKeyBytes))
    }
}

extension TestExtension {
    /// The nonce of a request or response: an OCTET STRING, if it is one.
    static func nonce(_ value: [UInt8], critical: Bool = false) -> TestExtension {
        TestExtension("1.3.6.1.5.5.7.48.1.2", critical: critical, value)
    }

    /// What a certificate promises of its server (RFC 7633).
    static func tlsFeature(_ features: [UInt8]) -> TestExtension {
        TestExtension("1.3.6.1.5.5.7.1.24", DER.list(features.map(DER.integer)))
    }
}
