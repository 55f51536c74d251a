//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// Determines how an evaluation used each of its inputs.
struct EvidenceAudit {
    let trust: Trust
    let result: TrustResult
    let verdict: Verdict

    func evidence() -> TrustEvidence {
        TrustEvidence(
            items: self.certificates() + self.roots() + self.stores() + self.revocation()
                + self.trust.unreadableEvidence + self.timestampLists() + self.exceptions())
    }

    private typealias Item = TrustEvidence.Item

    // MARK: Certificates

    func certificates() -> [TrustEvidence.Item] {
        var seen: Set<Certificate> = []
        return self.trust.certificates.enumerated().map { position, certificate in
            let use: TrustEvidence.Use =
                seen.insert(certificate).inserted ? self.use(of: certificate) : .notNeeded(.duplicate)
            return Item(kind: .certificate, position: position, name: certificate.subjectSummary, use: use)
        }
    }

    private func use(of certificate: Certificate) -> TrustEvidence.Use {
        let path = self.result.path
        if let anchor = self.anchor, anchor == certificate, path.count > 1 { return .notNeeded(.trustedAlready) }
        if path.contains(certificate) { return .used }
        let isAlternative = path.dropFirst().contains { $0.subject == certificate.subject }
        return .notNeeded(isAlternative ? .alternative : .stranger)
    }

    private var anchor: Certificate? { self.verdict.anchor?.certificate.map(Certificate.init) }

    // MARK: Anchors

    private func roots() -> [Item] {
        var seen: Set<Certificate> = []
        return self.trust.anchors.certificates.enumerated().map { position, root in
            let anchorClass = self.trust.anchors.anchorClass(at: position)
            let use: TrustEvidence.Use =
                !seen.insert(root).inserted ? .notNeeded(.duplicate) : self.use(self.anchor == root, of: anchorClass)
            return Item(kind: .root, position: position, name: root.subjectSummary, use: use)
        }
    }

    private func stores() -> [Item] {
        var isFound = self.anchor.map(self.trust.anchors.certificates.contains) ?? true
        return self.trust.anchors.stores.enumerated().map { position, store in
            let hasAnchor = self.anchor.map(store.certificates.contains) == true
            let isEnd = !isFound && hasAnchor
            isFound = isFound || isEnd
            return Item(
                kind: .store, position: position, name: store.sources.first ?? "",
                use: hasAnchor && !isEnd
                    ? .notNeeded(.duplicate) : self.use(isEnd, of: isEnd ? self.verdict.anchor?.anchorClass : nil))
        }
    }

    /// Returns the use of an anchor. One of an excluded class still ends a path, which is then refused for the class.
    private func use(_ isEnd: Bool, of anchorClass: AnchorClass?) -> TrustEvidence.Use {
        guard anchorClass.map(self.trust.anchorClasses.contains) ?? true else { return .notNeeded(.otherClass) }
        return isEnd ? .used : .notNeeded(self.anchor == nil ? .noPath : .otherAnchor)
    }

    // MARK: Revocation

    func revocation() -> [TrustEvidence.Item] {
        let given = self.trust.givenRevocation
        let count =
            given.lists.count + given.responses.count + given.stapledResponses.count + given.requestedResponses.count
        guard count > 0 else { return [] }
        let validator = self.trust.validator(at: self.result.evaluationDate)
        let policies = [given] + self.trust.policies.compactMap { $0.revocationOptions?.policy(with: given) }
        let found = policies.map {
            validator.revocationEvidence(of: self.verdict, under: $0, intermediates: self.trust.intermediates)
        }
        return Self.items(.revocationList, given.lists.map(\.issuerDescription), found.map(\.lists))
            + Self.items(
                .ocspResponse, (given.responses + given.requestedResponses.map(\.response)).map(Self.name),
                found.map { $0.responses + $0.requestedResponses })
            + Self.items(.stapledResponse, given.stapledResponses.map(Self.name), found.map(\.stapledResponses))
    }

    private static func name(of response: OCSPResponse) -> String { "of \(response.producedAt)" }

    /// Returns the items of one kind. One policy may use evidence that another leaves out, so the best use counts.
    private static func items(
        _ kind: TrustEvidence.Kind, _ names: [String], _ uses: [[RevocationEvidenceUse]]
    ) -> [Item] {
        names.enumerated().map { position, name in
            let all = uses.compactMap { $0.indices.contains(position) ? TrustEvidence.Use($0[position]) : nil }
            let best = all.min { $0.rank < $1.rank } ?? .notNeeded(.notChecked)
            return Item(kind: kind, position: position, name: name, use: best)
        }
    }

    // MARK: Timestamps and exceptions

    /// Returns the items of the timestamp lists. The report has their timestamps at its end, in the order of the lists.
    private func timestampLists() -> [Item] {
        let lists = self.trust.transparency?.timestampLists ?? []
        var statuses = self.result.transparency.map { $0.entries.filter { $0.source == .handshake }.map(\.status)[...] }
        return lists.enumerated().map { position, list in
            let count = TimestampList.items(of: list[...]).count
            let own = statuses.map { $0.prefix(count) }
            statuses = statuses?.dropFirst(count)
            return Item(
                kind: .timestampList, position: position, name: "", use: Self.use(ofTimestamps: own, count: count))
        }
    }

    private static func use(
        ofTimestamps statuses: ArraySlice<TransparencyReport.Status>?, count: Int
    ) -> TrustEvidence.Use {
        guard count > 0 else { return .unusable(.malformedTimestampList) }
        guard let statuses else { return .notNeeded(.noPath) }
        guard !statuses.contains(.valid) else { return .used }
        var seen: Set<TransparencyReport.Status> = []
        return .unusable(.timestamps(statuses.filter { seen.insert($0).inserted }))
    }

    private func exceptions() -> [Item] {
        guard self.trust.exceptions != nil else { return [] }
        let standing = self.result.failure?.reasons.count ?? 0
        let isUsed = standing < self.result.allReasons.count
        return [Item(kind: .exceptions, position: 0, name: "", use: isUsed ? .used : .notNeeded(.nothingToLift))]
    }
}

extension TrustEvidence.Use {
    fileprivate init(_ use: RevocationEvidenceUse) {
        switch use {
        case .used: self = .used
        case .unusable(let fault, let index): self = .unusable(.revocation(fault, certificateIndex: index))
        case .notNeeded(.duplicate): self = .notNeeded(.duplicate)
        case .notNeeded(.aboutOthers): self = .notNeeded(.aboutOthers)
        case .notNeeded(.notChecked): self = .notNeeded(.notChecked)
        case .notNeeded(.noPath): self = .notNeeded(.noPath)
        case .notNeeded(.overtaken): self = .notNeeded(.overtaken)
        }
    }

    fileprivate var rank: Int {
        switch self {
        case .used: 0
        case .unusable: 1
        case .notNeeded(.notChecked): 3
        case .notNeeded: 2
        }
    }
}
