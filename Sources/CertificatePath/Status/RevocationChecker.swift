//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The revocation checks for the certificates of a path that keeps all other rules (RFC 5280 §6.3, RFC 6960).
struct RevocationChecker {
    private(set) var path: CandidatePath
    private(set) var request: ValidationRequest
    /// The policy of the request that is applied.
    private(set) var policy: RevocationPolicy
    /// All anchors of the evaluation, not only that of the path.
    let anchors: [TrustAnchorSet]
    /// The number of evaluations of list signers that led to this one. Their paths are checked for revocation too, up to a limit.
    private(set) var depth: Int
    /// The certificates that may have signed evidence, and from which a signer's path may be built.
    let signers: SignerTable

    /// The limit for the depth. The signer of a list may be revoked on a list by another signer. Two such steps are
    /// enough for everything that RFC 5280 describes.
    private static let maximumDepth = 2

    init(
        path: CandidatePath, request: ValidationRequest, policy: RevocationPolicy, anchors: [TrustAnchorSet],
        depth: Int, supplied: [CertificateView]
    ) {
        self.path = path
        self.request = request
        self.policy = policy
        self.anchors = anchors
        self.depth = depth
        self.signers = SignerTable(supplied)
    }

    /// The same checker with a policy that needs no status of a signer.
    var lenient: RevocationChecker {
        var checker = self
        checker.policy.mode = .soft
        return checker
    }

    /// Returns the rejections of the path. It is checked from the anchor down, because a list is only as good as the
    /// path of its issuer.
    func rejections(using memo: inout SignatureMemo) -> [Rejection] {
        guard self.path.anchor != nil else { return [] }
        // The path of a list's signer is checked during the check of another path. That one's exhausted budget must not be
        // forgotten.
        let had = (memo.hasRunOut, memo.hasUntriedRevocation)
        (memo.hasRunOut, memo.hasUntriedRevocation) = (false, false)
        defer {
            memo.hasRunOut = memo.hasRunOut || (self.depth > 0 && had.0)
            memo.hasUntriedRevocation = memo.hasUntriedRevocation || (self.depth > 0 && had.1)
        }
        var rejections = self.policy.mode == .off ? [] : self.statusRejections(&memo)
        if self.policy.enforcesTLSFeature, self.depth == 0 { rejections += self.featureRejections(&memo) }
        // Unread evidence makes a status unknown. An unread "revoked" rejects the path in every mode.
        let isWanted = memo.hasRunOut && rejections.contains { $0.reason.isAboutRevocation }
        if memo.hasUntriedRevocation || isWanted { rejections.append(Rejection(.budgetExceeded(.signatures), at: 0)) }
        return rejections
    }

    /// The indices of the certificates that can be revoked: all but the anchor's.
    var belowAnchor: Range<Int> {
        self.path.certificates.indices.dropLast(self.path.endsWithAnchorCertificate ? 1 : 0)
    }

    private func statusRejections(_ memo: inout SignatureMemo) -> [Rejection] {
        var rejections: [Rejection] = []
        let places = Array(self.belowAnchor.reversed())
        for (index, status) in zip(places, self.statuses(at: places, &memo)) {
            switch status {
            case .good: continue
            case .revoked(let reason, let date):
                rejections.append(Rejection(.revoked(reason, since: date), at: index))
            case .unknown where self.path.certificates[index].hasNoStatus: continue
            case .unknown(let why):
                let isNeeded = self.policy.mode == .hard || (self.policy.mode == .leaf && index == 0)
                if isNeeded { rejections.append(Rejection(.revocationStatusUnknown(why), at: index)) }
            }
        }
        return rejections
    }

    /// Returns the statuses of some certificates of the path. Documents of unknown signers come last for all
    /// certificates and both kinds of evidence, so they use no budget that the others need.
    func statuses(at places: [Int], _ memo: inout SignatureMemo) -> [RevocationStatus] {
        var reviews = places.map { StatusReview(of: $0, self, &memo) }
        for signers in DocumentSigners.allCases {
            for index in reviews.indices { reviews[index]?.look(at: signers, &memo) }
        }
        return reviews.map { $0?.status ?? .unknown(.noInformation) }
    }

    func status(at index: Int, _ memo: inout SignatureMemo) -> RevocationStatus {
        self.statuses(at: [index], &memo).first ?? .unknown(.noInformation)
    }

    func responseChecker(
        at index: Int, _ key: PublicKeySource, _ identifiers: KeyIdentifiers? = nil
    ) -> OCSPChecker {
        OCSPChecker(
            certificate: self.path.certificates[index], issuerKey: key,
            identifiers: identifiers ?? self.issuerIdentifiers(at: index), checker: self, index: index)
    }

    func listChecker(
        at index: Int, _ key: PublicKeySource, _ identifiers: KeyIdentifiers? = nil
    ) -> CertificateListChecker {
        CertificateListChecker(
            certificate: self.path.certificates[index], issuerKey: key, issuer: self.issuer(at: index),
            identifiers: identifiers ?? self.issuerIdentifiers(at: index), checker: self, index: index)
    }

    /// Returns the identifiers of the issuer's key. They are not computed without evidence.
    fileprivate func issuerIdentifiers(at index: Int) -> KeyIdentifiers {
        guard let issuer = self.issuer(at: index), !self.policy.evidence.isEmpty || !self.policy.lists.isEmpty else {
            return .unknown
        }
        return self.signers.identifiers(of: issuer, below: self.path.certificates[index])
    }

    /// Returns the issuer's certificate, or `nil` below an anchor without a certificate.
    private func issuer(at index: Int) -> CertificateView? {
        index + 1 < self.path.certificates.count ? self.path.certificates[index + 1] : nil
    }

    /// The limits on the age of evidence that clears a certificate.
    var ageLimits: RevocationAgeLimits { self.policy.ageLimits ?? self.request.profile.revocationAgeLimits }
}

/// The statements of responses and lists about one certificate of a path.
///
/// Both kinds are always examined. A server may staple an old response for as long as it is valid, after its
/// certificate was revoked.
private struct StatusReview {
    private let policy: RevocationPolicy
    private let responseChecker: OCSPChecker
    private let listChecker: CertificateListChecker
    private var responses: OCSPReview
    private var lists: CertificateListChecker.Review

    /// Creates a review. `nil` if the key of the certificate's issuer is not known.
    init?(of index: Int, _ checker: RevocationChecker, _ memo: inout SignatureMemo) {
        guard let key = checker.path.issuerKey(at: index) else { return nil }
        let policy = checker.policy
        self.policy = policy
        let identifiers = checker.issuerIdentifiers(at: index)
        self.responseChecker = checker.responseChecker(at: index, key, identifiers)
        self.listChecker = checker.listChecker(at: index, key, identifiers)
        self.responses = self.responseChecker.review(of: policy.methods.contains(.ocsp) ? policy.evidence : [], &memo)
        self.lists = self.listChecker.review(of: policy.methods.contains(.lists) ? policy.lists : [], &memo)
    }

    mutating func look(at signers: DocumentSigners, _ memo: inout SignatureMemo) {
        if self.policy.prefersLists { self.listChecker.look(at: signers, in: &self.lists, &memo) }
        self.responseChecker.look(at: signers, in: &self.responses, &memo)
        if !self.policy.prefersLists { self.listChecker.look(at: signers, in: &self.lists, &memo) }
    }

    var status: RevocationStatus {
        let found = [(RevocationMethods.ocsp, self.responses.status), (.lists, self.lists.judged.status)]
            .filter { self.policy.methods.contains($0.0) }
        let statuses = (self.policy.prefersLists ? found.reversed() : found).map(\.1)
        return statuses.first { $0.isRevoked } ?? statuses.first { $0 == .good }
            ?? statuses.first { $0 == .unknown(.notUsable) } ?? .unknown(.noInformation)
    }
}

/// The kinds of signers that documents name, in the order in which the documents are examined.
enum DocumentSigners: CaseIterable {
    /// The issuer's key, or a key that cannot be distinguished from it.
    case issuers
    /// Another key than the issuer's (RFC 5280 §5.2.1, RFC 6960 §4.2.2.3). An issuer's key may have several
    /// identifiers, so these documents are verified too, if the budget allows it.
    case strangers
}

/// The evaluation of signers of evidence about other certificates.
extension RevocationChecker {
    /// The limit on paths to one signer.
    private static let pathsToSigner = 16

    /// Evaluates the whole path of a certificate that signs lists: the anchor, the signatures, every rule, and the
    /// revocation of each certificate (RFC 5280 §6.3.3 (f)). Returns `nil` if the depth or the steps are exhausted.
    func verdict(
        onSigner signer: CertificateView, intermediates: [CertificateView], anchors: [TrustAnchorSet],
        _ memo: inout SignatureMemo
    ) -> Verdict? {
        guard self.depth < Self.maximumDepth, let steps = memo.stepsToSigner() else { return nil }
        var request = self.request.forSigner(.lists)
        request.revocation = self.policy
        request.additionalRevocation = []
        request.budget.pathSteps = min(request.budget.pathSteps, steps)
        request.budget.paths = min(request.budget.paths, Self.pathsToSigner)
        return PathValidator(request, anchors: anchors)
            .validate(signer, intermediates: intermediates, depth: self.depth + 1, memo: &memo)
    }

    /// Returns the anchors of a name, if their class is accepted.
    func anchors(named name: NameSource) -> [TrustAnchor] {
        self.anchors.flatMap { $0.candidates(named: name) }.filter { anchor in
            anchor.name.isSameName(as: name) && self.request.anchorClasses.contains(anchor.anchorClass)
        }
    }

    /// Returns `true` if a responder's certificate may clear others: every rule of its path holds, and it is not
    /// revoked itself. It issues no certificates. Its signature was verified by the caller.
    func mayClear(responder: CertificateView, below index: Int, _ memo: inout SignatureMemo) -> Bool {
        let above = self.path.certificates.dropFirst(index + 1)
        let path = CandidatePath(certificates: [responder] + above, anchor: self.path.anchor, deadEnd: nil)
        let request = self.request.forSigner(.responses)
        var (budget, leaf) = (request.budget, LeafFindings())
        guard PathChecks.run(path, request, budget: &budget, leaf: &leaf).isEmpty else { return false }
        switch self.status(ofResponder: path, request, &memo) {
        case .good: return true
        case .revoked: return false
        case .unknown: return self.policy.mode != .hard || responder.asksForNoRevocationCheck
        }
    }

    /// Returns the status of the first certificate of a responder's path, or unknown if responders depend on too many
    /// other responders.
    private func status(
        ofResponder path: CandidatePath, _ request: ValidationRequest, _ memo: inout SignatureMemo
    ) -> RevocationStatus {
        guard self.depth < Self.maximumDepth else { return .unknown(.noInformation) }
        var checker = self
        (checker.path, checker.request, checker.depth) = (path, request, self.depth + 1)
        return checker.status(at: 0, &memo)
    }
}

extension CertificateView {
    /// `true` if the issuer states that it provides no status for the certificate, which expires before one would
    /// matter (RFC 9608). An authority cannot have this extension, nor can a certificate with a source of its status
    /// (§2).
    var hasNoStatus: Bool {
        self.has(.noRevocationAvailable) && !self.isCertificateAuthority && self.ocspURLs.isEmpty
            && !self.has(.crlDistributionPoints)
    }

    /// `true` if a responder's certificate says that it need not be checked, or has no source of its status, which
    /// leaves the decision to the client (RFC 6960 §4.2.2.2.1). The extension has no meaning on other certificates.
    fileprivate var asksForNoRevocationCheck: Bool {
        self.has(.ocspNoCheck) || (self.ocspURLs.isEmpty && !self.has(.crlDistributionPoints))
    }
}

extension SharedRequest {
    /// Returns the rejections of a path by each of the request's revocation policies, all of which must be satisfied.
    /// Most evaluations check nothing, and this costs them nothing.
    func revocationRejections(
        of path: CandidatePath, anchors: [TrustAnchorSet], depth: Int, supplied: [CertificateView],
        using memo: inout SignatureMemo
    ) -> [Rejection] {
        if self.value.revocation.isOff, self.value.additionalRevocation.isEmpty { return [] }
        return ([self.value.revocation] + self.value.additionalRevocation).filter { !$0.isOff }.flatMap { policy in
            RevocationChecker(
                path: path, request: self.value, policy: policy, anchors: anchors, depth: depth, supplied: supplied
            ).rejections(using: &memo)
        }
    }
}

extension PathValidator {
    /// Returns the status of each certificate of a path under a policy, for deciding which evidence to fetch.
    ///
    /// Signatures that the evaluation verified are not verified again.
    ///
    /// - Parameters:
    ///   - verdict: The verdict with the path.
    ///   - policy: The policy, in any mode.
    ///   - intermediates: The certificates from which the path was built.
    /// - Returns: One status for each certificate below the anchor, the leaf's first. Empty for a path without an anchor.
    public func revocationStatuses(
        of verdict: Verdict, under policy: RevocationPolicy, intermediates: [CertificateView] = []
    ) -> [RevocationStatus] {
        guard let leaf = verdict.path.first, verdict.anchor != nil else { return [] }
        let path = CandidatePath(certificates: verdict.path, anchor: verdict.anchor, deadEnd: nil)
        var memo = self.memo(after: verdict, leaf, intermediates)
        let checker = RevocationChecker(
            path: path, request: self.request, policy: policy, anchors: self.anchors, depth: 0, supplied: intermediates)
        return checker.statuses(at: Array(checker.belowAnchor), &memo)
    }
}

extension RejectionReason {
    /// `true` if the reason comes from the revocation checks.
    var isAboutRevocation: Bool {
        switch self {
        case .revoked, .revocationStatusUnknown, .stapledResponseMissing, .tlsFeatureMissing: true
        default: false
        }
    }
}
