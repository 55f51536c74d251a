//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A validator that decides whether a certificate may be trusted, and gives the reasons.
///
/// It is a pure function. The clock, the anchors, the certificates and the limits on its work are arguments. It
/// fetches nothing, and it remembers nothing between calls, except in a ``SignatureCache`` of the request.
///
/// ```swift
/// let validator = PathValidator(request, anchors: [anchors])
/// let verdict = validator.validate(leaf, intermediates: intermediates)
/// print(verdict.isAccepted, verdict.rejections.map(\.reason.code))
/// ```
public struct PathValidator: Sendable {
    /// The conditions for the path.
    public var request: ValidationRequest
    /// The sets of anchors. If a certificate is in several of them, the earlier set counts.
    public var anchors: [TrustAnchorSet]

    /// Creates a validator.
    ///
    /// - Parameters:
    ///   - request: The conditions for the path.
    ///   - anchors: The sets of anchors.
    public init(_ request: ValidationRequest, anchors: [TrustAnchorSet]) {
        self.request = request
        self.anchors = anchors
    }

    /// Builds paths from a leaf to the anchors and evaluates them.
    ///
    /// - Parameters:
    ///   - leaf: The certificate to evaluate.
    ///   - intermediates: Certificates that may help to build a path, in any order and with unrelated ones among them.
    /// - Returns: The best acceptable path of the first eight candidates that have one, or else the best path with all reasons for its rejection.
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

    func memo(for leaf: CertificateView, _ supplied: [CertificateView]) -> SignatureMemo {
        SignatureMemo(
            self.request.budget, octets: self.octets(of: leaf, supplied), cache: self.request.signatureCache)
    }

    /// Returns the size of the whole input without duplicates. A duplicate is no more work and must not raise the limits.
    private func octets(of leaf: CertificateView, _ supplied: [CertificateView]) -> Int {
        let distinct =
            supplied.count > Self.fewCertificates
            ? Array(Set(supplied))
            : supplied.enumerated().filter { !supplied[..<$0.offset].contains($0.element) }.map(\.element)
        return distinct.reduce(leaf.bytes.count + self.request.revocationOctets) { $0 + $1.bytes.count }
    }

    /// The limit up to which comparing certificates with each other is faster than hashing them.
    private static let fewCertificates = 16

    /// Returns the memo of a completed evaluation, for the report on its evidence.
    func memo(after verdict: Verdict, _ leaf: CertificateView, _ supplied: [CertificateView]) -> SignatureMemo {
        var memo = verdict.work?.memo ?? self.memo(for: leaf, supplied)
        memo.beginAudit(octets: self.octets(of: leaf, supplied))
        return memo
    }

    /// Evaluates a leaf inside another evaluation.
    ///
    /// - Parameters:
    ///   - leaf: The certificate to evaluate.
    ///   - intermediates: Certificates that may help to build a path.
    ///   - depth: The number of evaluations of list signers that led to this one.
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
