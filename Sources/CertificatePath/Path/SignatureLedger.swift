//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The signatures one evaluation has verified, so that none is verified twice, and the budget for them.
///
/// Kept by certificate and key: however many cross-signed certificates carry one key, it costs one verification.
struct SignatureLedger {
    private var entries: [Entry] = []
    private var remaining: Int
    private let cache: SignatureCache?
    private(set) var verified = 0

    private struct Entry {
        let certificate: CertificateView
        let key: PublicKeySource
        let outcome: SignatureOutcome
    }

    init(budget: Int, cache: SignatureCache?) {
        self.remaining = budget
        self.cache = cache
    }

    /// What is left of the budget.
    var remainingSignatures: Int { self.remaining }

    /// Takes signatures out of the budget that were verified elsewhere, or that are verified once only; `false`, and none
    /// is counted, when that many are not left.
    mutating func charge(_ signatures: Int) -> Bool {
        guard signatures <= self.remaining else {
            self.remaining = 0
            return false
        }
        self.verified += signatures
        self.remaining -= signatures
        return true
    }

    /// The list is searched from its end: it is as long as the budget at most, and usually two or three.
    mutating func outcome(of certificate: CertificateView, signedWith key: PublicKeySource) -> SignatureOutcome {
        for entry in self.entries.reversed()
        where entry.certificate === certificate && entry.key.isSameKey(as: key) {
            return entry.outcome
        }
        guard Budget.spend(&self.remaining) else { return .budgetExhausted }
        let outcome = self.verify(certificate, key)
        self.entries.append(Entry(certificate: certificate, key: key, outcome: outcome))
        return outcome
    }

    private mutating func verify(_ certificate: CertificateView, _ key: PublicKeySource) -> SignatureOutcome {
        if let cache, cache.remembers(certificate), cache.contains(certificate, signedBy: key) { return .valid }
        self.verified += 1
        return SignatureVerifier.verify(certificate, with: key)
    }

    /// Remembers the signatures of an accepted path for other evaluations: nobody can fill the cache with
    /// certificates that lead nowhere.
    func remember(_ path: CandidatePath) {
        guard let cache else { return }
        for (index, certificate) in path.certificates.enumerated() where cache.remembers(certificate) {
            guard let key = path.issuerKey(at: index) else { continue }
            cache.insert(certificate, signedBy: key)
        }
    }
}
