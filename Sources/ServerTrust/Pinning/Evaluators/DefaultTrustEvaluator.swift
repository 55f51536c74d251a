//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Apple's ordinary rules for a TLS server.
public struct DefaultTrustEvaluator: ServerTrustEvaluating, PinnedEvaluationProviding, Hashable {
    /// Whether the certificate must be for the host.
    public let validateHost: Bool

    /// An evaluator with Apple's ordinary rules.
    ///
    /// - Parameter validateHost: Whether the certificate must be for the host. Without, a server with any certificate
    ///   passes for any host.
    public init(validateHost: Bool = true) {
        self.validateHost = validateHost
    }

    func evaluation(of trust: Trust, host: String) -> PinnedEvaluation {
        PinnedEvaluation(trust, host: host, validatesHost: self.validateHost)
    }
}
