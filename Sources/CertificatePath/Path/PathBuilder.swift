//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Finds the paths from a leaf towards trust anchors over a pile of certificates nobody vouches for.
///
/// Depth first, over names; signatures are left for later where only one issuer is possible, and decide at once where
/// several are, so that look-alikes cost one verification each and cannot multiply. The search ends when its budget
/// does. Nothing depends on the order in which certificates were supplied.
struct PathBuilder {
    private let request: ValidationRequest
    private let anchors: [TrustAnchorSet]
    private var pool: [CertificateView]

    private(set) var ledger: SignatureLedger
    private var steps: Int
    private(set) var exhausted: Budget.Resource?
    private var complete: [CandidatePath] = []
    private var bestDeadEnd: CandidatePath?

    /// RFC 5280 sets no limit; the longest real path is a third of this.
    private static let maximumLength = 24

    init(
        leaf: CertificateView, intermediates: some Sequence<CertificateView>, anchors: [TrustAnchorSet],
        request: ValidationRequest
    ) {
        self.request = request
        self.anchors = anchors
        var seen: Set<CertificateView> = [leaf]
        self.pool = intermediates.filter { seen.insert($0).inserted }
        self.ledger = SignatureLedger(budget: request.budget.signatures)
        self.steps = request.budget.pathSteps
        self.extend([leaf])
    }

    /// The paths found, best first.
    var candidates: [CandidatePath] {
        let time = self.request.time
        let scored = (self.complete + (self.bestDeadEnd.map { [$0] } ?? [])).map { ($0.score(at: time), $0) }
        return scored.sorted { left, right in
            left.0 != right.0 ? left.0 > right.0 : left.1.precedes(right.1)
        }.map(\.1)
    }

    mutating func outcome(of certificate: CertificateView, signedWith key: PublicKeySource) -> SignatureOutcome {
        self.ledger.outcome(of: certificate, signedWith: key)
    }

    private mutating func extend(_ path: [CertificateView]) {
        guard let top = path.last else { return }
        guard self.exhausted == nil else {
            self.abandon(path, .unknownIssuer)
            return
        }
        if let anchor = self.anchor(matching: top) {
            self.finish(path, anchor)
            return
        }
        if self.isSelfSigned(top) {
            self.abandon(path, .untrustedRoot)
            return
        }
        let named = self.issuersByName(of: top, in: path)
        let issuers = named.count > 1 ? named.filter { self.isPossible($0, for: top) } : named
        guard let first = named.first else {
            self.abandon(path, .unknownIssuer)
            return
        }
        guard !issuers.isEmpty else {
            let outcome = self.outcome(of: top, signedWith: first.key)
            self.abandon(path, .signature(outcome, issuer: first.key.info.kind, bits: first.key.info.bits))
            return
        }
        for issuer in issuers { self.step(from: path, to: issuer) }
    }

    private mutating func step(from path: [CertificateView], to issuer: Issuer) {
        guard Budget.spend(&self.steps) else {
            self.exhausted = .pathSteps
            return
        }
        switch issuer.form {
        case .anchor(let anchor): self.finish(path + (anchor.certificate.map { [$0] } ?? []), anchor)
        case .certificate(let certificate):
            guard path.count < Self.maximumLength else {
                self.abandon(path, .unknownIssuer)
                return
            }
            self.extend(path + [certificate])
        }
    }

    private mutating func finish(_ path: [CertificateView], _ anchor: TrustAnchor) {
        guard self.complete.count < self.request.budget.paths else {
            self.exhausted = .paths
            return
        }
        self.complete.append(CandidatePath(certificates: path, anchor: anchor, deadEnd: nil))
    }

    private mutating func abandon(_ path: [CertificateView], _ reason: CandidatePath.DeadEnd) {
        let candidate = CandidatePath(certificates: path, anchor: nil, deadEnd: reason)
        guard let best = self.bestDeadEnd else {
            self.bestDeadEnd = candidate
            return
        }
        let (score, bestScore) = (candidate.score(at: self.request.time), best.score(at: self.request.time))
        if score > bestScore || (score == bestScore && candidate.precedes(best)) { self.bestDeadEnd = candidate }
    }

    private func anchor(matching certificate: CertificateView) -> TrustAnchor? {
        for set in self.anchors {
            if let anchor = set.anchor(matching: certificate) { return anchor }
        }
        return nil
    }

    /// SecCertificate.c `_SecCertificateIsSelfSigned`: the names, the key identifiers, and the signature.
    private mutating func isSelfSigned(_ certificate: CertificateView) -> Bool {
        guard certificate.isSelfIssued, certificate.keyIdentifierMatches(issuer: certificate) != false else { return false }
        return self.outcome(of: certificate, signedWith: PublicKeySource(certificate)) == .valid
    }

    /// A signature that cannot be judged for want of budget may still be good; it will be refused later if it decides.
    private mutating func isPossible(_ issuer: Issuer, for certificate: CertificateView) -> Bool {
        let outcome = self.outcome(of: certificate, signedWith: issuer.key)
        if outcome == .budgetExhausted { self.exhausted = .signatures }
        return outcome == .valid
    }

    private func issuersByName(of certificate: CertificateView, in path: [CertificateView]) -> [Issuer] {
        var issuers: [Issuer] = []
        for set in self.anchors {
            for anchor in set.issuers(of: certificate) where !issuers.contains(where: { $0.isSame(as: anchor) }) {
                issuers.append(Issuer(anchor))
            }
        }
        let issuer = certificate.fields.issuer
        for candidate in self.pool
        where DistinguishedName.areEqual(issuer, of: certificate.bytes, candidate.fields.subject, of: candidate.bytes)
            && !candidate.repeats(in: path) && !issuers.contains(where: { $0.certificate == candidate }) {
            issuers.append(Issuer(candidate))
        }
        guard issuers.count > 1 else { return issuers }
        let time = self.request.time
        return issuers.map { ($0.rank(for: certificate, at: time), $0) }
            .sorted { $0.0 != $1.0 ? $0.0 > $1.0 : $0.1.precedes($1.1) }.map(\.1)
    }
}
