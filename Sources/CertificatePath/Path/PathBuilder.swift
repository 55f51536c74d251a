//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The search for paths from a leaf to trust anchors through unverified certificates.
///
/// It is a depth-first search by names, and it yields one path at a time. It verifies no signature, so that a key is
/// only used after the path above it was found. The result does not depend on the order of the certificates in the
/// input.
struct PathBuilder {
    /// `true` if issuers with another key identifier than the certificate below names count.
    private let takesContradicted: Bool
    private let time: Timestamp
    private let maximumLength: Int
    private let maximumPaths: Int
    private(set) var pool: IssuerPool
    /// The rest of ``Budget/pathSteps``.
    private(set) var steps: Int
    /// The certificates from the leaf to the current position of the search.
    private var frames: [Frame] = []
    private var knownFailures = 0
    /// The path of a leaf that is itself an anchor, before it is returned.
    private var pending: CandidatePath?
    private(set) var found = 0
    private(set) var exhausted: Budget.Resource?
    /// `true` if an issuer was skipped for its key identifier.
    private(set) var hasContradicted = false
    /// The best paths that reach no anchor, for a report if no path does.
    private(set) var deadEnds = RankedPaths()

    /// The number of certificates in most paths, without the anchor's.
    private static let usualLength = 3

    /// A certificate of the current path with its possible issuers.
    private struct Frame {
        let certificate: CertificateView
        let issuers: [Issuer]
        var next = 0
        /// The number of issuers up to here with another key identifier than the certificate below names.
        let contradicted: Int
        /// `true` if a path through an issuer was followed or found.
        var leadsOn = false
        /// `true` if an issuer was not followed because the path is too long.
        var isTooLong = false
        /// `true` if the certificate is an anchor, so the search has found a path already.
        let isAnchor: Bool
    }

    init(leaf: CertificateView, pool: IssuerPool, request: SharedRequest, takesContradicted: Bool) {
        self.takesContradicted = takesContradicted
        self.time = request.value.time
        self.maximumLength = max(1, request.value.budget.pathLength)
        self.maximumPaths = request.value.budget.paths
        self.pool = pool
        self.steps = request.value.budget.pathSteps
        let anchor = pool.anchor(matching: leaf)
        if let anchor, !takesContradicted {
            self.pending = CandidatePath(certificates: [leaf], anchor: anchor, deadEnd: nil)
        }
        self.frames.reserveCapacity(Self.usualLength)
        self.push(leaf, contradicted: 0, isAnchor: anchor != nil)
    }

    /// Returns the next path to an anchor, the most promising first.
    ///
    /// - Parameter memo: The known signatures. A path with an invalid signature is not returned.
    mutating func next(knowing memo: SignatureMemo) -> CandidatePath? {
        if let path = self.pending {
            self.pending = nil
            return self.count(path)
        }
        self.leaveFailures(memo)
        while let frame = self.frames.last {
            guard frame.next < frame.issuers.count else {
                self.pop(frame)
                continue
            }
            self.frames[self.frames.count - 1].next += 1
            let issuer = frame.issuers[frame.next]
            if memo.isKnownToFail(frame.certificate, signedWith: issuer.key) { continue }
            guard Budget.spend(&self.steps) else {
                self.stop(.pathSteps)
                return nil
            }
            if let path = self.step(to: issuer, from: frame) { return self.count(path) }
        }
        return nil
    }

    /// Goes back to the certificate below an issuer that is known not to have signed it.
    private mutating func leaveFailures(_ memo: SignatureMemo) {
        guard memo.failures != self.knownFailures else { return }
        self.knownFailures = memo.failures
        for (index, (child, issuer)) in zip(self.frames, self.frames.dropFirst()).enumerated()
        where memo.isKnownToFail(child.certificate, signedWith: PublicKeySource(issuer.certificate)) {
            self.frames.removeSubrange((index + 1)...)
            return
        }
    }

    /// Ends the search because a limit is reached.
    mutating func stop(_ resource: Budget.Resource) {
        self.exhausted = resource
        if self.found == 0, !self.frames.isEmpty { self.abandon(.unknownIssuer) }
        self.frames.removeAll()
    }

    private mutating func count(_ path: CandidatePath) -> CandidatePath? {
        guard self.found < self.maximumPaths else {
            self.stop(.paths)
            return nil
        }
        self.found += 1
        return path
    }

    private mutating func step(to issuer: Issuer, from frame: Frame) -> CandidatePath? {
        let isContradicted = issuer.isContradicted(by: frame.certificate)
        guard self.takesContradicted || !isContradicted else {
            self.hasContradicted = true
            return nil
        }
        for frame in self.frames where self.pool.isTwin(issuer, of: frame.certificate) { return nil }
        let contradicted = frame.contradicted + (isContradicted ? 1 : 0)
        switch issuer.form {
        case .certificate(let certificate):
            self.push(certificate, contradicted: contradicted)
            return nil
        case .anchor(let anchor):
            self.frames[self.frames.count - 1].leadsOn = true
            let top = anchor.certificate
            var path = CandidatePath(certificates: self.certificates(endingWith: top), anchor: anchor, deadEnd: nil)
            path.passesAnchor = self.frames.contains(where: \.isAnchor)
            // One valid path to one anchor suffices (RFC 5280 §6.1). This path may break a rule that a longer one keeps.
            if let top, !top.namesItselfAsIssuer { self.push(top, contradicted: contradicted, isAnchor: true) }
            // The search for contradicted issuers does not return the paths of the search without them again.
            return self.takesContradicted && contradicted == 0 ? nil : path
        }
    }

    private mutating func push(_ certificate: CertificateView, contradicted: Int, isAnchor: Bool = false) {
        guard self.frames.count < self.maximumLength else {
            self.frames[self.frames.count - 1].isTooLong = true
            return
        }
        if !self.frames.isEmpty { self.frames[self.frames.count - 1].leadsOn = true }
        self.frames.append(
            Frame(
                certificate: certificate, issuers: self.pool.issuers(of: certificate), contradicted: contradicted,
                isAnchor: isAnchor))
    }

    /// Goes one certificate back. If no issuer of it led on, the path is a dead end.
    private mutating func pop(_ frame: Frame) {
        if !frame.leadsOn, !frame.isAnchor { self.abandon(frame.isTooLong ? .tooLong : .unknownIssuer) }
        self.frames.removeLast()
    }

    private func certificates(endingWith top: CertificateView?) -> [CertificateView] {
        var certificates: [CertificateView] = []
        certificates.reserveCapacity(self.frames.count + 1)
        for frame in self.frames { certificates.append(frame.certificate) }
        if let top { certificates.append(top) }
        return certificates
    }

    /// Keeps a path that reaches no anchor, if it is among the best.
    private mutating func abandon(_ reason: CandidatePath.DeadEnd) {
        let path = CandidatePath(certificates: self.certificates(endingWith: nil), anchor: nil, deadEnd: reason)
        self.deadEnds.insert(path, at: self.time)
    }
}
