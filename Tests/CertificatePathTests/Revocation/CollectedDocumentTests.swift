//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

/// Genuine documents about a certificate, of which an authority signs new ones every day. Anyone can collect them.
@Suite("Cost of genuine documents that decide nothing")
struct CollectedDocumentTests {
    typealias Kind = EvidenceCostTests.Kind

    enum Document: CaseIterable, Sendable {
        case endedList, delta, endedDelta, revokingList, endedResponse, unknownStatus, delegateOfUnknownStatus
    }

    private static let count = 40

    /// Returns one of the documents of an authority about the certificate 4711.
    private static func document(
        _ document: Document, _ number: Int, by authority: CraftedAuthority, delegate: TestKey
    ) throws -> RevocationPolicy {
        switch document {
        case .endedList, .delta, .endedDelta, .revokingList:
            let revoked = document == .revokingList ? [EvidenceCostTests.serial] : []
            let list = TestRevocationList(authority, revoking: revoked) {
                $0.set(.listNumber(number + 10))
                if document == .delta || document == .endedDelta { $0.set(.deltaFrom(7)) }
                if document == .endedList || document == .endedDelta { $0.nextUpdate = DER.utcTime("260531000000Z") }
            }
            return RevocationPolicy(.soft, lists: [try list.view()])
        case .endedResponse, .unknownStatus, .delegateOfUnknownStatus:
            var response = TestOCSPResponse(signer: authority.key)
            (response.issuerName, response.issuerKey) = (authority.name, authority.key)
            response.responder = DER.element(0xA1, authority.name)
            response.producedAt = "202605\(10 + number % 15)\(10 + number / 15)0000Z"
            response.thisUpdate = response.producedAt
            if document == .endedResponse { response.nextUpdate = "20260531000000Z" }
            if document == .unknownStatus { response.status = DER.element(0x82, []) }
            if document == .delegateOfUnknownStatus { try Self.delegate(&response, number, delegate, authority) }
            return RevocationPolicy(.soft, responses: [try response.view()])
        }
    }

    /// Has a delegate sign a response whose own status has a source and is not known.
    private static func delegate(
        _ response: inout TestOCSPResponse, _ number: Int, _ key: TestKey, _ authority: CraftedAuthority
    ) throws {
        let delegate = CraftedAuthority("Delegate \(number)", key)
        response.signer = key
        response.responder = DER.element(0xA1, delegate.name)
        response.certificates = [
            try authority.leaf(key) {
                $0.subject = delegate.name
                $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.9"))
                $0.set(.distributionPoints([Point.uri("http://crl.example/")]))
            }
        ]
    }

    @Test(
        "Genuine documents cost no more than the budget, in each mode, whatever their kind and key",
        arguments: Kind.allCases, Document.allCases)
    func bounded(kind: Kind, document: Document) throws {
        let root = CraftedAuthority("Dear root", kind.key(40))
        let leaf = try root.leaf { $0.serialNumber = EvidenceCostTests.serial }
        let anchor = try root.authority()
        let documents = try (0..<Self.count).map {
            try Self.document(document, $0, by: root, delegate: kind.key(UInt16(200 + $0)))
        }
        let own = SignatureCost.verification(with: PublicKeySource(anchor).info, octets: leaf.bytes.count)
        let octets = documents.reduce(0) { $0 + ($1.lists.first?.bytes ?? $1.responses.first?.bytes ?? []).count }
        // Each forty kilobytes of input add one verification.
        let limit = 60 * SignatureCost.p256 + octets / 1_000
        for mode in [RevocationPolicy.Mode.soft, .hard] {
            var request = ValidationRequest(time: testTime, purposes: [PurposeRequirement(.any)], profile: .rfc5280)
            request.revocation = RevocationPolicy(
                mode, lists: documents.flatMap(\.lists), responses: documents.flatMap(\.responses))
            let anchors = [TrustAnchorSet([TrustAnchor(anchor)])]
            let verdict = PathValidator(request, anchors: anchors).validate(leaf, intermediates: [])
            let cost = verdict.signatureCost - own
            #expect(cost <= limit, "\(mode): \(cost / SignatureCost.p256)")
            var memo = try #require(verdict.work?.memo)
            let checker = RevocationChecker(
                path: CandidatePath(certificates: verdict.path, anchor: verdict.anchor, deadEnd: nil),
                request: request, policy: request.revocation, anchors: anchors, depth: 0, supplied: [])
            memo.beginAudit(octets: 100_000)
            _ = RevocationAudit(checker: checker).evidence(&memo)
            let whole = memo.cost - own
            #expect(whole <= 2 * limit, "\(mode), with the report: \(whole / SignatureCost.p256)")
        }
    }

    @Test(
        "A list and a response that decide are found beside any number of genuine ones that have ended",
        arguments: Kind.allCases, [Document.endedList, .endedDelta, .endedResponse, .unknownStatus])
    func found(kind: Kind, document: Document) throws {
        let root = CraftedAuthority("Dear root", kind.key(40))
        let leaf = try root.leaf { $0.serialNumber = EvidenceCostTests.serial }
        let others = try (0..<Self.count).map {
            try Self.document(document, $0, by: root, delegate: kind.key(UInt16(200 + $0)))
        }
        var current = TestOCSPResponse(signer: root.key)
        (current.issuerName, current.issuerKey) = (root.name, root.key)
        current.responder = DER.element(0xA1, root.name)
        for isByList in [true, false] {
            let verdict = judgment(leaf, anchors: .certificates(try root.authority())) {
                let lists = isByList ? [try? TestRevocationList(root).view()].compactMap(\.self) : []
                let responses = isByList ? [] : [try? current.view()].compactMap(\.self)
                $0.revocation = RevocationPolicy(
                    .hard, lists: others.flatMap(\.lists) + lists,
                    responses: others.flatMap(\.responses) + responses)
            }
            #expect(verdict.summary == "accepted", "\(document), \(isByList)")
        }
    }
}
