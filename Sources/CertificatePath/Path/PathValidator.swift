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
        guard self.request.hasOrderedEvidence else {
            var validator = self
            validator.request.orderEvidence()
            return validator.validateOrdered(leaf, intermediates: Array(intermediates))
        }
        return self.validateOrdered(leaf, intermediates: Array(intermediates))
    }

    private func validateOrdered(_ leaf: CertificateView, intermediates: [CertificateView]) -> Verdict {
        var memo = self.memo(for: leaf, intermediates)
        return self.validate(leaf, intermediates: intermediates, depth: 0, memo: &memo)
    }

    /// The signatures of an evaluation that starts.
    func memo(for leaf: CertificateView, _ supplied: [CertificateView]) -> SignatureMemo {
        SignatureMemo(
            self.request.budget, octets: self.octets(of: leaf, supplied), cache: self.request.signatureCache)
    }

    /// The size of everything that was supplied, without copies. A copy is no more work and must not raise the budget.
    private func octets(of leaf: CertificateView, _ supplied: [CertificateView]) -> Int {
        let distinct =
            supplied.count > Self.fewCertificates
            ? Array(Set(supplied))
            : supplied.enumerated().filter { !supplied[..<$0.offset].contains($0.element) }.map(\.element)
        return distinct.reduce(leaf.bytes.count + self.request.revocationOctets) { $0 + $1.bytes.count }
    }

    /// So few are compared with each other faster than they are hashed.
    private static let fewCertificates = 16

    /// The signatures of an evaluation that is over, for telling what became of its evidence.
    func memo(after verdict: Verdict, _ leaf: CertificateView, _ supplied: [CertificateView]) -> SignatureMemo {
        var memo = verdict.work?.memo ?? self.memo(for: leaf, supplied)
        memo.beginAudit(octets: self.octets(of: leaf, supplied))
        return memo
    }

    /// - Parameters:
    ///   - leaf: The certificate in question.
    ///   - intermediates: Certificates that may help to build a path.
    ///   - depth: How many paths of revocation list issuers led to this one.
    ///   - memo: The signatures verified so far.
    func validate(
        _ leaf: CertificateView, intermediates: [CertificateView], depth: Int, memo: inout SignatureMemo
    ) -> Verdict {
        var judge = PathJudge(
            SharedRequest(self.request), anchors: self.anchors, supplied: intermediates, depth: depth, memo: memo)
        let verdict = judge.judge(leaf)
        memo = judge.memo
        return verdict
    }
}
