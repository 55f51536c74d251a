//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The result of an evaluation: the chosen path, and the reasons for its rejection if there are any.
///
/// Only ``isAccepted`` decides about trust. The other properties are the evidence for a report.
public struct Verdict: Sendable {
    /// The best path, the leaf first. If the anchor is a certificate, it is the last.
    public let path: [CertificateView]
    /// The anchor of the path, or `nil` if it reaches none.
    public let anchor: TrustAnchor?
    /// The broken rules, from the leaf upwards.
    public let rejections: [Rejection]
    /// The report on the leaf's timestamps, or `nil` if certificate transparency was not requested or no path was proven.
    public let transparency: TransparencyReport?
    package let policyInputs: PolicyInputs
    let policyBudget: Int
    /// The number of signatures that the evaluation verified.
    public let verifiedSignatures: Int
    /// The cost of these signatures, in units of ``SignatureCost``.
    let signatureCost: Int
    /// The number of octets of names that the search has folded, in their encoding.
    var foldedOctets = 0

    /// The verified signatures, for the report on the evidence.
    var work: EvaluationWork?

    /// `true` if the path reaches an anchor and breaks no rule.
    public var isAccepted: Bool { self.anchor != nil && self.rejections.isEmpty }

    /// The policies for which the path is valid, as RFC 5280 §6.1.6 returns them, or `nil` for every policy. They are
    /// computed on each access, because few paths require any.
    public var userConstrainedPolicies: Set<OID>? {
        guard self.isAccepted else { return [] }
        let processed = self.path.dropLast(self.anchor?.certificate == nil ? 0 : 1).reversed()
        var budget = self.policyBudget
        guard case .valid(let policies) = PolicyGraph.process(processed, self.policyInputs, budget: &budget) else {
            return []
        }
        return policies
    }
}

/// The signatures that an evaluation has verified.
final class EvaluationWork: Sendable {
    let memo: SignatureMemo

    /// Creates a copy without the results that are found by the identity of objects, which need not outlive the evaluation.
    init(_ memo: SignatureMemo) {
        var memo = memo
        (memo.names, memo.findings) = (NameTable(), RevocationFindings(octets: 0))
        self.memo = memo
    }
}
