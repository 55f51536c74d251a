//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The verification of the signatures of paths.
extension SignatureMemo {
    /// Verifies a path from its top down and stops at the first failure, because the certificates below it are not proven.
    ///
    /// A key below an anchor verifies nothing before it is proven itself.
    ///
    /// - Returns: The first failure and the index of the certificate with that signature, or `nil` if every signature is valid.
    mutating func firstFailure(on path: CandidatePath) -> (index: Int, outcome: SignatureOutcome)? {
        if self.failures > 0, self.isLeafKnownToFail(on: path) { return (0, .invalid) }
        if let anchor = path.anchor { self.prove(anchorKey: anchor.key) }
        var cost = 0
        for index in path.certificates.indices.reversed() {
            let certificate = path.certificates[index]
            guard let key = path.issuerKey(at: index) else { continue }
            let outcome = self.outcome(of: certificate, signedWith: key, credit: path.anchor == nil ? nil : cost)
            guard outcome == .valid else { return (index, outcome) }
            guard path.anchor != nil else { continue }
            cost += self.cost(of: certificate, signedWith: key)
            self.prove(PublicKeySource(certificate))
        }
        if path.anchor != nil { self.hold(pathCost: cost) }
        return nil
    }

    /// Returns `true` if the leaf's signature is invalid. It is checked first from the second path on, for keys with a
    /// low cost. If many intermediates have one name, this finds the right one with one verification for each instead
    /// of two.
    private mutating func isLeafKnownToFail(on path: CandidatePath) -> Bool {
        guard path.anchor != nil, path.certificates.count > 1, let leaf = path.certificates.first,
            let key = path.issuerKey(at: 0)
        else { return false }
        let cost = SignatureCost.verification(with: key.info, octets: leaf.bytes.count)
        guard cost <= 2 * SignatureCost.p256, cost + SignatureCost.p256 <= self.remainingCost else { return false }
        return self.outcome(of: leaf, signedWith: key) == .invalid
    }

    /// Remembers the signatures of an accepted path for other evaluations. Certificates of other paths therefore
    /// cannot fill the cache.
    func remember(_ path: CandidatePath) {
        guard let cache else { return }
        for (index, certificate) in path.certificates.enumerated() where cache.remembers(certificate) {
            guard let key = path.issuerKey(at: index) else { continue }
            cache.insert(certificate, signedBy: key)
        }
    }
}
