//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The answer to a ``ValidationRequest``: the path that was chosen, and everything that speaks against it.
public struct Verdict: Sendable {
    /// The best path: the leaf first; the anchor's certificate, if it is one, last.
    public let path: [CertificateView]
    /// The anchor the path ends at; `nil` when it reaches none.
    public let anchor: TrustAnchor?
    /// Every rule the path breaks, from the leaf upwards.
    public let rejections: [Rejection]
    /// What the leaf's timestamps are worth; `nil` when certificate transparency was not asked for, or no path was proven.
    public let transparency: TransparencyReport?
    /// The inputs the policies were judged with.
    let policyInputs: PolicyInputs
    let policyBudget: Int
    /// The number of signatures that were verified to find out.
    public let verifiedSignatures: Int
    /// Their cost, in units of ``SignatureCost``.
    let signatureCost: Int
    /// The octets of names that the search has folded, in octets of their encoding.
    var foldedOctets = 0

    /// The signatures that were verified, for telling what became of the evidence.
    var work: EvaluationWork?

    /// Whether the path reaches an anchor and breaks no rule.
    public var isAccepted: Bool { self.anchor != nil && self.rejections.isEmpty }

    /// The policies the path is valid for, as RFC 5280 §6.1.6 returns them; `nil` stands for every policy. Worked out
    /// when asked for: few paths require any.
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

    /// Leaves behind the answers that are found by the identity of objects, which need not outlive the evaluation.
    init(_ memo: SignatureMemo) {
        var memo = memo
        (memo.names, memo.findings) = (NameTable(), RevocationFindings(octets: 0))
        self.memo = memo
    }
}
