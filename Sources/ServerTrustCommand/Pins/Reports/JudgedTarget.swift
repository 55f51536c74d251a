//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

/// A target with what was found out about it.
struct JudgedTarget: Sendable {
    enum Outcome: Sendable {
        /// Its chain was judged; with everything against it and its connection.
        case judged(Judgment, [Finding])
        /// There was nothing to judge.
        case failed(String, ReportVerdict)
    }

    let name: String
    let host: String?
    let port: Int?
    let outcome: Outcome

    /// - Parameters:
    ///   - name: How it is shown.
    ///   - host: The host that it was judged for; `nil` for none.
    ///   - port: The port of a server; `nil` for a chain in a file.
    ///   - outcome: What was found out.
    init(name: String, host: String?, port: Int?, outcome: Outcome) {
        self.name = name
        self.host = host
        self.port = port
        self.outcome = outcome
    }

    var verdict: ReportVerdict {
        switch self.outcome {
        case .judged(let judgment, let findings): findings.isEmpty ? judgment.verdict : .notTrusted
        case .failed(_, let verdict): verdict
        }
    }

    /// The path, the leaf first; empty without one.
    var path: [Certificate] {
        guard case .judged(let judgment, _) = self.outcome else { return [] }
        return judgment.result.path
    }
}
