//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
import TLSProbe
package import TLSWire

/// A reason against a server: a violation, or a missing fact that decides, with the questions that it concerns.
///
/// ``ServerDiagnosis/reasons`` lists them. Show ``message`` and ``remedy`` to people.
public struct DiagnosisReason: Sendable {
    /// The evidence for a reason.
    public enum Evidence: Sendable {
        /// A requirement that is not met.
        case violation(ATSViolation)
        /// A fact that is missing.
        case missing(MissingFact)
    }

    /// The evidence.
    public let evidence: Evidence
    /// The server's setting that caused a failed handshake, or `nil` if there is none. The facts say more than an alert.
    public let cause: ServerAdvice?
    /// The failure of a server that did not answer with TLS, which says more than the code of a load, or `nil` if it spoke TLS.
    package var failure: ConnectionFailure?
    /// The questions that the reason concerns.
    public internal(set) var subjects: [DiagnosisVerdict.Subject]

    /// The problem or the missing fact, in one or two sentences.
    public var message: String {
        switch self.evidence {
        case .violation(let violation): self.failure?.message ?? self.cause?.reason ?? violation.message
        case .missing(let fact): fact.message
        }
    }

    /// The remedy.
    public var remedy: String {
        switch self.evidence {
        case .missing(let fact): return fact.remedy
        case .violation(let violation):
            if let failure { return failure.remedy }
            guard let cause else { return violation.remedy }
            return "\(violation.message) \(cause.kind.handshakeRemedy ?? violation.remedy)"
        }
    }

    /// `true` if a fact is missing.
    public var isMissingFact: Bool {
        if case .missing = self.evidence { true } else { false }
    }
}

extension ServerDiagnosis {
    /// The reasons against the server, each once, followed by the missing facts that decide.
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
        // What follows a refused redirect decides no verdict.
        let isRedirectRefused = open.isEmpty && reasons.contains { $0.isOfRedirect }
        let doubts = self.doubts.filter { !(isRedirectRefused && $0.isOfRedirect) }
        return reasons + doubts.map { DiagnosisReason(evidence: .missing($0), cause: nil, subjects: open) }
    }

    /// Returns the reason for a violation, with the explanation from the facts.
    ///
    /// - Parameters:
    ///   - violation: A requirement that is not met.
    ///   - subject: The question that it concerns.
    public func reason(_ violation: ATSViolation, of subject: DiagnosisVerdict.Subject) -> DiagnosisReason {
        self.reason(violation, subjects: [subject]) { $0.subjects.contains(subject) }
    }

    /// Returns the reason for a violation in one of nscurl's tests, with the explanation from the facts.
    package func reason(_ violation: ATSViolation, ofTest number: Int) -> DiagnosisReason {
        self.reason(violation, subjects: []) { $0.rows.contains(number) }
    }

    private func reason(
        _ violation: ATSViolation, subjects: [DiagnosisVerdict.Subject], isRemedy: (ServerAdvice) -> Bool
    ) -> DiagnosisReason {
        var reason = DiagnosisReason(
            evidence: .violation(violation), cause: self.cause(of: violation, isRemedy), subjects: subjects)
        if self.facts.failure?.isOfOtherProtocol == true, case .connectionFailed(let failed) = violation.reason,
            failed.isOfOtherProtocol, violation.redirect == nil
        {
            reason.failure = self.facts.failure
        }
        return reason
    }

    /// Returns the server's setting that caused a failed handshake. The facts explain it, and an alert does not.
    private func cause(of violation: ATSViolation, _ isRemedy: (ServerAdvice) -> Bool) -> ServerAdvice? {
        guard case .connectionFailed = violation.reason, violation.redirect == nil else { return nil }
        return self.advice.first { $0.kind.isTransport && isRemedy($0) }
    }
}

extension DiagnosisReason {
    fileprivate var isOfRedirect: Bool {
        if case .violation(let violation) = self.evidence { violation.redirect != nil } else { false }
    }
}

extension MissingFact {
    fileprivate var isOfRedirect: Bool {
        if case .redirect = self { true } else { false }
    }
}

extension ServerAdvice.Kind {
    /// `true` if the advice is needed for any handshake.
    fileprivate var isTransport: Bool {
        switch self {
        case .speakTLS, .cipherSuites: true
        default: self.isBeyondSuites
        }
    }

    /// The remedy if the setting is known to prevent the handshake. The remedy for an error code would have to cover all its
    /// possible causes.
    fileprivate var handshakeRemedy: String? {
        if self == .cipherSuites { return "Enable ECDHE with AES-GCM at the server, for the kind of key it has." }
        return self.isBeyondSuites ? "\(self.title)." : nil
    }

    /// `true` if a handshake fails for another reason than the suites of TLS 1.2.
    fileprivate var isBeyondSuites: Bool {
        switch self {
        case .site, .applicationProtocols, .version, .newSuites, .groups, .signatures, .keyKind, .newVersions,
            .largeHello, .hello:
            true
        default: false
        }
    }
}
