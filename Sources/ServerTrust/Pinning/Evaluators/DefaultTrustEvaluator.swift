//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Apple's ordinary rules for a TLS server.
public struct DefaultTrustEvaluator: ServerTrustEvaluating, QuestionEvaluator, Hashable {
    /// Whether the certificate must be for the host.
    public let validateHost: Bool

    /// An evaluator with Apple's ordinary rules.
    ///
    /// - Parameter validateHost: Whether the certificate must be for the host. Without, whoever has any certificate
    ///   passes for any host.
    public init(validateHost: Bool = true) {
        self.validateHost = validateHost
    }

    func question(about trust: Trust, host: String) -> TrustQuestion {
        TrustQuestion(trust, host: host, validatesHost: self.validateHost)
    }
}
