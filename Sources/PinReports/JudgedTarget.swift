//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerReports
package import ServerTrust

/// A target with what was found out about it.
package struct JudgedTarget: Sendable {
    package enum Outcome: Sendable {
        /// Its chain was judged; with everything against it and its connection.
        case judged(Judgment, [Finding])
        /// There was nothing to judge.
        case failed(String, ReportVerdict)
    }

    package let name: String
    package let host: String?
    package let port: Int?
    package let outcome: Outcome

    /// - Parameters:
    ///   - name: How it is shown.
    ///   - host: The host that it was judged for; `nil` for none.
    ///   - port: The port of a server; `nil` for a chain in a file.
    ///   - outcome: What was found out.
    package init(name: String, host: String?, port: Int?, outcome: Outcome) {
        (self.name, self.host, self.port, self.outcome) = (name, host, port, outcome)
    }

    package var verdict: ReportVerdict {
        switch self.outcome {
        case .judged(let judgment, let findings): findings.isEmpty ? judgment.verdict : .notTrusted
        case .failed(_, let verdict): verdict
        }
    }

    /// The path, the leaf first; empty without one.
    package var path: [Certificate] {
        guard case .judged(let judgment, _) = self.outcome else { return [] }
        return judgment.result.path
    }
}
