//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An evaluator that trusts every server, whatever it sends.
///
/// - Warning: Any attacker on the network path can read and change everything on the connection. Use it for tests on your own
///   machine only. Even there, a ``PinnedCertificatesTrustEvaluator`` or an ``AnchoredTrustEvaluator`` takes only one more line.
public struct DisabledTrustEvaluator: ServerTrustEvaluating, Hashable {
    /// Creates an evaluator that trusts everything.
    public init() {}

    /// Returns a decision to trust, without an evaluation.
    public func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision { .trusted(nil) }
}
