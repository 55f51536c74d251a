//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// Apple's ordinary rules, and pins.
public struct PinsTrustEvaluator: ServerTrustEvaluating, QuestionEvaluator, Hashable {
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

    func question(about trust: Trust, host: String) -> TrustQuestion {
        var question = TrustQuestion(trust, host: host, validatesHost: self.validateHost)
        question.require(self.pins, self.requirements)
        return question
    }
}
