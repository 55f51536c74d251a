//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust

/// One thing that speaks against a server, whether its chain or its connection is at fault.
struct Finding: Sendable {
    let message: String
    let remedy: String
    /// The codes for programs and for searching Apple's documentation.
    let codes: String

    init(message: String, remedy: String, codes: String) {
        self.message = message
        self.remedy = remedy
        self.codes = codes
    }

    init(_ reason: TrustFailureReason) {
        self.message = reason.message
        self.remedy = reason.remedy
        self.codes = "\(reason.code), \(reason.osStatus.name) (\(reason.osStatus.rawValue))"
    }

    init(_ failure: ServerTrustFailure) {
        self.message = failure.message
        self.remedy = failure.remedy
        self.codes = failure.code
    }

    init(_ problem: ConnectionProblem) {
        self.message = problem.message
        self.remedy = problem.remedy
        self.codes = problem.code
    }
}

extension Judgement {
    /// Everything against the chain, the worst first.
    var findings: [Finding] {
        let reasons = self.result.failure?.reasons.map(Finding.init) ?? []
        return reasons + [self.pinning?.failure].compactMap { $0 }.map(Finding.init)
    }
}

extension JudgedServer {
    /// Everything against the server, the worst first: a bad chain is worse than an old protocol.
    var findings: [Finding] {
        // What trust says of a chain it says better than App Transport Security repeats it.
        let transport =
            self.judgement.findings.isEmpty
            ? self.transportSecurity?.findings : self.transportSecurity?.findingsBesidesTrust
        return self.judgement.findings + self.problems.map(Finding.init) + (transport ?? [])
    }
}
