//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One evaluation. It accepts the first good path, and otherwise keeps the best one for the report.
///
/// Signatures come first, so a certificate that an attacker made costs one verification and no rules. The rules are
/// checked for paths with valid signatures, and for the reported path.
struct PathJudge {
    private let sharedRequest: SharedRequest
    private let anchors: [TrustAnchorSet]
    private let supplied: [CertificateView]
    /// The number of evaluations of list signers that led to this one.
    private let depth: Int
    private(set) var memo: SignatureMemo
    private var budget: Budget
    private var leafFindings = LeafFindings()
    private var transparency = PathTransparency()
    /// The best path with valid signatures that breaks a rule.
    private var best: (path: CandidatePath, rejections: [Rejection], keepsRules: Bool)?
    /// The paths to an anchor with an invalid signature, the best first.
    private var unproven = RankedPaths()
    private var deadEnds = RankedPaths()
    private var exhausted: Budget.Resource?
    private var foldedOctets = 0

    private var request: ValidationRequest { self.sharedRequest.value }

    /// The number of paths from which the best one is tried first. Most evaluations have one path, and few have more than three.
    private static let pathsAtOnce = 8
    /// The limits on explaining why a path without valid signatures is rejected.
    private static let comparisonsForReport = 5_000
    private static let policyNodesForReport = 1_000
    private static let octetsOfNamesForReport = 100_000

    init(
        _ request: SharedRequest, anchors: [TrustAnchorSet], supplied: [CertificateView], depth: Int,
        memo: SignatureMemo
    ) {
        self.sharedRequest = request
        self.anchors = anchors
        self.depth = depth
        self.memo = memo
        self.budget = request.value.budget
        self.supplied = request.value.signatureCache.map { supplied.map($0.remembered) } ?? supplied
    }

    mutating func judge(_ leaf: CertificateView) -> Verdict {
        guard self.depth > 0 else {
            var steps = 0
            return self.firstAccepted(leaf, steps: &steps) ?? self.refusal(of: leaf)
        }
        let outer = self.memo.beginSigner()
        defer { self.memo.endSigner(outer) }
        var steps = 0
        let accepted = self.firstAccepted(leaf, steps: &steps)
        self.memo.count(stepsToSigner: steps)
        return accepted ?? self.refusal(of: leaf)
    }

    // MARK: Search

    /// Returns the verdict on the first acceptable path, or `nil` if there is none.
    ///
    /// - Parameter steps: The count to which the steps of the search are added.
    private mutating func firstAccepted(_ leaf: CertificateView, steps: inout Int) -> Verdict? {
        let pool = IssuerPool(supplied: self.supplied, anchors: self.anchors, time: self.request.time)
        var builder = PathBuilder(leaf: leaf, pool: pool, request: self.sharedRequest, takesContradicted: false)
        if let accepted = self.firstAccepted(&builder, steps: &steps) { return accepted }
        // If key identifiers must match, a path on which they do not is only useful for the report.
        let isOfUse = !self.request.profile.requiresKeyIdentifierLinkage || builder.found == 0
        if builder.hasContradicted, builder.exhausted == nil, isOfUse {
            // The second search covers everything again, and finds the same dead ends and more.
            self.deadEnds.removeAll()
            builder = PathBuilder(leaf: leaf, pool: builder.pool, request: self.sharedRequest, takesContradicted: true)
            return self.firstAccepted(&builder, steps: &steps)
        }
        return nil
    }

    private mutating func firstAccepted(_ builder: inout PathBuilder, steps: inout Int) -> Verdict? {
        defer {
            steps += self.request.budget.pathSteps - builder.steps
            self.foldedOctets = builder.pool.foldedOctets
        }
        while true {
            var paths: [CandidatePath] = []
            while paths.count < Self.pathsAtOnce, let path = builder.next(knowing: self.memo) { paths.append(path) }
            if paths.count > 1 { paths.sort { $0.isTriedBefore($1, at: self.request.time) } }
            for path in paths {
                if self.accepts(path) {
                    self.memo.remember(path)
                    return self.chosen(path)
                }
                if self.exhausted == .signatures { builder.stop(.signatures) }
            }
            guard paths.isEmpty else { continue }
            for path in builder.deadEnds.paths { self.deadEnds.insert(path, at: self.request.time) }
            self.exhausted = self.exhausted ?? builder.exhausted ?? (builder.pool.isCut ? .issuers : nil)
            return nil
        }
    }

    /// Returns the verdict on a path that keeps all rules of the search. Only pins can still reject it.
    private mutating func chosen(_ path: CandidatePath) -> Verdict {
        let unpinned = PathChecks.pinsAfterSearch(path, self.sharedRequest)
        if !unpinned.isEmpty { self.best = (path, unpinned, true) }
        return self.verdict(path, unpinned)
    }

    private mutating func accepts(_ path: CandidatePath) -> Bool {
        if let failure = self.memo.firstFailure(on: path) {
            if failure.outcome == .budgetExhausted { self.exhausted = .signatures }
            self.unproven.insert(path, at: self.request.time)
            return false
        }
        let broken = PathChecks.run(path, self.sharedRequest, budget: &self.budget, leaf: &self.leafFindings)
        let others = broken.isEmpty ? self.missingTimestamps(on: path) + self.revocation(of: path) : []
        guard !broken.isEmpty || !others.isEmpty else { return true }
        self.keepBest(path, broken + others, keepsRules: broken.isEmpty)
        return false
    }

    /// Keeps a path for the report if it is the best. A path that keeps all rules and only lacks a status or
    /// timestamps comes before the others, because the status or the timestamps would make it acceptable.
    private mutating func keepBest(_ path: CandidatePath, _ rejections: [Rejection], keepsRules: Bool) {
        if let best = self.best {
            let isBetter = path.isBetter(than: best.path, at: self.request.time)
            guard keepsRules != best.keepsRules ? keepsRules : isBetter else { return }
        }
        self.best = (path, rejections, keepsRules)
    }

    private mutating func revocation(of path: CandidatePath) -> [Rejection] {
        self.sharedRequest.revocationRejections(
            of: path, anchors: self.anchors, depth: self.depth, supplied: self.supplied, using: &self.memo)
    }

    private mutating func missingTimestamps(on path: CandidatePath) -> [Rejection] {
        self.request.transparency == nil ? [] : self.transparency.rejections(of: path, self.request)
    }

    // MARK: The report

    /// Returns the verdict on a rejected leaf. A path with valid signatures is preferred to every other
    /// (SecCertificateServer.c scores it 100,000 higher).
    private mutating func refusal(of leaf: CertificateView) -> Verdict {
        if let (path, rejections, _) = self.best {
            // Revocation is a separate reason. A program that accepts a certificate with another name must still learn
            // that it is revoked.
            let isChecked = rejections.contains { $0.reason.isAboutRevocation }
            let missing = self.missingTimestamps(on: path)
            return self.refusal(of: path, for: rejections + missing + (isChecked ? [] : self.revocation(of: path)))
        }
        for path in self.unproven.paths { self.addDeadEnd(below: path) }
        for path in self.deadEnds.paths where self.firstReportedFailure(on: path) == nil {
            return self.report(path, failure: nil)
        }
        guard let path = self.unproven.first ?? self.deadEnds.first else {
            // If a limit ended the search before the first path, the reason is that limit, not a missing issuer.
            let reason = self.exhausted.map(RejectionReason.budgetExceeded) ?? .unknownIssuer
            return self.refusal(
                of: CandidatePath(certificates: [leaf], anchor: nil, deadEnd: nil), for: [Rejection(reason, at: 0)])
        }
        return self.report(path, failure: self.firstReportedFailure(on: path))
    }

    /// Adds a dead end. A path to an anchor that fails at one of several possible issuers ends below them for the report.
    private mutating func addDeadEnd(below path: CandidatePath) {
        guard let (index, outcome) = self.memo.firstFailure(on: path), let key = path.issuerKey(at: index) else {
            return
        }
        let child = path.certificates[index]
        let reason: CandidatePath.DeadEnd
        if child.isSelfIssued, self.isSelfSigned(child) {
            reason = .untrustedRoot
        } else if self.unproven.count > 1, self.exhausted != .signatures {
            reason = .signature(outcome, issuer: key.info.kind, bits: key.info.bits)
        } else {
            return
        }
        let below = CandidatePath(
            certificates: Array(path.certificates[...index]), anchor: nil, deadEnd: reason)
        self.deadEnds.insert(below, at: self.request.time)
    }

    /// Returns the first failure for the report. A verification for the report alone may reach the limit of the budget
    /// without a further reason, because the path is rejected anyway.
    private mutating func firstReportedFailure(on path: CandidatePath) -> (index: Int, outcome: SignatureOutcome)? {
        guard let failure = self.memo.firstFailure(on: path) else { return nil }
        let isUnknown = failure.outcome == .budgetExhausted && path.anchor == nil && self.memo.hasVerificationsLeft
        return isUnknown ? nil : failure
    }

    private mutating func report(
        _ path: CandidatePath, failure: (index: Int, outcome: SignatureOutcome)?
    ) -> Verdict {
        var path = path
        if path.deadEnd == .unknownIssuer, let top = path.certificates.last, top.isSelfIssued, self.isSelfSigned(top) {
            path = CandidatePath(certificates: path.certificates, anchor: nil, deadEnd: .untrustedRoot)
        }
        self.budget.nameComparisons = min(self.budget.nameComparisons, Self.comparisonsForReport)
        self.budget.policyNodes = min(self.budget.policyNodes, Self.policyNodesForReport)
        let names = path.certificates.first?.fields.extensions.subjectAlternativeName.count ?? 0
        if names > Self.octetsOfNamesForReport { self.leafFindings.serverRules = self.leafFindings.serverRules ?? [] }
        var rejections = PathChecks.run(path, self.sharedRequest, budget: &self.budget, leaf: &self.leafFindings)
        // If a limit ended the search, the right issuer may not have been tried.
        if let failure, self.exhausted != .signatures, self.exhausted != .issuers,
            let key = path.issuerKey(at: failure.index),
            let reason = RejectionReason(failure.outcome, path.certificates[failure.index], key.info)
        {
            // An invalid signature comes before the other reasons for its certificate.
            rejections.insert(Rejection(reason, at: failure.index), at: 0)
        }
        return self.refusal(of: path, for: rejections)
    }

    /// Returns `true` if names, key identifiers and the signature show a self-signed certificate (SecCertificate.c
    /// `_SecCertificateIsSelfSigned`).
    private mutating func isSelfSigned(_ certificate: CertificateView) -> Bool {
        guard certificate.keyIdentifierMatches(issuer: certificate) != false else { return false }
        let outcome = self.memo.outcome(of: certificate, signedWith: PublicKeySource(certificate))
        return outcome == .valid || (outcome == .budgetExhausted && self.memo.hasVerificationsLeft)
    }

    /// Returns the verdict on a rejected path. It always has a reason. A limit that ended the search is one.
    private mutating func refusal(of path: CandidatePath, for found: [Rejection]) -> Verdict {
        var seen: Set<Rejection> = []
        let unpinned = PathChecks.pinsAfterSearch(path, self.sharedRequest)
        var rejections = (found + unpinned).filter { seen.insert($0).inserted }
        if let resource = self.exhausted ?? (rejections.isEmpty ? .signatures : nil) {
            let isTold = rejections.contains { $0.reason == .budgetExceeded(resource) }
            if !isTold { rejections.append(Rejection(.budgetExceeded(resource), at: path.certificates.count - 1)) }
        }
        return self.verdict(path, rejections.sorted { $0.certificateIndex < $1.certificateIndex })
    }

    private mutating func verdict(_ path: CandidatePath, _ rejections: [Rejection]) -> Verdict {
        let isProven = rejections.isEmpty || self.best != nil
        let asksForLogs = isProven && self.request.transparency != nil
        return Verdict(
            path: path.certificates,
            anchor: path.anchor,
            rejections: rejections,
            transparency: asksForLogs ? self.transparency.report(on: path, self.request) : nil,
            policyInputs: self.request.policies,
            policyBudget: self.request.budget.policyNodes,
            verifiedSignatures: self.memo.verified,
            signatureCost: self.memo.cost,
            foldedOctets: self.foldedOctets,
            work: self.depth == 0 && self.checksRevocation ? EvaluationWork(self.memo) : nil
        )
    }

    private var checksRevocation: Bool {
        ([self.request.revocation] + self.request.additionalRevocation).contains { !$0.isOff }
    }
}

extension RejectionReason {
    /// Creates the reason for a signature that is not valid. `nil` for a valid one.
    init?(_ outcome: SignatureOutcome, _ certificate: CertificateView, _ key: SubjectPublicKeyInfo) {
        switch outcome {
        case .valid: return nil
        case .invalid: self = .badSignature
        case .algorithmMismatch: self = .signatureAlgorithmMismatch
        case .unsupportedAlgorithm: self = .unsupportedSignatureAlgorithm(certificate.signatureAlgorithm)
        case .unsupportedKey: self = .unsupportedIssuerKey(key.kind, bits: key.bits)
        case .budgetExhausted: self = .budgetExceeded(.signatures)
        }
    }
}
