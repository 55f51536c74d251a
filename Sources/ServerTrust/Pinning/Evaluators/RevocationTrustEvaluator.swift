//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Apple's ordinary rules, and revocation.
///
/// Without a network it works with what is in ``Trust/revocation``; to ask the authorities, use the method that fetches.
public struct RevocationTrustEvaluator: ServerTrustEvaluating, PinnedEvaluationProviding, Hashable {
    /// How revocation is checked.
    public let options: RevocationOptions
    /// Whether the rules for TLS servers hold.
    public let performDefaultValidation: Bool
    /// Whether the certificate must be for the host.
    public let validateHost: Bool

    /// An evaluator that checks revocation.
    ///
    /// - Parameters:
    ///   - options: How it is checked. With `requirePositiveResponse` a certificate nothing is known of is refused.
    ///   - performDefaultValidation: Whether the rules for TLS servers hold, too. Without, a path must still be valid by
    ///     the rules for any certificate, where Alamofire checks nothing else.
    ///   - validateHost: Whether the certificate must be for the host.
    public init(
        options: RevocationOptions = .useAnyAvailableMethod, performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) {
        self.options = options
        self.performDefaultValidation = performDefaultValidation
        self.validateHost = validateHost
    }

    func evaluation(of trust: Trust, host: String) -> PinnedEvaluation {
        var evaluation = PinnedEvaluation(
            trust, host: host, validatesHost: self.validateHost,
            purpose: self.performDefaultValidation ? .server : .any)
        evaluation.add(.revocation(self.options))
        return evaluation
    }
}
