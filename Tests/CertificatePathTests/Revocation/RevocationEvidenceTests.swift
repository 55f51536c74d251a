//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import TestSupport
import Testing

@Suite("What became of each revocation list and OCSP response that was supplied")
struct RevocationEvidenceTests {
    private static let serial = DER.number(4_711)
    private static let ended = Timestamp(secondsSinceEpoch: 1_779_235_200)  // 2026-05-20

    private func evidence(
        lists: [CertificateList] = [], responses: [OCSPResponse] = [],
        _ change: (inout RevocationPolicy) -> Void = { _ in }
    ) throws -> RevocationEvidence {
        var policy = RevocationPolicy(.soft, lists: lists, responses: responses)
        change(&policy)
        let server = PurposeRequirement(.server, identities: [IdentityRequirement(host: "www.example.com")])
        var request = ValidationRequest(time: testTime, purposes: [server], profile: .rfc5280)
        request.revocation = policy
        let anchors = [TrustAnchorSet([TrustAnchor(try testRoot.authority())])]
        let validator = PathValidator(request, anchors: anchors)
        let verdict = validator.validate(try testRoot.leaf { $0.serialNumber = Self.serial })
        return validator.revocationEvidence(of: verdict, under: policy)
    }

    struct ListCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let use: RevocationEvidenceUse
        let change: @Sendable (inout TestRevocationList) -> Void

        init(
            _ name: String, _ use: RevocationEvidenceUse,
            _ change: @escaping @Sendable (inout TestRevocationList) -> Void = { _ in }
        ) {
            self.testDescription = name
            self.use = use
            self.change = change
        }
    }

    @Test(
        "A list that shows nothing says why",
        arguments: [
            ListCase("of another authority", .notNeeded(.aboutOthers)) { $0.issuer = TestDER.name([[.cn("Other")]]) },
            ListCase("signed with a stranger's key", .unusable(.notSignedByIssuer, certificateIndex: 0)) {
                $0.signer = .p256(9)
            },
            ListCase("ended", .unusable(.ended(Self.ended), certificateIndex: 0)) {
                $0.thisUpdate = DER.utcTime("260510000000Z")
                $0.nextUpdate = DER.utcTime("260520000000Z")
            },
            ListCase(
                "without an end",
                .unusable(.withoutEnd(since: .init(secondsSinceEpoch: 1_780_099_200)), certificateIndex: 0)
            ) {
                $0.nextUpdate = []
            },
            ListCase(
                "not begun",
                .unusable(.notBegun(Timestamp(secondsSinceEpoch: 1_780_358_400)), certificateIndex: 0)
            ) { $0.thisUpdate = DER.utcTime("260602000000Z") },
            ListCase("of authorities", .unusable(.otherScope, certificateIndex: 0)) {
                $0.set(.listScope(Point.onlyAuthorities))
            },
            ListCase("of some reasons", .unusable(.partial, certificateIndex: 0)) {
                $0.set(.listScope(Point.reasons(0b0100_0000, list: true)))
            },
            ListCase("with an unknown critical extension", .unusable(.notUnderstood, certificateIndex: 0)) {
                $0.set(TestExtension("1.2.3", critical: true, [5, 0]))
            },
            ListCase("of changes alone", .unusable(.partial, certificateIndex: 0)) { $0.set(.deltaFrom(1)) },
            ListCase("current", .used(certificateIndices: [0])),
            ListCase("that revokes, long ended", .used(certificateIndices: [0])) {
                $0.entries = [.init(serial: Self.serial)]
                $0.nextUpdate = DER.utcTime("260531000000Z")
            },
        ])
    func lists(item: ListCase) throws {
        let list = try TestRevocationList(testRoot, item.change).view()
        #expect(try self.evidence(lists: [list]).lists == [item.use])
    }

    struct ResponseCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let use: RevocationEvidenceUse
        let change: @Sendable (inout TestOCSPResponse) throws -> Void

        init(
            _ name: String, _ use: RevocationEvidenceUse,
            _ change: @escaping @Sendable (inout TestOCSPResponse) throws -> Void = { _ in }
        ) {
            self.testDescription = name
            self.use = use
            self.change = change
        }
    }

    @Test(
        "A response that shows nothing says why",
        arguments: [
            ResponseCase("about another certificate", .notNeeded(.aboutOthers)) { $0.serial = DER.number(4_712) },
            ResponseCase("ended", .unusable(.ended(Self.ended), certificateIndex: 0)) {
                $0.thisUpdate = "20260510000000Z"
                $0.producedAt = "20260510000000Z"
                $0.nextUpdate = "20260520000000Z"
            },
            ResponseCase("of the status unknown", .unusable(.statusUnknown, certificateIndex: 0)) {
                $0.status = DER.element(0x82, [])
            },
            ResponseCase("signed with a stranger's key", .unusable(.notSignedByIssuer, certificateIndex: 0)) {
                $0.signer = .p256(9)
            },
            ResponseCase("naming another responder", .unusable(.signerNotAccepted, certificateIndex: 0)) {
                $0.responder = DER.element(0xA1, TestDER.name([[.cn("Other")]]))
            },
            ResponseCase("with a critical extension", .unusable(.notUnderstood, certificateIndex: 0)) {
                $0.singleExtensions = [TestExtension("1.2.3", critical: true, [5, 0])]
            },
            ResponseCase("good", .used(certificateIndices: [0])),
            ResponseCase("revoked, long ended", .used(certificateIndices: [0])) {
                $0.status = DER.element(0xA1, DER.generalizedTime("20260520000000Z"))
                $0.nextUpdate = "20260521000000Z"
            },
        ])
    func responses(item: ResponseCase) throws {
        var response = TestOCSPResponse()
        try item.change(&response)
        let view = try response.view()
        #expect(try self.evidence(responses: [view]).responses == [item.use])
        #expect(try self.evidence { $0.stapledResponses = [view] }.stapledResponses == [item.use])
    }

    @Test("What is given twice, not asked for, or overtaken by something younger is not needed")
    func needless() throws {
        let list = try TestRevocationList(testRoot).view()
        let older = try TestRevocationList(testRoot) { $0.thisUpdate = DER.utcTime("260520000000Z") }.view()
        let olderEnded = try TestRevocationList(testRoot) { $0.nextUpdate = DER.utcTime("260531000000Z") }.view()
        let used = RevocationEvidenceUse.used(certificateIndices: [0])
        #expect(try self.evidence(lists: [list, list]).lists == [used, .notNeeded(.duplicate)])
        #expect(try self.evidence(lists: [list, olderEnded]).lists == [used, .notNeeded(.overtaken)])
        #expect(try self.evidence(lists: [older, list]).lists == [.notNeeded(.overtaken), used])
        #expect(try self.evidence(lists: [list]) { $0.methods = .ocsp }.lists == [.notNeeded(.notChecked)])
        #expect(try self.evidence(lists: [list]) { $0.mode = .off }.lists == [.notNeeded(.notChecked)])
        let unasked = try self.evidence(responses: [TestOCSPResponse().view()]) { $0.requiresNonce = true }
        #expect(unasked.responses == [.unusable(.wrongNonce, certificateIndex: 0)])
    }

    @Test("Without a path to an anchor there is nothing to ask a list about")
    func withoutPath() throws {
        let list = try TestRevocationList(testRoot).view()
        var request = ValidationRequest(time: testTime, profile: .rfc5280)
        request.revocation = RevocationPolicy(.soft, lists: [list])
        let validator = PathValidator(request, anchors: [])
        let verdict = validator.validate(try testRoot.leaf())
        let evidence = validator.revocationEvidence(of: verdict, under: request.revocation)
        #expect(evidence.lists == [.notNeeded(.noPath)])
    }
}
