//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The audit of a policy's lists and responses after the verdict, which reports how each was used.
///
/// It asks the checkers of the evaluation again with the signatures that they had verified, so the report matches the evaluation.
struct RevocationAudit {
    let checker: RevocationChecker

    private var policy: RevocationPolicy { self.checker.policy }

    func evidence(_ memo: inout SignatureMemo) -> RevocationEvidence {
        let isAsked = self.policy.mode != .off
        let areListsAsked = isAsked && self.policy.methods.contains(.lists)
        let areResponsesAsked = isAsked && self.policy.methods.contains(.ocsp)
        let mayClear = !self.policy.requiresNonce
        return RevocationEvidence(
            lists: self.uses(of: self.policy.lists, \.bytes, isAsked: areListsAsked) { self.listUses($0, &memo) },
            responses: self.uses(of: self.policy.responses, \.bytes, isAsked: areResponsesAsked) { responses in
                self.responseUses(responses.map { OCSPEvidence(response: $0, mayClear: mayClear) }, &memo)
            },
            stapledResponses: self.uses(
                of: self.policy.stapledResponses, \.bytes, isAsked: areResponsesAsked || self.isStaplePromised
            ) { responses in
                let mayClear = mayClear || self.isStaplePromised
                return self.responseUses(responses.map { OCSPEvidence(response: $0, mayClear: mayClear) }, &memo)
            },
            requestedResponses: self.uses(
                of: self.policy.requestedResponses, \.response.bytes, isAsked: areResponsesAsked
            ) { responses in
                let requiresNonce = self.policy.requiresNonce
                return self.responseUses(
                    responses.map {
                        OCSPEvidence(response: $0.response, mayClear: $0.isAnswer(requiringNonce: requiresNonce))
                    }, &memo)
            })
    }

    private var isStaplePromised: Bool {
        self.policy.enforcesTLSFeature && self.checker.path.certificates.first?.promisesStapledResponse == true
    }

    /// Returns the use of each document. Copies of a document are not needed.
    private func uses<Document>(
        of documents: [Document], _ bytes: (Document) -> [UInt8], isAsked: Bool,
        _ uses: ([Document]) -> [RevocationEvidenceUse]
    ) -> [RevocationEvidenceUse] {
        guard !documents.isEmpty else { return [] }
        guard isAsked else { return documents.map { _ in .notNeeded(.notChecked) } }
        guard self.checker.path.anchor != nil else { return documents.map { _ in .notNeeded(.noPath) } }
        var seen: Set<[UInt8]> = []
        let isFirst = documents.map { seen.insert(bytes($0)).inserted }
        var answers = uses(zip(documents, isFirst).filter(\.1).map(\.0))[...]
        return isFirst.map { $0 ? answers.popFirst() ?? .notNeeded(.aboutOthers) : .notNeeded(.duplicate) }
    }

    // MARK: Lists

    private func listUses(_ lists: [CertificateList], _ memo: inout SignatureMemo) -> [RevocationEvidenceUse] {
        var found = lists.map { _ in Findings() }
        for index in self.checker.belowAnchor {
            guard let key = self.checker.path.issuerKey(at: index) else { continue }
            let checker = self.checker.listChecker(at: index, key)
            memo.hasRunOut = false
            let judged = checker.judge(&memo)
            for (place, list) in lists.enumerated() {
                found[place].add(checker.use(of: list, judged, &memo), at: index)
            }
        }
        return found.map(\.use)
    }

    // MARK: Responses

    private func responseUses(_ items: [OCSPEvidence], _ memo: inout SignatureMemo) -> [RevocationEvidenceUse] {
        items.map { item in
            var found = Findings()
            for index in self.checker.belowAnchor {
                guard let key = self.checker.path.issuerKey(at: index) else { continue }
                let checker = self.checker.responseChecker(at: index, key)
                memo.hasRunOut = false
                found.add(checker.use(of: item, &memo), at: index)
            }
            return found.use
        }
    }

    /// The uses of a document for the certificates of a path, collected one after the other.
    private struct Findings {
        private var used: [Int] = []
        private var other: RevocationEvidenceUse?

        mutating func add(_ use: DocumentUse?, at index: Int) {
            switch use {
            case .used: self.used.append(index)
            case .fault(let fault): self.other = self.other ?? .unusable(fault, certificateIndex: index)
            case .overtaken: self.other = self.other ?? .notNeeded(.overtaken)
            case nil: break
            }
        }

        var use: RevocationEvidenceUse {
            self.used.isEmpty ? self.other ?? .notNeeded(.aboutOthers) : .used(certificateIndices: self.used)
        }
    }
}

/// The use of one document for one certificate. A document about other certificates has none.
enum DocumentUse {
    case used
    case overtaken
    case fault(RevocationFault)
}

extension OCSPChecker {
    fileprivate func use(of item: OCSPEvidence, _ memo: inout SignatureMemo) -> DocumentUse? {
        switch self.status(in: [item], &memo) {
        case .good, .revoked: return .used
        case .unknown:
            let fault = self.fault(of: item, &memo)
            return memo.hasRunOut ? .fault(.limitReached) : fault.map(DocumentUse.fault)
        }
    }
}

extension CertificateListChecker {
    fileprivate func use(
        of list: CertificateList, _ judged: Judged, _ memo: inout SignatureMemo
    ) -> DocumentUse? {
        let isStanding = judged.standing.contains { $0.list === list && $0.revocation != nil }
        let clears = judged.clearances.contains { $0.record.list === list || $0.delta === list }
        if isStanding { return .used }
        if clears { return judged.status == .good ? .used : judged.status.isRevoked ? .overtaken : .fault(.partial) }
        if judged.unneeded.contains(where: { $0 === list }) { return .overtaken }
        guard let record = judged.records.first(where: { $0.list === list }) else {
            guard self.isAbout(list, judged.points, names: &memo.names) else { return nil }
            return self.useWithoutRecord(of: list, judged, &memo)
        }
        if let fault = self.fault(of: record), judged.status != .good { return .fault(fault) }
        return .overtaken
    }

    /// Returns `true` if a list is in the name of an issuer that keeps lists for the certificate.
    private func isAbout(_ list: CertificateList, _ points: CertificatePoints, names: inout NameTable) -> Bool {
        self.isDirect(list, &names) || points.read.contains { self.isFromRightIssuer(list, $0, names: &names) }
    }

    private func useWithoutRecord(
        of list: CertificateList, _ judged: Judged, _ memo: inout SignatureMemo
    ) -> DocumentUse {
        guard !self.points(of: list, among: judged.points, &memo.names).isEmpty else { return .fault(.otherScope) }
        // The signature of a list that neither revokes nor clears was not verified.
        if case .notListed = memo.entry(for: self.certificate, on: list),
            let fault = self.fault(of: list) ?? self.datesFault(of: list)
        {
            return judged.status == .good ? .overtaken : .fault(fault)
        }
        return .fault(memo.hasRunOut ? .limitReached : .notSignedByIssuer)
    }

    private func fault(of record: Record) -> RevocationFault? {
        guard !record.reasons.isEmpty else { return .otherScope }
        guard record.authority.mayClear else { return .signerNotAccepted }
        if let fault = self.fault(of: record.list) { return fault }
        guard !record.list.isDelta else { return .partial }
        if let fault = self.datesFault(of: record.list) { return fault }
        if case .unreadable = record.entry { return .notUnderstood }
        return nil
    }
}

extension PathValidator {
    /// Returns the use of all revocation evidence that was supplied with a policy, for a report.
    ///
    /// Signatures that the evaluation verified are not verified again, so the report matches the evaluation.
    ///
    /// - Parameters:
    ///   - verdict: The verdict of the evaluation.
    ///   - policy: The policy.
    ///   - intermediates: The certificates from which the path was built.
    /// - Returns: The use of each list and response, in the order of the policy.
    public func revocationEvidence(
        of verdict: Verdict, under policy: RevocationPolicy, intermediates: [CertificateView] = []
    ) -> RevocationEvidence {
        guard let leaf = verdict.path.first else {
            return RevocationEvidence(lists: [], responses: [], stapledResponses: [], requestedResponses: [])
        }
        let path = CandidatePath(certificates: verdict.path, anchor: verdict.anchor, deadEnd: nil)
        var memo = self.memo(after: verdict, leaf, intermediates)
        let checker = RevocationChecker(
            path: path, request: self.request, policy: policy, anchors: self.anchors, depth: 0, supplied: intermediates)
        return RevocationAudit(checker: checker).evidence(&memo)
    }
}
