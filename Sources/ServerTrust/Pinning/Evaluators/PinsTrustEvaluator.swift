//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// Apple's ordinary rules, and pins.
public struct PinsTrustEvaluator: ServerTrustEvaluating, PinnedEvaluationProviding, Hashable {
    /// The pins.
    public let pins: PinSet
    /// Whether the certificate must be for the host.
    public let validateHost: Bool

    private let requirements: [PinRequirement]

    /// An evaluator that requires pins on the verified path.
    ///
    /// - Parameters:
    ///   - pins: The pins, and what goes with them.
    ///   - validateHost: Whether the certificate must be for the host.
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
