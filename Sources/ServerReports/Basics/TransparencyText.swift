//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

/// Certificate transparency and extended validation in words.
enum TransparencyText {
    static func logs(of report: TransparencyReport) -> String {
        guard !report.entries.isEmpty else { return "without signed certificate timestamps" }
        let named = report.entries.map { entry in
            let log = DisplayText.text(entry.logName ?? "unknown log")
            return entry.status == .valid ? log : "\(log) (\(entry.status.rawValue))"
        }
        return "\(report.countedLogs) of at least \(report.neededLogs) logs: \(named.joined(separator: ", "))"
    }

    /// Returns the state of extended validation, or `nil` if the certificate has none.
    static func extendedValidation(of result: TrustResult) -> String? {
        switch result.extendedValidation {
        case .notChecked, .none: nil
        case .revocationUnknown: "not shown by Apple's systems: the revocation status of the path is not known"
        case .proven: result.path.first?.organization.map { "of \(DisplayText.text($0))" } ?? "yes"
        }
    }
}
