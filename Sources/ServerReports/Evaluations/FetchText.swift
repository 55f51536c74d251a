//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

/// The fetches of an evaluation, one line each.
enum FetchText {
    /// Returns the lines, or an empty text if nothing was fetched.
    ///
    /// - Parameters:
    ///   - fetches: The fetches.
    ///   - spelling: The words of the program, which name what permits a fetch that was not allowed.
    static func text(of fetches: [FetchRecord], spelling: RemedySpelling) -> String {
        fetches.map { Self.line($0, spelling) }.joined()
    }

    private static func line(_ record: FetchRecord, _ spelling: RemedySpelling) -> String {
        let about = "\(Self.name(of: record.kind)) “\(record.certificate.subjectSummary)”"
        let sentence = "Asked \(DisplayText.text(record.url)) for \(about): \(Self.outcome(record.outcome))."
        guard case .failed(let error) = record.outcome else { return "  \(sentence)\n" }
        return "  \(spelling.text(sentence, codes: [error.code.rawValue]))\n"
    }

    private static func name(of kind: ResourceKind) -> String {
        switch kind {
        case .ocsp: "an OCSP response about"
        case .revocationList: "a revocation list about"
        case .issuer: "the issuer of"
        }
    }

    private static func outcome(_ outcome: FetchRecord.Outcome) -> String {
        switch outcome {
        case .used: "used"
        case .cached: "used, from the cache"
        case .unusable(let reason): "of no use, \(DisplayText.text(reason))"
        case .failed(let error): "failed, \(DisplayText.text(error.reason))"
        }
    }

    static func text(of status: RevocationStatus) -> String {
        switch status {
        case .good: "not revoked"
        case .revoked(let reason, let date): "revoked on \(date) (\(reason))"
        case .unknown(.noInformation): "not known"
        case .unknown(.notUsable): "not known: what there is is not current, not authentic or not complete"
        }
    }
}
