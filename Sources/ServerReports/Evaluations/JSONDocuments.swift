//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The output of `servertrust evaluate --format json`.
struct EvaluateDocument: Encodable {
    private let format = "servertrust.evaluate/1"
    private let verdict: String
    private let evaluation: JSONEvaluation
    private let storeIssues: [JSONStoreIssue]

    init(_ judgment: Judgment, _ storeIssues: [TrustStoreIssue]) {
        self.verdict = judgment.verdict.name
        self.evaluation = JSONEvaluation(judgment)
        self.storeIssues = storeIssues.map(JSONStoreIssue.init)
    }
}

/// The output of `servertrust check --format json`.
struct CheckDocument: Encodable {
    private let format = "servertrust.check/1"
    private let verdict: String
    private let servers: [JSONServer]
    private let storeIssues: [JSONStoreIssue]

    init(_ reports: [ServerReport], _ storeIssues: [TrustStoreIssue]) {
        self.verdict = ReportVerdict.worst(of: reports.map(\.verdict)).name
        self.servers = reports.map(JSONServer.init)
        self.storeIssues = storeIssues.map(JSONStoreIssue.init)
    }
}

/// A certificate that was left out of a trust store, in JSON.
struct JSONStoreIssue: Encodable {
    private let path: String
    private let position: Int
    private let message: String

    init(_ issue: TrustStoreIssue) {
        self.path = DisplayText.text(issue.path)
        self.position = issue.position
        self.message = DisplayText.text("\(issue)")
    }
}
