//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity

/// What the linter has to say about files.
struct LintReport: Sendable {
    /// One file.
    struct File: Sendable {
        let path: String
        let findings: [ATSFinding]
        /// Why it could not be read; never taken for a file without a policy.
        let error: InfoPropertyListError?
    }

    let files: [File]
    let linter: ATSLinter
    let failOn: ATSFinding.Severity

    init(_ paths: [String], _ linter: ATSLinter, failOn: ATSFinding.Severity) {
        self.linter = linter
        self.failOn = failOn
        self.files = paths.map { path in
            do throws(InfoPropertyListError) {
                let propertyList = try InfoPropertyList(contentsOf: path)
                return File(path: path, findings: linter.findings(in: propertyList), error: nil)
            } catch {
                return File(path: path, findings: [], error: error)
            }
        }
    }

    /// Whether a finding counts against the file.
    func fails(_ finding: ATSFinding) -> Bool { finding.severity >= self.failOn }

    var verdict: CommandVerdict {
        CommandVerdict.worst(
            of: self.files.map { file in
                if file.error != nil { return .notEvaluated }
                return file.findings.contains(where: self.fails) ? .notTrusted : .trusted
            })
    }

    /// The verdict in JSON; a file is neither trusted nor not.
    var verdictName: String {
        switch self.verdict {
        case .trusted: "passed"
        case .notTrusted: "failed"
        case .notEvaluated: "not-evaluated"
        }
    }

    func count(_ severity: ATSFinding.Severity) -> Int {
        self.files.reduce(0) { $0 + $1.findings.count { $0.severity == severity } }
    }
}
