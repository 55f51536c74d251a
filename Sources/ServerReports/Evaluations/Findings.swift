//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import ServerTrustNIO

extension Finding {
    init(_ problem: ConnectionProblem) {
        self.message = problem.message
        self.remedy = problem.remedy
        self.actions = []
        self.codes = "\(problem.code), \(problem.apple)"
        self.details = problem.details
    }
}

extension Judgment {
    /// All faults of the chain, the worst first.
    package var findings: [Finding] {
        var reasons = self.result.failure?.reasons.map(Finding.init) ?? []
        // If a fetch was attempted, the report shows why it failed. The advice to fetch the issuer would not help.
        if !self.fetches.isEmpty {
            for index in reasons.indices { reasons[index].actions.removeAll { $0 == .fetchIssuer } }
        }
        if let advice = self.fetches.reachingAdvice {
            for index in reasons.indices where reasons[index].actions.contains(.giveStatus) {
                reasons[index].remedy += " \(advice)"
            }
        }
        return reasons + [self.pinning?.failure].compactMap { $0 }.map(Finding.init)
    }
}

extension [FetchRecord] {
    /// The remedy for sources of revocation data that could not be reached, or `nil` if there are none.
    fileprivate var reachingAdvice: String? {
        let places = self.compactMap { record -> String? in
            guard record.kind != .issuer, case .failed(let error) = record.outcome,
                [.unreachable, .timedOut].contains(error.code),
                let url = try? HTTPURL(named: record.url, schemes: [.http])
            else { return nil }
            return "\(url.host), port \(url.port)"
        }.uniqued()
        guard !places.isEmpty else { return nil }
        return "Let this machine reach \(places.prefix(4).joined(separator: ", and ")): the fetch got no answer there."
    }
}

extension JudgedServer {
    /// All faults of the server. The faults of the chain come first, because they are worse than an old protocol.
    package var findings: [Finding] {
        // Findings about trust are more precise than the repetition in App Transport Security.
        let transport =
            self.judgment.findings.isEmpty
            ? self.transportSecurity?.findings : self.transportSecurity?.findingsBesidesTrust
        return self.judgment.findings + self.problems.map(Finding.init) + (transport ?? [])
    }
}
