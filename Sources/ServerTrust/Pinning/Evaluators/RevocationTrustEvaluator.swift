//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An evaluator with Apple's ordinary rules and a revocation check.
///
/// Without network access it uses the evidence in ``Trust/revocation``. To contact the authorities, use the method that fetches.
public struct RevocationTrustEvaluator: ServerTrustEvaluating, PinnedEvaluationProviding, Hashable {
    /// The options of the revocation check.
    public let options: RevocationOptions
    /// `true` if the rules for TLS servers apply.
    public let performDefaultValidation: Bool
    /// `true` if the certificate must match the host.
    public let validateHost: Bool

    /// Creates an evaluator that checks revocation.
    ///
    /// - Parameters:
    ///   - options: The options of the check. With `requirePositiveResponse`, a certificate of unknown status is refused.
    ///   - performDefaultValidation: `true` if the rules for TLS servers apply, too. With `false`, the path must still be valid by
    ///     the rules for any certificate, where Alamofire checks nothing else.
    ///   - validateHost: `true` if the certificate must match the host.
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
