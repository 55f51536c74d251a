//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Certificate transparency of the paths of one evaluation.
struct PathTransparency {
    private let request: ValidationRequest
    /// What was found, by the second certificate of the path: it decides what the logs signed.
    private var reports: [(path: CandidatePath, report: TransparencyReport)] = []

    init(_ request: ValidationRequest) { self.request = request }

    /// What the timestamps of a proven path's leaf are worth; `nil` when nothing is asked.
    mutating func report(on path: CandidatePath) -> TransparencyReport? {
        guard let transparency = self.request.transparency, path.anchor != nil else { return nil }
        if let known = self.reports.first(where: { $0.path.certificates == path.certificates }) { return known.report }
        let purpose = self.request.purposes.first
        let need = TransparencyNeed(
            certificates: path.certificates,
            anchorIsSystem: path.endsWithAnchorCertificate && path.anchor?.anchorClass == .system,
            request: transparency, time: self.request.time, hosts: purpose.map(Self.hosts) ?? [])
        let checker = TransparencyChecker(
            certificates: path.certificates, issuerKey: path.issuerKey(at: 0), request: transparency,
            time: self.request.time, responses: self.responses, cache: self.request.signatureCache)
        let isRequired = purpose?.purpose == .server && path.endsWithAnchorCertificate && need.isRequired
        let report = checker.report(isRequired: isRequired)
        self.reports.append((path, report))
        return report
    }

    mutating func rejections(of path: CandidatePath) -> [Rejection] {
        guard let report = self.report(on: path), report.isRequired, !report.meetsPolicy else { return [] }
        let unknown = report.entries.count { $0.status == .unknownLog }
        let shortfall = TransparencyShortfall(
            needed: report.neededLogs, counted: report.countedLogs, timestamps: report.entries.count,
            unknownLogs: unknown)
        return [Rejection(.transparencyMissing(shortfall), at: 0)]
    }

    private var responses: [OCSPResponse] {
        let policies = [self.request.revocation] + self.request.additionalRevocation
        return policies.flatMap { $0.evidence.map(\.response) }
    }

    private static func hosts(_ purpose: PurposeRequirement) -> [String] {
        purpose.identities.compactMap { identity in
            guard case .identity(.dnsName(let name)) = identity else { return nil }
            return name
        }
    }
}
