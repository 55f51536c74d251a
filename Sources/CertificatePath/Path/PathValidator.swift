//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Decides whether a certificate may be trusted, and says why.
///
/// A pure function: the clock, the anchors, the certificates and the work it may do are arguments. Nothing is fetched
/// and nothing is remembered between calls.
public struct PathValidator: Sendable {
    /// What is asked, and under which rules.
    public var request: ValidationRequest
    /// What is trusted; earlier sets come first when a certificate is in several.
    public var anchors: [TrustAnchorSet]

    /// A validator.
    ///
    /// - Parameters:
    ///   - request: What is asked, and under which rules.
    ///   - anchors: What is trusted.
    public init(_ request: ValidationRequest, anchors: [TrustAnchorSet]) {
        self.request = request
        self.anchors = anchors
    }

    /// Builds paths from a leaf to the anchors and judges them.
    ///
    /// - Parameters:
    ///   - leaf: The certificate in question.
    ///   - intermediates: Certificates that may help to build a path: unordered, and with whatever else was sent.
    /// - Returns: The best acceptable path; without one, the best path and everything that speaks against it.
    public func validate(_ leaf: CertificateView, intermediates: some Sequence<CertificateView> = []) -> Verdict {
        let supplied = Array(intermediates)
        var memo = self.memo(for: leaf, supplied)
        return self.validate(leaf, intermediates: supplied, depth: 0, memo: &memo)
    }

    /// The signatures of an evaluation that starts.
    func memo(for leaf: CertificateView, _ supplied: [CertificateView]) -> SignatureMemo {
        let octets = supplied.reduce(leaf.bytes.count) { $0 + $1.bytes.count } + self.request.revocationOctets
        return SignatureMemo(self.request.budget, octets: octets, cache: self.request.signatureCache)
    }

    /// - Parameters:
    ///   - leaf: The certificate in question.
    ///   - intermediates: Certificates that may help to build a path.
    ///   - depth: How many paths of revocation list issuers led to this one.
    ///   - memo: The signatures verified so far.
    func validate(
        _ leaf: CertificateView, intermediates: [CertificateView], depth: Int, memo: inout SignatureMemo
    ) -> Verdict {
        let builder = PathBuilder(
            leaf: leaf, intermediates: intermediates, anchors: self.anchors, request: self.request, memo: &memo)
        var budget = self.request.budget
        var rejected: [(CandidatePath, [Rejection])] = []
        for candidate in builder.candidates {
            let broken = PathChecks.run(candidate, self.request, budget: &budget)
            guard candidate.anchor != nil, broken.isEmpty else {
                rejected.append((candidate, broken))
                continue
            }
            var failures = Self.signatureFailures(of: candidate, &memo)
            if failures.isEmpty {
                failures = self.revocationRejections(
                    of: candidate, depth: depth, supplied: intermediates, using: &memo)
            }
            guard !failures.isEmpty else {
                memo.remember(candidate)
                return self.verdict(candidate, [], nil, memo.verified)
            }
            rejected.append((candidate, failures))
        }
        var verdict = self.best(of: rejected, leaf, builder.exhausted, &memo)
        self.addRevocation(to: &verdict, depth: depth, supplied: intermediates, using: &memo)
        return verdict
    }

    /// A path whose signatures hold is worth more than any other (SecCertificateServer.c scores it 100,000 higher).
    private func best(
        of rejected: [(CandidatePath, [Rejection])], _ leaf: CertificateView, _ exhausted: Budget.Resource?,
        _ memo: inout SignatureMemo
    ) -> Verdict {
        var fallback: Verdict?
        for (candidate, broken) in rejected {
            let failures = Self.signatureFailures(of: candidate, &memo)
            let verdict = self.verdict(candidate, broken + failures, exhausted, memo.verified)
            if failures.isEmpty { return verdict }
            fallback = fallback ?? verdict
        }
        // A search that ended before its first path says why it ended, not that there is no issuer.
        let reason = exhausted.map(RejectionReason.budgetExceeded) ?? .unknownIssuer
        return fallback
            ?? Verdict(
                path: [leaf], anchor: nil, rejections: [Rejection(reason, at: 0)],
                policyInputs: self.request.policies, policyBudget: 0,
                verifiedSignatures: memo.verified)
    }

    private func verdict(
        _ candidate: CandidatePath, _ found: [Rejection], _ exhausted: Budget.Resource?, _ verified: Int
    ) -> Verdict {
        var rejections: [Rejection] = []
        for rejection in found where !rejections.contains(rejection) { rejections.append(rejection) }
        if !rejections.isEmpty, let exhausted {
            rejections.append(Rejection(.budgetExceeded(exhausted), at: candidate.certificates.count - 1))
        }
        return Verdict(
            path: candidate.certificates,
            anchor: candidate.anchor,
            rejections: rejections.sorted { $0.certificateIndex < $1.certificateIndex },
            policyInputs: self.request.policies,
            policyBudget: self.request.budget.policyNodes,
            verifiedSignatures: verified
        )
    }

    /// A signature of the path that does not hold.
    private static func signatureFailures(of candidate: CandidatePath, _ memo: inout SignatureMemo) -> [Rejection] {
        guard let (index, outcome) = memo.firstFailure(on: candidate), let key = candidate.issuerKey(at: index),
            let reason = Self.reason(outcome, candidate.certificates[index], key.info)
        else { return [] }
        return [Rejection(reason, at: index)]
    }

    static func reason(
        _ outcome: SignatureOutcome, _ certificate: CertificateView, _ key: SubjectPublicKeyInfo
    ) -> RejectionReason? {
        switch outcome {
        case .valid: nil
        case .invalid: .badSignature
        case .algorithmMismatch: .signatureAlgorithmMismatch
        case .unsupportedAlgorithm: .unsupportedSignatureAlgorithm(certificate.signatureAlgorithm)
        case .unsupportedKey: .unsupportedIssuerKey(key.kind, bits: key.bits)
        case .budgetExhausted: .budgetExceeded(.signatures)
        }
    }
}
