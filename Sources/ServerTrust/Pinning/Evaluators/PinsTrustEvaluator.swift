//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// An evaluator with Apple's ordinary rules and pins.
///
/// The path must be trusted and match every requirement of the ``PinSet``. Without expiration or report-only mode, a mismatch
/// refuses the server.
public struct PinsTrustEvaluator: ServerTrustEvaluating, PinnedEvaluationProviding, Hashable {
    /// The pins.
    public let pins: PinSet
    /// `true` if the certificate must match the host.
    public let validateHost: Bool

    private let requirements: [PinRequirement]

    /// Creates an evaluator that requires pins on the verified path.
    ///
    /// - Parameters:
    ///   - pins: The pins, with their expiration and exemptions.
    ///   - validateHost: `true` if the certificate must match the host.
    public init(_ pins: PinSet, validateHost: Bool = true) {
        self.pins = pins
        self.validateHost = validateHost
        self.requirements = pins.pathRequirements
    }

    func evaluation(of trust: Trust, host: String) -> PinnedEvaluation {
        var evaluation = PinnedEvaluation(trust, host: host, validatesHost: self.validateHost)
        evaluation.require(self.pins, self.requirements)
        return evaluation
    }
}
