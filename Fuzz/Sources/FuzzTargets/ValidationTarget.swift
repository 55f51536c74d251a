//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@testable import CertificatePath

/// Whole evaluations of anything: what is accepted must keep the rules anyone can check, and how the question was put must
/// not matter.
///
/// An input is eight octets of choices, a host name, revocation lists and responses, and certificates, the leaf first.
/// Certificates of known issuers are signed anew, so that what is changed in them is judged and not just found unsigned.
enum ValidationTarget {
    static let headerCount = 8

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        let input = FuzzInput(bytes, headerCount: self.headerCount)
        guard let question = ValidationQuestion(input) else { return }
        let verdict = question.verdict()
        findings.expect(verdict.isAccepted == verdict.rejections.isEmpty, "refused without a reason")
        findings.expect(verdict.path.first == question.leaf, "a path that does not begin with the leaf")
        let budget = question.request.budget.signatures
        findings.expect(verdict.verifiedSignatures <= budget, "\(verdict.verifiedSignatures) signatures of \(budget)")
        if verdict.isAccepted { AcceptedPath(verdict, question).check(&findings) }
        self.compare(verdict, with: question, &findings)
        for rejection in verdict.rejections {
            findings.expect(verdict.path.indices.contains(rejection.certificateIndex), "a reason about no certificate")
        }
    }

    /// The same question put otherwise has the same answer, unless the work allowed for it is so little that it matters.
    private static func compare(_ verdict: Verdict, with question: ValidationQuestion, _ findings: inout Findings) {
        findings.expect(question.verdict().summary == verdict.summary, "another verdict the second time")
        guard !question.isFrugal else { return }
        var other = question
        other.intermediates = question.intermediates.reversed() + question.intermediates.prefix(1)
        self.same(verdict, other.verdict(), "in another order", &findings)
        other = question
        let cache = SignatureCache(capacity: 8)
        other.request.signatureCache = cache
        self.same(verdict, other.verdict(), "with an empty cache", &findings)
        self.same(verdict, other.verdict(), "with a filled cache", &findings)
        other = question
        other.request.budget.signatures = 1
        findings.expect(verdict.isAccepted || !other.verdict().isAccepted, "accepted because of a small budget")
    }

    private static func same(_ left: Verdict, _ right: Verdict, _ how: String, _ findings: inout Findings) {
        // Work that ran out is counted along the way, and the way differs.
        guard !left.hasRunOut, !right.hasRunOut else { return }
        findings.expect(left.summary == right.summary, "\(how): \(right.summary) instead of \(left.summary)")
        findings.expect(left.path == right.path, "\(how): another path")
    }

    static func seeds() throws -> [[UInt8]] { try ValidationSeeds.all() }
}

extension Verdict {
    fileprivate var hasRunOut: Bool { self.rejections.contains { $0.reason.code == "budget-exceeded" } }
}

/// A question of trust made of an input.
struct ValidationQuestion {
    var leaf: CertificateView
    var intermediates: [CertificateView]
    var anchors: [TrustAnchor]
    var request: ValidationRequest
    let host: String?

    /// Whether so little work is allowed that the order of things may decide.
    let isFrugal: Bool

    var validator: PathValidator { PathValidator(self.request, anchors: [TrustAnchorSet(self.anchors)]) }

    func verdict() -> Verdict { self.validator.validate(self.leaf, intermediates: self.intermediates) }
}

extension ValidationQuestion {
    /// `nil` when the leaf is no certificate.
    init?(_ input: FuzzInput) {
        let header = input.header
        let certificates = input.chunks.dropFirst(3).map {
            try? CertificateView(der: Resigner.signed($0, header[0] & 1 == 0))
        }
        guard let leaf = certificates.first ?? nil else { return nil }
        self.leaf = leaf
        let isAnchor = header[1]
        self.intermediates = certificates.enumerated().dropFirst()
            .filter { $0.offset > 7 || isAnchor & 1 << UInt8($0.offset) == 0 }.compactMap(\.element)
        let anchorClass = AnchorClass.allCases[Int(header[2]) % 3]
        self.anchors = certificates.enumerated()
            .filter { $0.offset <= 7 && isAnchor & 1 << UInt8($0.offset) != 0 }
            .compactMap { $0.element.map { TrustAnchor($0, anchorClass: anchorClass) } }
        if header[0] & 2 != 0, let anchor = Self.bareAnchor { self.anchors.append(anchor) }
        let purpose = PurposeRequirement.Purpose.allCases[Int(header[2] / 3) % 3]
        let host = input.chunk(0).isEmpty ? nil : String(decoding: input.chunk(0), as: UTF8.self)
        self.host = host
        let profile = ValidationProfile.standard[Int(header[3]) % 4]
        let time = testTime.secondsSinceEpoch + (Int64(header[4]) - 128) * 86_400
        self.request = ValidationRequest(
            time: Timestamp(secondsSinceEpoch: time),
            purposes: [PurposeRequirement(purpose, identities: host.map { [IdentityRequirement(host: $0)] } ?? [])],
            profile: profile)
        self.isFrugal = header[5] & 0xC0 == 0xC0
        self.request.policies = PolicyInputs(
            initialPolicies: header[5] & 8 == 0
                ? nil : [OID("1.2.3"), OID("2.23.140.1.2.1")].compactMap { $0 }.reduce(into: []) { $0.insert($1) },
            requiresExplicitPolicy: header[5] & 1 != 0, inhibitsPolicyMapping: header[5] & 2 != 0,
            inhibitsAnyPolicy: header[5] & 4 != 0)
        if header[6] & 0xF0 != 0 { self.request.maximumIntermediates = Int(header[6] >> 4) - 1 }
        if self.isFrugal {
            let few = Int(header[7] % 8)
            self.request.budget = Budget(
                signatures: few, pathSteps: few * 2, paths: few, nameComparisons: few * 4, policyNodes: few * 8)
        }
        self.request.revocation = RevocationPolicy(
            RevocationPolicy.Mode.allCases[Int(header[6]) % 3],
            lists: [try? CertificateList(der: input.chunk(1))].compactMap { $0 },
            responses: [try? OCSPResponse(der: input.chunk(2))].compactMap { $0 })
    }

    private static let bareAnchor = try? TrustAnchor(
        subject: Fixtures.root.name, subjectPublicKeyInfo: Fixtures.root.key.info)
}
