//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("OCSP responses (RFC 6960)")
struct OCSPTests {
    private static let serial = DER.number(4_711)

    private static let revoked = DER.element(
        0xA1, DER.generalizedTime("20260520000000Z") + DER.element(0xA0, DER.element(0x0A, [1])))

    private func judge(
        mode: RevocationPolicy.Mode = .hard, _ change: (inout TestOCSPResponse) throws -> Void = { _ in }
    ) throws -> Verdict {
        var response = TestOCSPResponse()
        try change(&response)
        let view = try response.view()
        let leaf = try testRoot.leaf { $0.serialNumber = Self.serial }
        return judgment(leaf, anchors: .certificates(try testRoot.authority())) {
            $0.revocation = RevocationPolicy(mode, responses: [view])
        }
    }

    @Test("A revoked certificate is refused with its reason and date, however old the answer")
    func revoked() throws {
        let verdict = try self.judge(mode: .soft) { response in
            response.status = Self.revoked
            response.nextUpdate = "20200101000000Z"
        }
        let date = Timestamp(secondsSinceEpoch: 1_779_235_200)
        #expect(verdict.has(.revoked(.keyCompromise, since: date)))
    }

    @Test("A current good answer of the issuer clears the certificate")
    func good() throws {
        #expect(try self.judge().summary == "accepted")
    }

    @Test(
        "An answer that cannot be relied on clears no certificate",
        arguments: [
            OCSPFlaw("unknown") { $0.status = DER.element(0x82, []) },
            OCSPFlaw("about another number") { $0.serial = DER.number(4_712) },
            OCSPFlaw("about another issuer's name") { $0.issuerName = TestDER.name([[.cn("Other")]]) },
            OCSPFlaw("about another issuer's key") { $0.issuerKey = .p256(9) },
            OCSPFlaw("signed with a stranger's key") { $0.signer = .p256(9) },
            OCSPFlaw("76 minutes past its end") { $0.nextUpdate = "20260531224400Z" },
            OCSPFlaw("a day and a second old without an end") {
                $0.nextUpdate = nil
                $0.thisUpdate = "20260530235959Z"
            },
            OCSPFlaw("from 76 minutes ahead") { $0.thisUpdate = "20260601011600Z" },
            OCSPFlaw("with a critical extension") {
                $0.singleExtensions = [TestExtension("1.2.3", critical: true, [5, 0])]
            },
            OCSPFlaw("naming another responder's key") {
                $0.responder = DER.element(0xA2, DER.octetString([UInt8](repeating: 7, count: 20)))
            },
            OCSPFlaw("naming another responder") { $0.responder = DER.element(0xA1, TestDER.name([[.cn("Other")]])) },
            OCSPFlaw("naming nothing that is a responder") { $0.responder = DER.element(0xA1, [5, 0]) },
            OCSPFlaw("signed by a delegate and naming the issuer") {
                $0.signer = .p256(9)
                $0.certificates = [try testDelegate()]
                $0.responder = DER.element(0xA1, testRoot.name)
            },
            OCSPFlaw("signed by a delegate without OCSPSigning") {
                $0.signer = .p256(9)
                $0.certificates = [try testDelegate { $0.remove("2.5.29.37") }]
            },
            OCSPFlaw("signed by a delegate of someone else") {
                $0.signer = .p256(9)
                $0.certificates = [try testDelegate(of: CraftedAuthority("Root", .p256(12)))]
            },
            OCSPFlaw("signed by a delegate whose certificate has ended") {
                $0.signer = .p256(9)
                $0.certificates = [try testDelegate { $0.notAfter = DER.utcTime("260531120000Z") }]
            },
        ])
    func unusable(flaw: OCSPFlaw) throws {
        #expect(try self.judge(flaw.change).summary == "0:revocation-unknown")
        #expect(try self.judge(mode: .soft, flaw.change).summary == "accepted")
    }

    @Test("A delegate the issuer certified for answering may answer")
    func delegate() throws {
        let verdict = try self.judge { response in
            response.signer = .p256(9)
            response.certificates = [try testDelegate()]
        }
        #expect(verdict.summary == "accepted")
    }

    @Test("A signer is named by its name as well as by the digest of its key")
    func namedSigner() throws {
        #expect(try self.judge { $0.responder = DER.element(0xA1, testRoot.name) }.summary == "accepted")
        let verdict = try self.judge { response in
            let delegate = try testDelegate()
            response.signer = .p256(9)
            response.certificates = [delegate]
            response.responder = DER.element(0xA1, DER.element(0x30, delegate.bytes[delegate.fields.subject]))
        }
        #expect(verdict.summary == "accepted")
    }

    @Test("A genuine “revoked” counts, whichever signer the response names")
    func revokedByUnnamed() throws {
        let verdict = try self.judge(mode: .soft) { response in
            response.status = Self.revoked
            response.responder = DER.element(0xA1, TestDER.name([[.cn("Other")]]))
        }
        #expect(verdict.isAccepted == false)
    }

    @Test("Clocks may be 75 minutes apart", arguments: ["20260531224500Z", "20260607000000Z"])
    func leeway(nextUpdate: String) throws {
        #expect(try self.judge { $0.nextUpdate = nextUpdate }.summary == "accepted")
    }

    @Test("Signatures that are not verified for want of budget are not counted as verified", arguments: 1...4)
    func countedSignatures(allowed: Int) throws {
        let stranger = try (0..<4).map { _ in
            var response = TestOCSPResponse()
            response.signer = .p256(9)
            response.responder = DER.element(0xA1, testRoot.name)
            return try response.view()
        }
        let leaf = try testRoot.leaf { $0.serialNumber = Self.serial }
        let verdict = judgment(leaf, anchors: .certificates(try testRoot.authority())) {
            $0.revocation = RevocationPolicy(.hard, responses: stranger)
            $0.budget.signatures = allowed
        }
        #expect(verdict.verifiedSignatures == allowed)
        #expect(verdict.rejections.contains { $0.reason == .budgetExceeded(.signatures) })
    }

    @Test("A responder that answers with an error has said nothing")
    func errorStatus() throws {
        var response = TestOCSPResponse()
        response.responseStatus = 6
        #expect(throws: DERError.self) { try response.view() }
    }

    @Test("An answer cut off anywhere, or with any bit flipped, clears no certificate and never traps")
    func hostileBytes() throws {
        let bytes = try TestOCSPResponse().view().bytes
        for count in bytes.indices {
            #expect(throws: DERError.self) { try OCSPResponse(der: Array(bytes[..<count])) }
        }
        let leaf = try testRoot.leaf { $0.serialNumber = Self.serial }
        let anchors: [TrustAnchor] = .certificates(try testRoot.authority())
        for bit in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let response = try? OCSPResponse(der: flipped) else { continue }
            let verdict = judgment(leaf, anchors: anchors) {
                $0.revocation = RevocationPolicy(.hard, responses: [response])
            }
            // The responder's name is not what the answer is judged by, but it is signed like the rest.
            #expect(!verdict.isAccepted, "bit \(bit)")
        }
    }
}

/// A certificate for answering in an authority's name.
private func testDelegate(
    of authority: CraftedAuthority = testRoot, _ change: CraftedAuthority.Change = { _ in }
) throws -> CertificateView {
    try authority.leaf(.p256(9)) { certificate in
        certificate.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.9"))
        change(&certificate)
    }
}

struct OCSPFlaw: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let change: @Sendable (inout TestOCSPResponse) throws -> Void
    init(_ name: String, _ change: @escaping @Sendable (inout TestOCSPResponse) throws -> Void) {
        self.testDescription = name
        self.change = change
    }
}
