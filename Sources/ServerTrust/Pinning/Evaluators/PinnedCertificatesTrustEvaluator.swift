//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Pinned certificates, as Alamofire's evaluator of that name has them, but on verified paths only.
///
/// | `acceptSelfSignedCertificates` | `performDefaultValidation` | a server is trusted when |
/// |---|---|---|
/// | no | yes | its path is trusted, and has a pinned certificate |
/// | yes | yes | its path ends at a pinned certificate and keeps every rule |
/// | either | no | its path ends at a pinned certificate; it may be expired, and need not have the form the web demands |
public struct PinnedCertificatesTrustEvaluator: ServerTrustEvaluating, PinnedEvaluationProviding, Hashable {
    /// What is pinned.
    public let certificates: [Certificate]
    /// Whether the pinned certificates are what is trusted.
    public let acceptSelfSignedCertificates: Bool
    /// Whether every rule holds.
    public let performDefaultValidation: Bool
    /// Whether the certificate must be for the host.
    public let validateHost: Bool

    /// An evaluator that requires a pinned certificate.
    ///
    /// - Parameters:
    ///   - certificates: What is pinned: the server's certificate, or an authority's above it. None refuses everything.
    ///   - acceptSelfSignedCertificates: Whether the pinned certificates are what is trusted, and nothing else is.
    ///   - performDefaultValidation: Whether every rule holds. Without, signatures from the pinned certificate down to the
    ///     server's still do.
    ///   - validateHost: Whether the certificate must be for the host.
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
