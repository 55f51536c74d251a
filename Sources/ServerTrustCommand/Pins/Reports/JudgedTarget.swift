//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

/// A target with its evaluation.
struct JudgedTarget: Sendable {
    enum Outcome: Sendable {
        /// The chain was evaluated. The findings include those about the connection.
        case judged(Judgment, [Finding])
        /// There was no chain to evaluate.
        case failed(ServerFailure)
    }

    let name: String
    let host: String?
    let port: Int?
    let outcome: Outcome

    /// Creates an evaluated target.
    ///
    /// - Parameters:
    ///   - name: The name of the target for people.
    ///   - host: The host that it was evaluated for, or `nil` if no name was checked.
    ///   - port: The port of a server, or `nil` for a chain in a file.
    ///   - outcome: The result of the evaluation.
    init(name: String, host: String?, port: Int?, outcome: Outcome) {
        self.name = name
        self.host = host
        self.port = port
        self.outcome = outcome
    }

    var verdict: ReportVerdict {
        switch self.outcome {
        case .judged(let judgment, let findings): findings.isEmpty ? judgment.verdict : .notTrusted
        case .failed(let failure): failure.verdict
        }
    }

    /// `true` if the configuration names no pins for the host, and its chain is trusted.
    var isUnpinned: Bool {
        guard case .judged(let judgment, _) = self.outcome else { return false }
        if case .noPins? = judgment.pinning?.failure?.reason { return true }
        return false
    }

    /// The path, the leaf first, or an empty array if there is none.
    var path: [Certificate] {
        guard case .judged(let judgment, _) = self.outcome else { return [] }
        return judgment.result.path
    }
}
