//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Pinned keys, as Alamofire's evaluator of that name has them, but on verified paths only.
///
/// With `performDefaultValidation` the path must be trusted and have a pinned key. Without, it must lead from a pinned key
/// down to the server's certificate; it may be expired, and need not have the form the web demands.
public struct PublicKeysTrustEvaluator: ServerTrustEvaluating, PinnedEvaluationProviding, Hashable {
    /// What is pinned.
    public let keys: [PublicKey]
    /// Whether every rule holds.
    public let performDefaultValidation: Bool
    /// Whether the certificate must be for the host.
    public let validateHost: Bool

    /// An evaluator that requires a pinned key.
    ///
    /// - Parameters:
    ///   - keys: What is pinned: the server's key, or an authority's above it. None refuses everything.
    ///   - performDefaultValidation: Whether every rule holds.
    ///   - validateHost: Whether the certificate must be for the host.
    public init(keys: [PublicKey], performDefaultValidation: Bool = true, validateHost: Bool = true) {
        self.keys = keys
        self.performDefaultValidation = performDefaultValidation
        self.validateHost = validateHost
    }

    func evaluation(of trust: Trust, host: String) throws(ServerTrustFailure) -> PinnedEvaluation {
        let pins = try PinSet.required(self.keys.map { Pin($0) }, forHost: host)
        var evaluation = PinnedEvaluation(trust, host: host, validatesHost: self.validateHost)
        let pinned = self.performDefaultValidation ? [] : self.pinnedCertificates(of: trust)
        if self.performDefaultValidation || (self.validateHost && pinned.isEmpty) {
            evaluation.require(pins)
        } else {
            evaluation.trustOnly(pinned, pinnedBy: pins, lifting: PinnedEvaluation.liftedForInvalidCertificates)
        }
        return evaluation
    }

    /// The certificates a pinned key can be recognized in: what was sent, and what is trusted, as servers do not send roots.
    ///
    /// Alamofire evaluates every rule where the host is validated. A key that only an anchor has is therefore looked for on
    /// a path that keeps them all.
    private func pinnedCertificates(of trust: Trust) -> [Certificate] {
        let keys = Set(self.keys)
        let anchors = self.validateHost ? [] : trust.anchors.allCertificates
        return (trust.certificates + anchors).filter { keys.contains($0.publicKey) }
    }
}

extension PinSet {
    /// Pins of an evaluator, without which it refuses everything.
    static func required(_ pins: [Pin], forHost host: String) throws(ServerTrustFailure) -> PinSet {
        guard !pins.isEmpty else { throw ServerTrustFailure(.noPins, host: host) }
        return PinSet(unchecked: [Requirement(pins)])
    }
}
