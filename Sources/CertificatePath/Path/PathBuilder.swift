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
    private var pool: IssuerPool
    private var ledger: SignatureLedger
    private var steps: Int
    private(set) var exhausted: Budget.Resource?
    private var complete: [CandidatePath] = []
    private var bestDeadEnd: (score: Int, path: CandidatePath)?

    /// RFC 5280 sets no limit; the longest real path is a third of this.
    private static let maximumLength = 24

    init(
        leaf: CertificateView, intermediates: [CertificateView], anchors: [TrustAnchorSet],
        request: ValidationRequest
    ) {
        self.request = request
        self.pool = IssuerPool(supplied: intermediates, anchors: anchors, time: request.time)
        self.ledger = SignatureLedger(budget: request.budget.signatures, cache: request.signatureCache)
        self.steps = request.budget.pathSteps
        self.extend([self.pool.number(of: leaf)])
    }

    /// The paths found, best first.
    var candidates: [CandidatePath] {
        let found = self.complete + (self.bestDeadEnd.map { [$0.path] } ?? [])
        guard found.count > 1 else { return found }
        let scored = found.map { ($0.score(at: self.request.time), $0) }
        return scored.sorted { left, right in
            left.0 != right.0 ? left.0 > right.0 : left.1.precedes(right.1)
        }.map(\.1)
    }

    /// The number of signatures verified so far.
    var verifiedSignatures: Int { self.ledger.verified }

    /// Whether a signature could not be verified for want of budget since this was last cleared.
    var signaturesRanOut = false

    mutating func outcome(of certificate: CertificateView, signedWith key: PublicKeySource) -> SignatureOutcome {
        let outcome = self.ledger.outcome(of: certificate, signedWith: key)
        if outcome == .budgetExhausted { self.signaturesRanOut = true }
        return outcome
    }

    /// Takes one signature that is verified once only; `false` when nothing is left.
    private mutating func spendSignature() -> Bool {
        guard self.ledger.charge(1) else {
            self.signaturesRanOut = true
            return false
        }
        return true
    }

    /// What is left of the budget for signatures.
    var remainingSignatures: Int { self.ledger.remainingSignatures }

    /// Takes signatures out of the budget that were verified elsewhere.
    mutating func charge(_ signatures: Int) { _ = self.ledger.charge(signatures) }

    /// Whether a key signed a revocation list.
    mutating func isSigned(_ list: CertificateList, with key: PublicKeySource) -> Bool {
        let fields = list.fields
        guard fields.signatureAlgorithmsAgree, self.spendSignature() else { return false }
        return SignatureVerifier.verify(
            signature: list.bytes.slice(fields.signature), of: list.bytes.slice(fields.tbsCertList),
            algorithm: fields.signatureAlgorithm, with: key) == .valid
    }

    /// Whether a key signed an OCSP response.
    mutating func isSigned(_ response: OCSPResponse, with key: PublicKeySource) -> Bool {
        let fields = response.fields
        guard self.spendSignature() else { return false }
        return SignatureVerifier.verify(
            signature: response.bytes.slice(fields.signature), of: response.bytes.slice(fields.tbsResponseData),
            algorithm: fields.signatureAlgorithm, with: key) == .valid
    }

    private mutating func extend(_ path: [Int]) {
        guard let last = path.last else { return }
        let top = self.pool.certificate(last)
        if let anchor = self.pool.anchor(matching: top) {
            self.finish(path, anchor)
            return
        }
        guard self.exhausted == nil else {
            self.abandon(path, .unknownIssuer)
            return
        }
        if self.isSelfSigned(top) {
            self.abandon(path, .untrustedRoot)
            return
        }
        let named = self.issuers(of: last, continuing: path)
        guard let first = named.first else {
            self.abandon(path, .unknownIssuer)
            return
        }
        let issuers = named.count > 1 ? named.filter { self.isPossible($0, for: top) } : named
        guard !issuers.isEmpty else {
            let outcome = self.outcome(of: top, signedWith: first.key)
            self.abandon(path, .signature(outcome, issuer: first.key.info.kind, bits: first.key.info.bits))
            return
        }
        for issuer in issuers { self.step(from: path, to: issuer) }
    }

    private mutating func issuers(of number: Int, continuing path: [Int]) -> [Issuer] {
        self.pool.issuers(of: number).filter { issuer in
            guard case .certificate(let certificate) = issuer.form else { return true }
            let candidate = self.pool.number(of: certificate)
            return !path.contains { self.pool.areTwins($0, candidate) }
        }
    }

    private mutating func step(from path: [Int], to issuer: Issuer) {
        guard Budget.spend(&self.steps) else {
            self.exhausted = .pathSteps
            self.abandon(path, .unknownIssuer)
            return
        }
        switch issuer.form {
        case .anchor(let anchor): self.finish(path, anchor, anchor.certificate)
        case .certificate(let certificate):
            guard path.count < Self.maximumLength else {
                self.abandon(path, .unknownIssuer)
                return
            }
            self.extend(path + [self.pool.number(of: certificate)])
        }
    }

    private mutating func finish(_ path: [Int], _ anchor: TrustAnchor, _ top: CertificateView? = nil) {
        guard self.complete.count < self.request.budget.paths else {
            self.exhausted = self.exhausted ?? .paths
            if self.complete.isEmpty { self.abandon(path, .unknownIssuer) }
            return
        }
        let certificates = path.map { self.pool.certificate($0) } + (top.map { [$0] } ?? [])
        self.complete.append(CandidatePath(certificates: certificates, anchor: anchor, deadEnd: nil))
    }

    /// Remembers the best of the paths that reach no anchor, for want of a better answer.
    private mutating func abandon(_ path: [Int], _ reason: CandidatePath.DeadEnd) {
        let certificates = path.map { self.pool.certificate($0) }
        let candidate = CandidatePath(certificates: certificates, anchor: nil, deadEnd: reason)
        let score = candidate.score(at: self.request.time)
        if let (bestScore, best) = self.bestDeadEnd {
            guard score > bestScore || (score == bestScore && candidate.precedes(best)) else { return }
        }
        self.bestDeadEnd = (score, candidate)
    }

    /// SecCertificate.c `_SecCertificateIsSelfSigned`: the names, the key identifiers, and the signature.
    private mutating func isSelfSigned(_ certificate: CertificateView) -> Bool {
        guard certificate.isSelfIssued, certificate.keyIdentifierMatches(issuer: certificate) != false else {
            return false
        }
        return self.outcome(of: certificate, signedWith: PublicKeySource(certificate)) == .valid
    }

    private mutating func isPossible(_ issuer: Issuer, for certificate: CertificateView) -> Bool {
        let outcome = self.outcome(of: certificate, signedWith: issuer.key)
        if outcome == .budgetExhausted { self.exhausted = .signatures }
        return outcome == .valid
    }
}
