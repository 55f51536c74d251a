//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The certificate transparency of the paths of one evaluation.
struct PathTransparency {
    /// The reports on the leaf for each key that may have issued it, which is part of the data that logs sign. There
    /// may be many paths, but the issuer's key is the same on nearly all of them.
    private var reports: [(issuerKey: PublicKeySource?, report: TransparencyReport)] = []
    private(set) var work = TransparencyWork()
    /// The last evaluated path with its report, so that the verdict contains the report on which it was based.
    private var last: (path: CandidatePath, report: TransparencyReport)?

    /// Returns the report on a proven path's leaf, or `nil` if certificate transparency is not requested.
    mutating func report(on path: CandidatePath, _ request: ValidationRequest) -> TransparencyReport? {
        guard let transparency = request.transparency, path.anchor != nil, let leaf = path.certificates.first else {
            return nil
        }
        if let last, last.path.isSame(as: path) { return last.report }
        var report = self.report(on: leaf, path.issuerKey(at: 0), in: request, by: transparency)
        if Self.isNeeded(on: path, request, by: transparency) {
            report.isRequired = Self.mayRefuse(report, transparency)
            report.isUndetermined =
                !report.isRequired && !report.meetsPolicy
                && transparency.oldListRule == .refusesWhatNewerListsCannotClear
        }
        self.last = (path, report)
        return report
    }

    mutating func rejections(of path: CandidatePath, _ request: ValidationRequest) -> [Rejection] {
        guard let rules = request.transparency?.rules, let report = self.report(on: path, request), report.isRequired,
            !report.meetsPolicy
        else { return [] }
        let unknown = report.entries.count { $0.status == .unknownLog }
        let shortfall = TransparencyShortfall(
            rules: rules, needed: report.neededLogs, counted: report.countedLogs,
            countedOperators: report.countedOperators, timestamps: report.entries.count, unknownLogs: unknown)
        return [Rejection(.transparencyMissing(shortfall), at: 0)]
    }

    private mutating func report(
        on leaf: CertificateView, _ issuerKey: PublicKeySource?, in request: ValidationRequest,
        by transparency: TransparencyRequest
    ) -> TransparencyReport {
        if let known = self.reports.first(where: { Self.isSame($0.issuerKey, issuerKey) }) { return known.report }
        let policies = [request.revocation] + request.additionalRevocation
        let checker = TransparencyChecker(
            leaf: leaf, issuerKey: issuerKey, request: transparency, time: request.time,
            responses: policies.flatMap { $0.evidence.map(\.response) }, cache: request.signatureCache)
        let report = checker.report(spending: &self.work)
        self.reports.append((issuerKey, report))
        return report
    }

    private static func isSame(_ left: PublicKeySource?, _ right: PublicKeySource?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.isSameKey(as: right)
    }

    private static func mayRefuse(_ report: TransparencyReport, _ request: TransparencyRequest) -> Bool {
        if request.isListCurrent { return true }
        return request.oldListRule == .refusesWhatNewerListsCannotClear && !report.couldMeetPolicy
    }

    private static func isNeeded(
        on path: CandidatePath, _ request: ValidationRequest, by transparency: TransparencyRequest
    ) -> Bool {
        guard let purpose = request.purposes.first, purpose.purpose == .server, let anchor = path.anchor,
            let fingerprint = anchor.fingerprint
        else { return false }
        return TransparencyNeed(
            certificates: path.certificates, anchorFingerprint: fingerprint, anchorIsSystem: anchor.isOfSystem,
            request: transparency, time: request.time, hosts: Self.hosts(purpose)
        ).isNeeded
    }

    private static func hosts(_ purpose: PurposeRequirement) -> [String] {
        purpose.identities.compactMap { identity in
            guard case .identity(.dnsName(let name)) = identity else { return nil }
            return name
        }
    }
}
