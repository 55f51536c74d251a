//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
import TLSProbe
package import TLSWire

/// Something that speaks against a server, or a missing fact that decides, with the questions that it is about.
public struct DiagnosisReason: Sendable {
    /// What stands behind it.
    public enum Evidence: Sendable {
        /// A requirement that is not met.
        case violation(ATSViolation)
        /// A fact that is missing.
        case missing(MissingFact)
    }

    /// What stands behind it.
    public let evidence: Evidence
    /// The setting of the server that causes it, where there was no handshake: an alert says less than the facts.
    public let cause: ServerAdvice?
    /// What answered in place of TLS, which says more than the code of a load; `nil` where TLS was spoken.
    package var failure: ConnectionFailure?
    /// The questions that it is about.
    public internal(set) var subjects: [DiagnosisVerdict.Subject]

    /// What is wrong or not known, in one or two sentences.
    public var message: String {
        switch self.evidence {
        case .violation(let violation): self.failure?.message ?? self.cause?.reason ?? violation.message
        case .missing(let fact): fact.message
        }
    }

    /// What to do about it.
    public var remedy: String {
        switch self.evidence {
        case .missing(let fact): return fact.remedy
        case .violation(let violation):
            if let failure { return failure.remedy }
            guard let cause else { return violation.remedy }
            return "\(violation.message) \(cause.kind.handshakeRemedy ?? violation.remedy)"
        }
    }

    /// Whether a fact is missing.
    public var isMissingFact: Bool {
        if case .missing = self.evidence { true } else { false }
    }
}

extension ServerDiagnosis {
    /// What speaks against the server, each thing once, and then what is not known where it decides.
    public var reasons: [DiagnosisReason] {
        var reasons: [DiagnosisReason] = []
        for verdict in self.verdicts {
            for violation in verdict.violations where !violation.isDoubt {
                let reason = self.reason(violation, of: verdict.subject)
                if let index = reasons.firstIndex(where: { $0.message == reason.message }) {
                    reasons[index].subjects.append(verdict.subject)
                } else {
                    reasons.append(reason)
                }
            }
        }
        let open = self.verdicts.filter { $0.outcome == .unknown }.map(\.subject)
        return reasons + self.doubts.map { DiagnosisReason(evidence: .missing($0), cause: nil, subjects: open) }
    }

    /// A violation with what the facts say of it.
    ///
    /// - Parameters:
    ///   - violation: A requirement that is not met.
    ///   - subject: The question that it is about.
    public func reason(_ violation: ATSViolation, of subject: DiagnosisVerdict.Subject) -> DiagnosisReason {
        var reason = DiagnosisReason(
            evidence: .violation(violation), cause: self.cause(of: violation, subject), subjects: [subject])
        if self.facts.failure?.isOfOtherProtocol == true, case .connectionFailed(.notTLS) = violation.reason,
            violation.redirect == nil
        {
            reason.failure = self.facts.failure
        }
        return reason
    }

    /// What speaks against the server where no handshake came about: the facts say why, and an alert does not.
    private func cause(of violation: ATSViolation, _ subject: DiagnosisVerdict.Subject) -> ServerAdvice? {
        guard case .connectionFailed = violation.reason, violation.redirect == nil else { return nil }
        return self.advice.first { $0.kind.isTransport && $0.subjects.contains(subject) }
    }
}

extension ServerAdvice.Kind {
    /// Whether it is about getting a handshake at all.
    fileprivate var isTransport: Bool {
        switch self {
        case .speakTLS, .cipherSuites: true
        default: self.isBeyondSuites
        }
    }

    /// What to do where it is known to keep a handshake from coming about: a code asks for all that it may be about.
    fileprivate var handshakeRemedy: String? {
        if self == .cipherSuites { return "Enable ECDHE with AES-GCM at the server, for the kind of key it has." }
        return self.isBeyondSuites ? "\(self.title)." : nil
    }

    /// Whether a handshake fails for something else than the suites of TLS 1.2.
    fileprivate var isBeyondSuites: Bool {
        switch self {
        case .site, .applicationProtocols, .version, .newSuites, .groups, .signatures, .keyKind, .newVersions,
            .largeHello:
            true
        default: false
        }
    }
}
