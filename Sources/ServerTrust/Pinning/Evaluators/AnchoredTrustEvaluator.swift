//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An evaluator with Apple's ordinary rules and anchors of your own.
///
/// Use it for servers below a private root, such as a company's. The anchors replace those of the trust configuration unless
/// ``keepsOthers`` is set. Roots that Apple blocks stay blocked.
public struct AnchoredTrustEvaluator: ServerTrustEvaluating, PinnedEvaluationProviding, Hashable {
    /// The certificates to trust.
    public let anchors: [Certificate]
    /// `true` if the anchors of the trust configuration also count.
    public let keepsOthers: Bool
    /// `true` if the certificate must match the host.
    public let validateHost: Bool

    /// Creates an evaluator that trusts anchors of your own.
    ///
    /// - Parameters:
    ///   - anchors: Roots, intermediates or leaves. With an empty array nothing is trusted unless `keepsOthers` is set.
    ///   - keepsOthers: `true` to also trust the anchors of the trust configuration, for example the system's store.
    ///   - validateHost: `true` if the certificate must match the host.
    public init(anchors: [Certificate], keepsOthers: Bool = false, validateHost: Bool = true) {
        self.anchors = anchors
        self.keepsOthers = keepsOthers
        self.validateHost = validateHost
    }

    func evaluation(of trust: Trust, host: String) -> PinnedEvaluation {
        var trust = trust
        if self.keepsOthers {
            for anchor in self.anchors { trust.anchors.add(anchor) }
        } else {
            trust.anchors = trust.anchors.replaced(by: self.anchors)
        }
        return PinnedEvaluation(trust, host: host, validatesHost: self.validateHost)
    }
}
