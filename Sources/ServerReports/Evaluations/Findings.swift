//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

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
    /// Everything against the chain, the worst first.
    package var findings: [Finding] {
        var reasons = self.result.failure?.reasons.map(Finding.init) ?? []
        // Where fetching was tried, the report says why it failed, and asking for it again changes nothing.
        if !self.fetches.isEmpty {
            for index in reasons.indices { reasons[index].actions.removeAll { $0 == .fetchIssuer } }
        }
        return reasons + [self.pinning?.failure].compactMap { $0 }.map(Finding.init)
    }
}

extension JudgedServer {
    /// Everything against the server, the worst first: a bad chain is worse than an old protocol.
    package var findings: [Finding] {
        // What trust says of a chain it says better than App Transport Security repeats it.
        let transport =
            self.judgment.findings.isEmpty
            ? self.transportSecurity?.findings : self.transportSecurity?.findingsBesidesTrust
        return self.judgment.findings + self.problems.map(Finding.init) + (transport ?? [])
    }
}
