//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension PathValidator {
    /// Whether an answer can be given again at another time: the path was accepted, and there are no revocation lists, responses
    /// or timestamps, which count for a limited time.
    package func canAffirm(_ verdict: Verdict) -> Bool { verdict.isAccepted && !self.request.hasTimedEvidence }

    /// Gives an answer again, at another time: for programs that connect to the same server again.
    ///
    /// What the rules say of an accepted path is the same as long as each of its certificates is valid. So the path need not be
    /// built and the rules need not be applied again. The signatures are verified again. Where another path has become
    /// acceptable since, a whole evaluation may choose that one.
    ///
    /// - Parameter verdict: What this validator answered before, with another ``ValidationRequest/time`` at most.
    /// - Returns: The answer at the time of the request; `nil` where it takes a whole evaluation.
    package func affirm(_ verdict: Verdict) -> Verdict? {
        guard self.canAffirm(verdict), let leaf = verdict.path.first,
            verdict.path.allSatisfy({ $0.notBefore <= self.request.time && self.request.time <= $0.notAfter })
        else { return nil }
        var memo = self.memo(for: leaf, Array(verdict.path.dropFirst()))
        let path = CandidatePath(certificates: verdict.path, anchor: verdict.anchor, deadEnd: nil)
        guard memo.firstFailure(on: path) == nil else { return nil }
        memo.remember(path)
        return verdict.affirmed(with: memo)
    }
}

extension ValidationRequest {
    /// Whether something is at hand or asked for that counts for a limited time.
    fileprivate var hasTimedEvidence: Bool {
        self.transparency != nil || !self.additionalRevocation.isEmpty || self.revocationOctets > 0
            || self.statusSigner != nil
    }
}

extension Verdict {
    fileprivate func affirmed(with memo: SignatureMemo) -> Verdict {
        Verdict(
            path: self.path, anchor: self.anchor, rejections: [], transparency: nil, policyInputs: self.policyInputs,
            policyBudget: self.policyBudget, verifiedSignatures: memo.verified, signatureCost: memo.cost)
    }
}
