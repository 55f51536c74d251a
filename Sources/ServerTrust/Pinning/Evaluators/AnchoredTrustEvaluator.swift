//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Apple's ordinary rules with authorities of your own.
public struct AnchoredTrustEvaluator: ServerTrustEvaluating, PinnedEvaluationProviding, Hashable {
    /// What is trusted.
    public let anchors: [Certificate]
    /// Whether what was trusted before still is.
    public let keepsOthers: Bool
    /// Whether the certificate must be for the host.
    public let validateHost: Bool

    /// An evaluator that trusts authorities of your own.
    ///
    /// - Parameters:
    ///   - anchors: Roots, intermediates or leaves. None, and nothing is trusted unless `keepsOthers`.
    ///   - keepsOthers: Whether what was trusted before still is, the system's store for example.
    ///   - validateHost: Whether the certificate must be for the host.
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
