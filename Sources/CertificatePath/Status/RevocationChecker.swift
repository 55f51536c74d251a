//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Checks the certificates of a path that is otherwise in order for revocation (RFC 5280 §6.3, RFC 6960).
struct RevocationChecker {
    private(set) var path: CandidatePath
    private(set) var request: ValidationRequest
    /// The policy that is applied; one of the request's.
    private(set) var policy: RevocationPolicy
    /// Everything that is trusted, not only the path's anchor.
    let anchors: [TrustAnchorSet]
    /// How many paths of list issuers led here; theirs are checked too, and theirs not without end.
    private(set) var depth: Int
    /// The certificates that may have signed, and that a signer's path may be built from.
    let signers: SignerTable

    /// A list signed by a certificate whose revocation is in a list signed by another: two such steps are enough for
    /// everything RFC 5280 describes.
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

    /// The same checker where no status of a signer is needed.
    var lenient: RevocationChecker {
        var checker = self
        checker.policy.mode = .soft
        return checker
    }

    /// What speaks against the path, checked from the anchor down: a list is worth no more than the path of its issuer.
    func rejections(using memo: inout SignatureMemo) -> [Rejection] {
        guard self.path.anchor != nil else { return [] }
        // The path of a list's signer is judged in the middle of another's: that one's want is not forgotten.
        let had = (memo.hasRunOut, memo.hasUntriedRevocation)
        (memo.hasRunOut, memo.hasUntriedRevocation) = (false, false)
        defer {
            memo.hasRunOut = memo.hasRunOut || (self.depth > 0 && had.0)
            memo.hasUntriedRevocation = memo.hasUntriedRevocation || (self.depth > 0 && had.1)
        }
        var rejections = self.policy.mode == .off ? [] : self.statusRejections(&memo)
        if self.policy.enforcesTLSFeature, self.depth == 0 { rejections += self.featureRejections(&memo) }
        // What was not looked at makes a status unknown. A “revoked” that was not looked at refuses, in every mode.
        let isWanted = memo.hasRunOut && rejections.contains { $0.reason.isAboutRevocation }
        if memo.hasUntriedRevocation || isWanted { rejections.append(Rejection(.budgetExceeded(.signatures), at: 0)) }
        return rejections
    }

    /// The certificates that can be revoked: all but the anchor's.
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

    /// The statuses of some certificates of the path. Documents of strangers come last for all of them and by either way, and
    /// cost the budget nothing that the others need.
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

    /// The identifiers of the issuer's key. They are not worked out where no evidence was supplied.
    fileprivate func issuerIdentifiers(at index: Int) -> KeyIdentifiers {
        guard let issuer = self.issuer(at: index), !self.policy.evidence.isEmpty || !self.policy.lists.isEmpty else {
            return .unknown
        }
        return self.signers.identifiers(of: issuer, below: self.path.certificates[index])
    }

    /// The issuer's certificate; `nil` below an anchor that is a name and a key.
    private func issuer(at index: Int) -> CertificateView? {
        index + 1 < self.path.certificates.count ? self.path.certificates[index + 1] : nil
    }

    /// How old what clears a certificate may be.
    var ageLimits: RevocationAgeLimits { self.policy.ageLimits ?? self.request.profile.revocationAgeLimits }
}

/// What responses and lists say about one certificate of a path. Both are asked whatever the first one says: a server
/// staples the answer from before its certificate was revoked as long as it may.
private struct StatusReview {
    private let policy: RevocationPolicy
    private let responseChecker: OCSPChecker
    private let listChecker: CertificateListChecker
    private var responses: OCSPReview
    private var lists: CertificateListChecker.Review

    /// `nil` for a certificate whose issuer's key is not known.
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

/// The keys that documents name as their signer's, in the order in which the documents are looked at.
enum DocumentSigners: CaseIterable {
    /// The issuer's, or one that nothing tells from it.
    case issuers
    /// Another than the issuer's (RFC 5280 §5.2.1, RFC 6960 §4.2.2.3). An issuer's key may have several identifiers, so that
    /// these are verified too, as far as the budget goes.
    case strangers
}

/// The signers that vouch for the status of other certificates.
extension RevocationChecker {
    /// The paths of a signer are few, whatever else was sent.
    private static let pathsToSigner = 16

    /// The path of a certificate that signs lists, judged whole: an anchor, signatures, every rule, and nothing on it
    /// revoked (RFC 5280 §6.3.3 (f)); `nil` when enough paths led here.
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

    /// The anchors of a name, of the classes that count.
    func anchors(named name: NameSource) -> [TrustAnchor] {
        self.anchors.flatMap { $0.candidates(named: name) }.filter { anchor in
            anchor.name.isSameName(as: name) && self.request.anchorClasses.contains(anchor.anchorClass)
        }
    }

    /// Whether a responder's certificate, below which nothing stands, may clear others: every rule of its path holds, and it
    /// is not revoked itself. Its signature was verified.
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

    /// The status of the first certificate of a responder's path; unknown where responders vouch for responders without end.
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
    /// Whether the issuer says that it keeps no status of the certificate, which ends before one would matter (RFC 9608).
    /// Authorities cannot say so, nor a certificate that says where its status is to be had (§2).
    var hasNoStatus: Bool {
        self.has(.noRevocationAvailable) && !self.isCertificateAuthority && self.ocspURLs.isEmpty
            && !self.has(.crlDistributionPoints)
    }

    /// RFC 6960 §4.2.2.2.1: a responder's certificate may say that it is not to be checked, or say nothing about where its
    /// status is to be had, which leaves it to us. On no other certificate does the extension mean anything.
    fileprivate var asksForNoRevocationCheck: Bool {
        self.has(.ocspNoCheck) || (self.ocspURLs.isEmpty && !self.has(.crlDistributionPoints))
    }
}

extension SharedRequest {
    /// What speaks against a path by each of the request's revocation policies; all of them must be content. Most
    /// evaluations check nothing, and pay nothing for it.
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
    /// What a policy knows of each certificate of a path that was found, for deciding what else to ask for.
    ///
    /// What the evaluation has verified is not verified again.
    ///
    /// - Parameters:
    ///   - verdict: The answer with the path.
    ///   - policy: The policy, whatever its mode is.
    ///   - intermediates: The certificates the path was built from.
    /// - Returns: One status for each certificate below the anchor, the leaf's first; none for a path without an anchor.
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
    /// Whether revocation was checked to find it out.
    var isAboutRevocation: Bool {
        switch self {
        case .revoked, .revocationStatusUnknown, .stapledResponseMissing, .tlsFeatureMissing: true
        default: false
        }
    }
}
