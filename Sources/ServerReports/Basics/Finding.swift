//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust

/// One thing that speaks against a server, whether its chain or its connection is at fault.
package struct Finding: Sendable {
    package let message: String
    package let remedy: String
    /// The codes for programs and for searching Apple's documentation.
    package let codes: String

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
}

extension Finding {
    init(_ violation: ATSViolation) {
        self.message = DisplayText.text(violation.message)
        self.remedy = violation.remedy
        let stream = violation.osStatus.map { ", \($0.name) (\($0.rawValue))" } ?? ""
        self.codes = "\(violation.code), \(violation.urlError.name) (\(violation.urlError.rawValue))\(stream)"
    }
}

extension Finding {
    init(_ doubt: MissingFact) {
        self.init(
            message: DisplayText.text(doubt.message), remedy: DisplayText.text(doubt.remedy),
            codes: [doubt.code, doubt.failure?.code].compactMap(\.self).joined(separator: ", "))
    }
}

extension Finding {
    /// A reason for people.
    init(_ reason: DiagnosisReason) {
        switch reason.evidence {
        case .missing(let fact): self.init(fact)
        case .violation(let violation):
            self.init(
                message: DisplayText.text(reason.message), remedy: DisplayText.text(reason.remedy),
                codes: Finding(violation).codes)
        }
    }
}
