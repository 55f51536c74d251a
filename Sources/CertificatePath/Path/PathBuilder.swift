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
    private let time: Timestamp
    private let maximumPaths: Int
    private var pool: IssuerPool
    private var memo: SignatureMemo
    private var steps: Int
    /// The certificates between the leaf and where the search is, as their numbers in the pool.
    private var path: [Int] = []
    private(set) var exhausted: Budget.Resource?
    private var complete: [CandidatePath] = []
    private var bestDeadEnd: (score: Int, path: CandidatePath)?

    /// RFC 5280 sets no limit; the longest real path is a third of this.
    private static let maximumLength = 24

    init(
        leaf: CertificateView, intermediates: [CertificateView], anchors: [TrustAnchorSet],
        request: ValidationRequest, memo: inout SignatureMemo
    ) {
        self.time = request.time
        self.maximumPaths = request.budget.paths
        let supplied = request.signatureCache.map { intermediates.map($0.remembered) } ?? intermediates
        self.pool = IssuerPool(
            supplied: supplied, anchors: anchors, time: request.time,
            maximumIssuers: max(0, min(request.budget.signatures, 1 << 20)) + Self.maximumLength + 1)
        self.memo = memo
        self.steps = request.budget.pathSteps
        self.path.reserveCapacity(4)
        self.extend(to: self.pool.number(of: leaf))
        memo = self.memo
    }

    /// The paths found, best first.
    var candidates: [CandidatePath] {
        guard let deadEnd = self.bestDeadEnd?.path else {
            return self.complete.count > 1 ? self.sorted(self.complete) : self.complete
        }
        return self.complete.isEmpty ? [deadEnd] : self.sorted(self.complete + [deadEnd])
    }

    private func sorted(_ paths: [CandidatePath]) -> [CandidatePath] {
        let scored = paths.map { ($0.score(at: self.time), $0) }
        return scored.sorted { left, right in
            left.0 != right.0 ? left.0 > right.0 : left.1.precedes(right.1)
        }.map(\.1)
    }

    private mutating func extend(to number: Int) {
        self.path.append(number)
        defer { self.path.removeLast() }
        let top = self.pool.certificate(number)
        if let anchor = self.pool.anchor(matching: top) {
            self.finish(anchor)
            return
        }
        guard self.exhausted == nil else {
            self.abandon(.unknownIssuer)
            return
        }
        if self.isSelfSigned(top) {
            self.abandon(.untrustedRoot)
            return
        }
        let named = self.issuers(of: number)
        guard let first = named.first else {
            self.abandon(.unknownIssuer)
            return
        }
        let issuers = named.count > 1 ? named.filter { self.isPossible($0, for: top) } : named
        guard !issuers.isEmpty else {
            let outcome = self.memo.outcome(of: top, signedWith: first.key)
            self.abandon(.signature(outcome, issuer: first.key.info.kind, bits: first.key.info.bits))
            return
        }
        for issuer in issuers { self.step(to: issuer) }
    }

    /// The possible issuers that do not lead in circles.
    private mutating func issuers(of number: Int) -> [Issuer] {
        let issuers = self.pool.issuers(of: number)
        let isAnyOnPath = issuers.contains { self.isOnPath($0) }
        return isAnyOnPath ? issuers.filter { !self.isOnPath($0) } : issuers
    }

    private func isOnPath(_ issuer: Issuer) -> Bool {
        guard let number = issuer.number else { return false }
        return self.path.contains { self.pool.areTwins($0, number) }
    }

    private mutating func step(to issuer: Issuer) {
        guard Budget.spend(&self.steps) else {
            self.exhausted = .pathSteps
            self.abandon(.unknownIssuer)
            return
        }
        if case .anchor(let anchor) = issuer.form {
            self.finish(anchor, anchor.certificate)
        } else if let number = issuer.number, self.path.count < Self.maximumLength {
            self.extend(to: number)
        } else {
            self.abandon(.unknownIssuer)
        }
    }

    private mutating func finish(_ anchor: TrustAnchor, _ top: CertificateView? = nil) {
        guard self.complete.count < self.maximumPaths else {
            self.exhausted = self.exhausted ?? .paths
            if self.complete.isEmpty { self.abandon(.unknownIssuer) }
            return
        }
        let certificates = self.certificates(endingWith: top)
        self.complete.append(CandidatePath(certificates: certificates, anchor: anchor, deadEnd: nil))
    }

    private func certificates(endingWith top: CertificateView?) -> [CertificateView] {
        var certificates: [CertificateView] = []
        certificates.reserveCapacity(self.path.count + 1)
        for number in self.path { certificates.append(self.pool.certificate(number)) }
        if let top { certificates.append(top) }
        return certificates
    }

    /// Remembers the best of the paths that reach no anchor, for want of a better answer.
    private mutating func abandon(_ reason: CandidatePath.DeadEnd) {
        let certificates = self.certificates(endingWith: nil)
        let candidate = CandidatePath(certificates: certificates, anchor: nil, deadEnd: reason)
        let score = candidate.score(at: self.time)
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
        return self.memo.outcome(of: certificate, signedWith: PublicKeySource(certificate)) == .valid
    }

    private mutating func isPossible(_ issuer: Issuer, for certificate: CertificateView) -> Bool {
        let outcome = self.memo.outcome(of: certificate, signedWith: issuer.key)
        if outcome == .budgetExhausted { self.exhausted = .signatures }
        return outcome == .valid
    }
}
