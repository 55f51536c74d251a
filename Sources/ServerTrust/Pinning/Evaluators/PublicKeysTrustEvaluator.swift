//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An evaluator with pinned keys, like Alamofire's of that name, but for verified paths only.
///
/// With `performDefaultValidation` the path must be trusted and have a pinned key. Without it, the path must lead from a pinned key
/// down to the server's certificate. It may then be expired or lack the form required of public servers.
public struct PublicKeysTrustEvaluator: ServerTrustEvaluating, PinnedEvaluationProviding, Hashable {
    /// The pinned keys.
    public let keys: [PublicKey]
    /// `true` if the path must satisfy every rule.
    public let performDefaultValidation: Bool
    /// `true` if the certificate must match the host.
    public let validateHost: Bool

    /// Creates an evaluator that requires a pinned key.
    ///
    /// - Parameters:
    ///   - keys: The pinned keys: the server's, or an authority's above it. An empty array refuses every server.
    ///   - performDefaultValidation: `true` if the path must satisfy every rule.
    ///   - validateHost: `true` if the certificate must match the host.
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

    /// Returns the certificates with a pinned key: from those sent, and from the anchors, as servers do not send roots.
    ///
    /// With host validation, Alamofire evaluates every rule. The anchors are then left out, and a key that only an anchor has must
    /// be on a path that satisfies every rule.
    private func pinnedCertificates(of trust: Trust) -> [Certificate] {
        let keys = Set(self.keys)
        let anchors = self.validateHost ? [] : trust.anchors.allCertificates
        return (trust.certificates + anchors).filter { keys.contains($0.publicKey) }
    }
}

extension PinSet {
    /// Returns a set of the pins, or throws if there are none, as an evaluator without pins refuses everything.
    static func required(_ pins: [Pin], forHost host: String) throws(ServerTrustFailure) -> PinSet {
        guard !pins.isEmpty else { throw ServerTrustFailure(.noPins, host: host) }
        return PinSet(unchecked: [Requirement(pins)])
    }
}
