//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// An evaluator for the certificates of TLS clients: Apple's ordinary rules for clients, and pins.
///
/// ```swift
/// let trust = try Trust(certificates: chain, policy: .tlsClient(), configuration: .only([ourRoot]))
/// let decision = ClientTrustEvaluator(pins: try PinSet([pin, backupPin])).evaluate(trust)
/// ```
public struct ClientTrustEvaluator: Sendable, Hashable {
    /// The pins that the path of each client must match, or `nil` if nothing is pinned.
    public let pins: PinSet?

    /// Creates an evaluator.
    ///
    /// - Parameter pins: The pins that the path of each client must match, such as the key of the authority that issues to clients.
    public init(pins: PinSet? = nil) {
        self.pins = pins
    }

    /// Evaluates a client without network access.
    ///
    /// - Parameter trust: The certificates that the client sent, with the configuration. Its ``Trust/policies`` are replaced,
    ///   except those for revocation.
    /// - Returns: The decision. Its failure names the client by the subject of its certificate.
    public func evaluate(_ trust: Trust) -> ServerTrustDecision {
        var evaluation = PinnedEvaluation(
            trust, host: trust.certificates.first?.subjectSummary, validatesHost: false, purpose: .client)
        if let pins { evaluation.require(pins) }
        return evaluation.decision()
    }
}
