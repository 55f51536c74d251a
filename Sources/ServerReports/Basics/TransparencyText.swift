//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

/// What is known of a certificate's logging and of its extended validation, in words.
enum TransparencyText {
    /// Which logs have signed.
    static func logs(of report: TransparencyReport) -> String {
        guard !report.entries.isEmpty else { return "without signed certificate timestamps" }
        let named = report.entries.map { entry in
            let log = DisplayText.text(entry.logName ?? "unknown log")
            return entry.status == .valid ? log : "\(log) (\(entry.status.rawValue))"
        }
        return "\(report.countedLogs) of at least \(report.neededLogs) logs: \(named.joined(separator: ", "))"
    }

    /// Whether the certificate has extended validation; `nil` when it has none.
    static func extendedValidation(of result: TrustResult) -> String? {
        switch result.extendedValidation {
        case .notChecked, .none: nil
        case .revocationUnknown: "not shown by Apple's systems: the revocation status of the path is not known"
        case .proven: result.path.first?.organization.map { "of \(DisplayText.text($0))" } ?? "yes"
        }
    }
}
