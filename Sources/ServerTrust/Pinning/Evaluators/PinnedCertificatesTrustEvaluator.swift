//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An evaluator with pinned certificates, like Alamofire's of that name, but for verified paths only.
///
/// | `acceptSelfSignedCertificates` | `performDefaultValidation` | the server is trusted if |
/// |---|---|---|
/// | no | yes | its path is trusted and has a pinned certificate |
/// | yes | yes | its path ends at a pinned certificate and satisfies every rule |
/// | either | no | its path ends at a pinned certificate, even if it is expired or lacks the form required of public servers |
public struct PinnedCertificatesTrustEvaluator: ServerTrustEvaluating, PinnedEvaluationProviding, Hashable {
    /// The pinned certificates.
    public let certificates: [Certificate]
    /// `true` if the pinned certificates are the only anchors.
    public let acceptSelfSignedCertificates: Bool
    /// `true` if the path must satisfy every rule.
    public let performDefaultValidation: Bool
    /// `true` if the certificate must match the host.
    public let validateHost: Bool

    /// Creates an evaluator that requires a pinned certificate.
    ///
    /// - Parameters:
    ///   - certificates: The pinned certificates: the server's own, or an authority's above it. An empty array refuses every
    ///     server.
    ///   - acceptSelfSignedCertificates: `true` to trust the pinned certificates as the only anchors.
    ///   - performDefaultValidation: `true` if the path must satisfy every rule. With `false`, the signatures from the pinned
    ///     certificate down to the server's must still be valid.
    ///   - validateHost: `true` if the certificate must match the host.
    public init(
        certificates: [Certificate], acceptSelfSignedCertificates: Bool = false, performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) {
        self.certificates = certificates
        self.acceptSelfSignedCertificates = acceptSelfSignedCertificates
        self.performDefaultValidation = performDefaultValidation
        self.validateHost = validateHost
    }

    func evaluation(of trust: Trust, host: String) throws(ServerTrustFailure) -> PinnedEvaluation {
        let pins = try PinSet.required(self.certificates.map(Pin.init(certificate:)), forHost: host)
        var evaluation = PinnedEvaluation(trust, host: host, validatesHost: self.validateHost)
        if self.performDefaultValidation, !self.acceptSelfSignedCertificates {
            evaluation.require(pins)
        } else {
            evaluation.trustOnly(
                self.certificates, pinnedBy: pins,
                lifting: self.performDefaultValidation ? [] : PinnedEvaluation.liftedForInvalidCertificates)
        }
        return evaluation
    }
}
