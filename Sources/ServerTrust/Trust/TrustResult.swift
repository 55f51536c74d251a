//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Apple's types of results (`SecTrustResultType`).
///
/// ``proceed`` and ``unspecified`` mean that the certificate is trusted.
public enum TrustResultType: Int, Sendable, Hashable, CaseIterable {
    /// The result if no evaluation took place, or none was possible.
    case invalid = 0
    /// The result if the certificate is trusted because a user or program decided so.
    case proceed = 1
    /// A value that Apple no longer uses.
    case confirm = 2
    /// The result if a user decided to refuse the certificate.
    case deny = 3
    /// The result if the certificate is trusted by the ordinary rules.
    case unspecified = 4
    /// The result if the certificate is not trusted, for reasons that exceptions can lift.
    case recoverableTrustFailure = 5
    /// The result if the certificate is not trusted, for a reason that exceptions cannot lift.
    case fatalTrustFailure = 6
    /// The result if the evaluation itself failed.
    case otherError = 7

    /// The name of the constant in SecTrust.h.
    public var name: String {
        let text = "\(self)"
        return "kSecTrustResult" + text.prefix(1).uppercased() + text.dropFirst()
    }
}

/// The result of a trust evaluation: the verdict, the path, and every reason.
///
/// ```swift
/// let result = trust.evaluate()
/// if let failure = result.failure { print(failure) }   // the worst reason and its remedy
/// ```
///
/// ``evidence``, ``revocationStatuses`` and ``notes`` are computed on demand, so that an evaluation without them costs no more.
public struct TrustResult: Sendable {
    /// Apple's type of the result.
    public var resultType: TrustResultType { self.evaluation.resultType }

    /// The chosen path, from the leaf to the anchor's certificate. If no path is trusted, the best path that could be built, as far
    /// as it goes.
    public var path: [Certificate] { self.evaluation.path }

    /// The class of the path's anchor, or `nil` if the path reaches no anchor.
    public var anchorClass: AnchorClass? { self.verdict?.anchor?.anchorClass }

    /// The failures of the path that no exception lifts, the worst first, or `nil` if the path is trusted.
    public private(set) var failure: TrustFailure?

    /// The date for which the certificates were evaluated.
    public var evaluationDate: Date { self.evaluation.date }

    /// The report on the certificate's timestamps of certificate transparency, with the reason for each that does not count. `nil`
    /// if ``Trust/transparency`` did not require it, or if no path was proven.
    public var transparency: TransparencyReport? { self.verdict?.transparency }

    /// The status of certificate transparency. Apple's key for it (`kSecTrustCertificateTransparency`) is true if the certificate
    /// is trusted and the status is ``CertificateTransparencyStatus/met``.
    public var certificateTransparency: CertificateTransparencyStatus {
        guard let transparency else { return .notChecked }
        if transparency.meetsPolicy { return .met }
        if transparency.isRequired { return .missing }
        return transparency.isUndetermined ? .undetermined : .notRequired
    }

    /// The status of extended validation, which never affects the verdict.
    public internal(set) var extendedValidation = ExtendedValidationStatus.notChecked

    /// `true` if Apple's systems treat the certificate as one with extended validation (`kSecTrustExtendedValidation`).
    public var isExtendedValidation: Bool { self.isTrusted && self.extendedValidation == .proven }

    /// The certificate policies for which the path is valid, or `nil` for every policy. Empty if the path is refused.
    public var userConstrainedPolicies: Set<OID>? { self.verdict.map(\.userConstrainedPolicies) ?? [] }

    /// The number of signatures that the evaluation verified.
    public var verifiedSignatures: Int { self.verdict?.verifiedSignatures ?? 0 }

    /// `true` if the leaf is trusted for all policies of the evaluation.
    public var isTrusted: Bool { self.resultType == .unspecified || self.resultType == .proceed }

    private let evaluation: Evaluation

    var allReasons: [TrustFailureReason] { self.evaluation.reasons }
    /// The engine's result, or `nil` if there was no certificate.
    var verdict: Verdict? { self.evaluation.verdict }
    /// The evaluated trust, for results computed on demand, or `nil` if there was no certificate.
    package var trust: Trust? { self.evaluation.trust }

    init(_ verdict: Verdict, at date: Date, of trust: Trust) {
        let exceptions = trust.exceptions
        let path = verdict.path.map(Certificate.init)
        let reasons = verdict.rejections.isEmpty ? [] : Self.reasons(of: verdict, on: path, of: trust)
        let standing = reasons.filter { reason in
            exceptions?.covers(reason, of: reason.certificate) != true
        }
        let resultType =
            reasons.count == verdict.rejections.count
            ? Self.type(
                standing, isAnchored: verdict.anchor != nil, hasExceptions: exceptions != nil,
                isUserTrusted: verdict.anchor?.anchorClass == .user)
            : .otherError
        self.failure = TrustFailure(standing)
        self.evaluation = Evaluation(
            resultType, path: path, reasons: reasons, date: date, verdict: verdict, trust: trust)
    }

    private static func reasons(of verdict: Verdict, on path: [Certificate], of trust: Trust) -> [TrustFailureReason] {
        let surroundings = BreachSurroundings(
            path: path, sent: trust.certificates, pins: trust.policies.flatMap(\.requirement.pins),
            policyInputs: verdict.policyInputs)
        return verdict.rejections.compactMap { rejection in
            TrustFailureReason(rejection, in: surroundings, isAnchored: verdict.anchor != nil)
        }.sorted()
    }

    /// Returns the result for no certificate: not trusted.
    static func empty(at date: Date) -> TrustResult { TrustResult(nothingAt: date) }

    private init(nothingAt date: Date) {
        self.evaluation = Evaluation(.invalid, path: [], reasons: [], date: date, verdict: nil, trust: nil)
    }

    /// Returns the result type. A path without anchor always has a reason. If it ever has none, the result is still a refusal.
    private static func type(
        _ reasons: [TrustFailureReason], isAnchored: Bool, hasExceptions: Bool, isUserTrusted: Bool
    ) -> TrustResultType {
        if reasons.contains(where: { $0.severity == .fatal }) { return .fatalTrustFailure }
        guard reasons.isEmpty else { return .recoverableTrustFailure }
        guard isAnchored || hasExceptions else { return .otherError }
        return hasExceptions || isUserTrusted ? .proceed : .unspecified
    }
}

extension TrustResult {
    /// The use of every input of the evaluation. Empty if there was no certificate.
    ///
    /// The evidence is computed on demand, which verifies lists and responses once more. An evaluation without it has no extra
    /// cost.
    public var evidence: TrustEvidence {
        guard let trust, let verdict else { return TrustEvidence(items: []) }
        return EvidenceAudit(trust: trust, result: self, verdict: verdict).evidence()
    }

    /// The part of ``evidence`` about stapled responses, whether revocation is checked or not.
    var stapleEvidence: [TrustEvidence.Item] {
        guard var trust, let verdict,
            !trust.givenRevocation.stapledResponses.isEmpty || !trust.unreadableEvidence.isEmpty
        else { return [] }
        if trust.revocation.mode == .off { trust.revocation.mode = .soft }
        // Lists and other responses may be large, and do not change what a stapled response is.
        (trust.revocation.lists, trust.revocation.responses) = ([], [])
        let audit = EvidenceAudit(trust: trust, result: self, verdict: verdict)
        return (audit.revocation() + trust.unreadableEvidence).filter { $0.kind == .stapledResponse }
    }

    /// The part of ``evidence`` about the certificates that the peer sent.
    var certificateEvidence: [TrustEvidence.Item] {
        guard let trust, let verdict else { return [] }
        return EvidenceAudit(trust: trust, result: self, verdict: verdict).certificates()
    }
}

extension TrustResult {
    /// The revocation status of each certificate below the anchor, the leaf's first, by the available lists and responses. Empty if
    /// the path reaches no anchor.
    ///
    /// The statuses are computed on demand, like ``evidence``, even if no policy requires them.
    public var revocationStatuses: [RevocationStatus] {
        guard let trust, let verdict else { return [] }
        var policy = trust.revocation
        if policy.mode == .off { policy.mode = .soft }
        return trust.validator(at: self.evaluationDate)
            .revocationStatuses(of: verdict, under: policy, intermediates: trust.intermediates)
    }
}

extension TrustResult {
    /// Adds to each reason with an unknown status the available lists and responses that do not count.
    mutating func nameUnusableEvidence() {
        guard let failure, failure.reasons.contains(where: \.hasUnusableEvidence) else { return }
        let items = self.evidence.items
        self.failure = TrustFailure(failure.reasons.map { $0.naming(items) })
    }
}

extension TrustFailureReason {
    fileprivate var hasUnusableEvidence: Bool {
        switch self.reason {
        case .revocationStatusUnknown(.notUsable), .stapledResponseMissing(.notUsable): true
        default: false
        }
    }

    fileprivate func naming(_ items: [TrustEvidence.Item]) -> TrustFailureReason {
        guard self.hasUnusableEvidence else { return self }
        var reason = self
        reason.unusableEvidence = items.filter { item in
            guard case .unusable(.revocation(_, certificateIndex: self.certificateIndex)) = item.use else {
                return false
            }
            return true
        }
        return reason
    }
}

extension TrustResult {
    /// The facts about the chain that do not affect the verdict: first its order as sent, then its certificates, then other
    /// validators. Empty if there was no certificate.
    ///
    /// The notes are computed on demand, with a second evaluation by other rules. An evaluation without them has no extra cost.
    public var notes: [TrustNote] {
        guard let trust else { return [] }
        return NoteSearch(trust: trust, result: self).notes()
    }
}

/// The trust with the engine's result. A reference, as every connection copies the result on its way.
private final class Evaluation: Sendable {
    let resultType: TrustResultType
    let path: [Certificate]
    let reasons: [TrustFailureReason]
    let date: Date
    let verdict: Verdict?
    let trust: Trust?

    init(
        _ resultType: TrustResultType, path: [Certificate], reasons: [TrustFailureReason], date: Date,
        verdict: Verdict?, trust: Trust?
    ) {
        self.resultType = resultType
        self.path = path
        self.reasons = reasons
        self.date = date
        self.verdict = verdict
        self.trust = trust
    }
}

/// The status of a certificate's logging (RFC 6962).
///
/// Only ``missing`` refuses a certificate.
public enum CertificateTransparencyStatus: String, Sendable, Hashable {
    /// The status if certificate transparency was not checked.
    case notChecked = "not-checked"
    /// The status if enough logs signed the certificate.
    case met
    /// The status if too few logs signed a certificate that needs them.
    case missing
    /// The status if too few known logs signed the certificate, unknown logs may have, and the log list is too old for a refusal.
    case undetermined
    /// The status if too few logs signed a certificate that does not need them.
    case notRequired = "not-required"
}

extension TrustResult {
    /// The failed checks of each certificate of the path, by Apple's names: `TrustResultDetails`. Exceptions do not remove any of
    /// them.
    public var details: [[String: Bool]] {
        self.path.indices.map { index in
            let failed = self.allReasons.filter { $0.certificateIndex == index }
            let checks = failed.flatMap { $0.failedChecks(by: self.trust?.profile, below: self.anchorClass) }
            return Dictionary(checks.map { ($0.rawValue, false) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The dictionary that `SecTrustCopyResult` returns, with Apple's keys and the values known here.
    public var resultDictionary: [String: any Sendable] {
        var dictionary: [String: any Sendable] = [
            "TrustResultDetails": self.details,
            "TrustResultValue": self.resultType.rawValue,
            "TrustEvaluationDate": self.evaluationDate,
        ]
        // Apple's keys are true or absent (SecTrustServer.c).
        if self.isTrusted, self.certificateTransparency == .met { dictionary["TrustCertificateTransparency"] = true }
        if self.isExtendedValidation {
            dictionary["TrustExtendedValidation"] = true
            if let organization = self.path.first?.organization { dictionary["Organization"] = organization }
        }
        for case .revoked(let reason, _) in self.allReasons.map(\.reason).reversed() {
            dictionary["TrustRevocationReason"] = Int(reason.rawValue)
        }
        return dictionary
    }
}
