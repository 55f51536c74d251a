//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The checks of a path against every rule except the signatures. All broken rules are collected.
///
/// The checks do not stop at the first broken rule. A report shows the whole list, and Apple's error code is the worst of it.
struct PathChecks {
    let path: CandidatePath
    private let sharedRequest: SharedRequest
    /// The results for the leaf alone, which are the same on every path.
    var leaf = LeafFindings()
    private(set) var rejections: [Rejection] = []

    init(path: CandidatePath, request: SharedRequest) {
        self.path = path
        self.sharedRequest = request
    }

    init(path: CandidatePath, request: ValidationRequest) {
        self.init(path: path, request: SharedRequest(request))
    }

    var request: ValidationRequest { self.sharedRequest.value }
    var profile: ValidationProfile { self.request.profile }
    var certificates: [CertificateView] { self.path.certificates }
    var anchorClass: AnchorClass? { self.path.anchor?.ruleClass }

    var isForServer: Bool { self.request.purposes.contains { $0.purpose == .server } }

    /// `true` if the user trusts the leaf itself, which lifts the strength and lifetime rules for servers.
    /// SecPolicyServer.c skips these rules if the anchor is trusted by settings and is the leaf.
    var leafIsUserTrusted: Bool {
        self.profile.userTrustInLeafIsLenient && self.anchorClass == .user
            && self.certificates.count == 1 && self.path.endsWithAnchorCertificate
    }

    static func run(
        _ path: CandidatePath, _ request: ValidationRequest, budget: inout Budget, leaf: inout LeafFindings
    ) -> [Rejection] {
        Self.run(path, SharedRequest(request), budget: &budget, leaf: &leaf)
    }

    static func run(
        _ path: CandidatePath, _ request: SharedRequest, budget: inout Budget, leaf: inout LeafFindings
    ) -> [Rejection] {
        var checks = PathChecks(path: path, request: request)
        checks.leaf = leaf
        checks.checkEnd()
        checks.checkBlockedRoots()
        for index in path.certificates.indices { checks.checkCertificate(at: index) }
        checks.checkAnchorKey()
        checks.checkIssuers()
        checks.checkNameConstraints(budget: &budget.nameComparisons)
        if let signer = request.value.statusSigner {
            checks.check(signer)
        } else {
            if let leaf = path.certificates.first { checks.checkIdentities(of: leaf) }
            for purpose in request.value.purposes { checks.check(purpose) }
        }
        checks.checkCertificateRules()
        checks.checkPolicies(budget: &budget.policyNodes)
        leaf = checks.leaf
        return checks.rejections
    }

    mutating func reject(_ reason: RejectionReason, at index: Int) {
        let rejection = Rejection(reason, at: index)
        if !self.rejections.contains(rejection) { self.rejections.append(rejection) }
    }

    /// Adds known rejections, which must differ from all others.
    mutating func reject(_ found: [Rejection]) { self.rejections += found }

    private mutating func checkEnd() {
        let last = self.certificates.count - 1
        switch self.path.deadEnd {
        case nil: break
        case .untrustedRoot?: self.reject(.untrustedRoot, at: last)
        case .unknownIssuer?: self.reject(.unknownIssuer, at: last)
        case .tooLong?: self.reject(.pathTooLong(limit: self.request.budget.pathLength), at: last)
        case .signature(let outcome, let kind, let bits)?:
            self.reject(self.reason(outcome, of: kind, bits: bits), at: last)
        }
        if let anchorClass = self.path.anchor?.anchorClass, !self.request.anchorClasses.contains(anchorClass) {
            self.reject(.untrustedRoot, at: last)
        }
        let intermediates = self.path.processed.dropLast().count { !$0.isSelfIssued }
        if let limit = self.request.maximumIntermediates, intermediates > limit {
            self.reject(.tooManyIntermediates(limit: limit, actual: intermediates), at: last)
        }
    }

    private func reason(_ outcome: SignatureOutcome, of kind: PublicKeyKind, bits: Int) -> RejectionReason {
        switch outcome {
        case .valid, .invalid: .badSignature
        case .algorithmMismatch: .signatureAlgorithmMismatch
        case .unsupportedAlgorithm:
            .unsupportedSignatureAlgorithm(self.certificates.last?.signatureAlgorithm ?? .unknown)
        case .unsupportedKey: .unsupportedIssuerKey(kind, bits: bits)
        case .budgetExhausted: .budgetExceeded(.signatures)
        }
    }

    private mutating func checkPolicies(budget: inout Int) {
        guard PolicyGraph.matters(for: self.path.processed, self.request.policies) else { return }
        switch PolicyGraph.process(self.path.processed, self.request.policies, budget: &budget) {
        case .valid: break
        case .invalid: self.reject(.certificatePolicies, at: 0)
        case .budgetExceeded: self.reject(.budgetExceeded(.policyNodes), at: 0)
        }
    }
}

/// The results of rules about the leaf alone, which are computed once instead of once for each path.
struct LeafFindings {
    /// The rejections for missing names, or `nil` before the check.
    var identities: [Rejection]?
    /// The rules on the form of servers' certificates that the leaf breaks, or `nil` before the check.
    var serverRules: CertificateRules?
}
