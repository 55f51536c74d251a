//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// Decides about the certificates of TLS clients: Apple's ordinary rules for them, and pins.
///
/// ```swift
/// let trust = try Trust(certificates: chain, policy: .tlsClient(), configuration: .only([ourRoot]))
/// let decision = ClientTrustEvaluator(pins: try PinSet([pin, backupPin])).evaluate(trust)
/// ```
public struct ClientTrustEvaluator: Sendable, Hashable {
    /// What the path of each client must have; `nil` when nothing is pinned.
    public let pins: PinSet?

    /// An evaluator.
    ///
    /// - Parameter pins: What the path of each client must have, such as the key of the authority that issues for clients.
    public init(pins: PinSet? = nil) {
        self.pins = pins
    }

    /// Decides about a client, without any network.
    ///
    /// - Parameter trust: What the client sent, and what is trusted. Its ``Trust/policies`` are replaced but for revocation's.
    /// - Returns: The decision. Its failure speaks of the client by the subject of its certificate.
    public func evaluate(_ trust: Trust) -> ServerTrustDecision {
        var evaluation = PinnedEvaluation(
            trust, host: trust.certificates.first?.subjectSummary, validatesHost: false, purpose: .client)
        if let pins { evaluation.require(pins) }
        return evaluation.decision()
    }
}
