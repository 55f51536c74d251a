//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Trusts every server, whatever it sends.
///
/// - Warning: Anyone who can reach the connection can read and change everything on it. For tests on your own machine;
///   even there a ``PinnedCertificatesTrustEvaluator`` or an ``AnchoredTrustEvaluator`` takes one line more.
public struct DisabledTrustEvaluator: ServerTrustEvaluating, Hashable {
    /// An evaluator that trusts everything.
    public init() {}

    /// Trusts.
    public func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision { .trusted(nil) }
}
