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
        self.validate(leaf, intermediates: Array(intermediates), depth: 0)
    }

    /// - Parameter depth: How many paths of revocation list issuers led to this one.
    func validate(_ leaf: CertificateView, intermediates: [CertificateView], depth: Int) -> Verdict {
        var builder = PathBuilder(
            leaf: leaf, intermediates: intermediates, anchors: self.anchors, request: self.request)
        var budget = self.request.budget
        var rejected: [(CandidatePath, [Rejection])] = []
        for candidate in builder.candidates {
            let broken = PathChecks.run(candidate, self.request, budget: &budget)
            guard candidate.anchor != nil, broken.isEmpty else {
                rejected.append((candidate, broken))
                continue
            }
            var failures = Self.signatureFailures(of: candidate, &builder)
            if failures.isEmpty {
                failures = self.revocationRejections(
                    of: candidate, depth: depth, supplied: intermediates, using: &builder)
            }
            guard !failures.isEmpty else {
                builder.remember(candidate)
                return self.verdict(candidate, [], [], builder)
            }
            rejected.append((candidate, failures))
        }
        var verdict = self.best(of: rejected, leaf, &builder)
        self.addRevocation(to: &verdict, depth: depth, supplied: intermediates, using: &builder)
        return verdict
    }

    /// A path whose signatures hold is worth more than any other (SecCertificateServer.c scores it 100,000 higher).
    private func best(
        of rejected: [(CandidatePath, [Rejection])], _ leaf: CertificateView, _ builder: inout PathBuilder
    ) -> Verdict {
        var fallback: Verdict?
        for (candidate, broken) in rejected {
            let failures = Self.signatureFailures(of: candidate, &builder)
            let verdict = self.verdict(candidate, broken, failures, builder)
            if failures.isEmpty { return verdict }
            fallback = fallback ?? verdict
        }
        // A search that ended before its first path says why it ended, not that there is no issuer.
        let reason = builder.exhausted.map(RejectionReason.budgetExceeded) ?? .unknownIssuer
        return fallback
            ?? Verdict(
                path: [leaf], anchor: nil, rejections: [Rejection(reason, at: 0)],
                policyInputs: self.request.policies, policyBudget: 0,
                verifiedSignatures: builder.verifiedSignatures)
    }

    private func verdict(
        _ candidate: CandidatePath, _ found: [Rejection], _ failures: [Rejection], _ builder: PathBuilder
    ) -> Verdict {
        var rejections = found
        for failure in failures where !rejections.contains(failure) { rejections.append(failure) }
        if !rejections.isEmpty, let exhausted = builder.exhausted {
            rejections.append(Rejection(.budgetExceeded(exhausted), at: candidate.certificates.count - 1))
        }
        return Verdict(
            path: candidate.certificates,
            anchor: candidate.anchor,
            rejections: rejections.sorted { $0.certificateIndex < $1.certificateIndex },
            policyInputs: self.request.policies,
            policyBudget: self.request.budget.policyNodes,
            verifiedSignatures: builder.verifiedSignatures
        )
    }

    /// Verifies from the anchor down, and stops at the first failure: below it nothing means anything.
    private static func signatureFailures(of candidate: CandidatePath, _ builder: inout PathBuilder) -> [Rejection] {
        for index in candidate.certificates.indices.reversed() {
            guard let key = candidate.issuerKey(at: index) else { continue }
            let outcome = builder.outcome(of: candidate.certificates[index], signedWith: key)
            if let reason = Self.reason(outcome, candidate.certificates[index], key.info) {
                return [Rejection(reason, at: index)]
            }
        }
        return []
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
