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

/// Apple's kinds of answers (`SecTrustResultType`).
public enum TrustResultType: Int, Sendable, Hashable, CaseIterable {
    /// Not evaluated, or not possible to evaluate.
    case invalid = 0
    /// Trusted because a user or program decided so.
    case proceed = 1
    /// No longer used by Apple.
    case confirm = 2
    /// Refused because a user decided so.
    case deny = 3
    /// Trusted by the ordinary rules.
    case unspecified = 4
    /// Not trusted, for reasons that someone may decide to accept.
    case recoverableTrustFailure = 5
    /// Not trusted, for reasons nothing can lift.
    case fatalTrustFailure = 6
    /// Not trusted, because the evaluation itself failed.
    case otherError = 7

    /// The name of the constant in SecTrust.h.
    public var name: String {
        let text = "\(self)"
        return "kSecTrustResult" + text.prefix(1).uppercased() + text.dropFirst()
    }
}

/// The answer to a question of trust: the verdict, the path, and every reason.
public struct TrustResult: Sendable {
    /// Apple's kind of answer.
    public var resultType: TrustResultType { self.evaluation.resultType }

    /// The path that was chosen: the leaf first, the anchor's certificate last. When nothing is trusted, the best path
    /// that could be built, as far as it goes.
    public var path: [Certificate] { self.evaluation.path }

    /// Where the anchor of the path comes from; `nil` when the path reaches none.
    public var anchorClass: AnchorClass? { self.verdict?.anchor?.anchorClass }

    /// Everything that speaks against the path and no exception lifts, worst first; `nil` when it is trusted.
    public private(set) var failure: TrustFailure?

    /// The moment the evaluation was about.
    public var evaluationDate: Date { self.evaluation.date }

    /// Which timestamps of certificate transparency the certificate has, which count and which not, and why; `nil` when it was
    /// not asked for (``Trust/transparency``), or no path was proven.
    public var transparency: TransparencyReport? { self.verdict?.transparency }

    /// What is known of certificate transparency in one word. Apple's key for it is true when the certificate is trusted and
    /// this is ``CertificateTransparencyStatus/met`` (`kSecTrustCertificateTransparency`).
    public var certificateTransparency: CertificateTransparencyStatus {
        guard let transparency else { return .notChecked }
        if transparency.meetsPolicy { return .met }
        if transparency.isRequired { return .missing }
        return transparency.isUndetermined ? .undetermined : .notRequired
    }

    /// What is known of extended validation, which accepts and refuses nothing.
    public internal(set) var extendedValidation = ExtendedValidationStatus.notChecked

    /// Whether Apple's systems call the certificate one with extended validation (`kSecTrustExtendedValidation`).
    public var isExtendedValidation: Bool { self.isTrusted && self.extendedValidation == .proven }

    /// The certificate policies the path is valid for; `nil` stands for every policy. Empty when the path is refused.
    public var userConstrainedPolicies: Set<OID>? { self.verdict.map(\.userConstrainedPolicies) ?? [] }

    /// The signatures that were verified to find out.
    public var verifiedSignatures: Int { self.verdict?.verifiedSignatures ?? 0 }

    /// Whether the leaf is trusted for everything that was asked.
    public var isTrusted: Bool { self.resultType == .unspecified || self.resultType == .proceed }

    private let evaluation: Evaluation

    var allReasons: [TrustFailureReason] { self.evaluation.reasons }
    /// The engine's answer; `nil` about no certificate.
    var verdict: Verdict? { self.evaluation.verdict }
    /// The question, for what is told besides the answer; `nil` about no certificate.
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
            path: path, sent: trust.certificates, pins: trust.policies.flatMap(\.requirement.pins))
        return verdict.rejections.compactMap { rejection in
            TrustFailureReason(rejection, in: surroundings, isAnchored: verdict.anchor != nil)
        }.sorted()
    }

    /// The answer about no certificate: not trusted.
    static func empty(at date: Date) -> TrustResult { TrustResult(nothingAt: date) }

    private init(nothingAt date: Date) {
        self.evaluation = Evaluation(.invalid, path: [], reasons: [], date: date, verdict: nil, trust: nil)
    }

    /// No anchor and no reason cannot both be; should they ever, the answer is still no.
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
    /// What became of everything that was given for the evaluation. Empty about no certificate.
    ///
    /// Made when it is asked for: lists and responses are then verified once more. An evaluation whose
    /// evidence is not asked for pays nothing for it.
    public var evidence: TrustEvidence {
        guard let trust, let verdict else { return TrustEvidence(items: []) }
        return EvidenceAudit(trust: trust, result: self, verdict: verdict).evidence()
    }

    /// The part of ``evidence`` that is about the certificates that were sent.
    var certificateEvidence: [TrustEvidence.Item] {
        guard let trust, let verdict else { return [] }
        return EvidenceAudit(trust: trust, result: self, verdict: verdict).certificates()
    }
}

extension TrustResult {
    /// The revocation status of each certificate below the anchor, the leaf's first, by the lists and responses at hand. Empty if the path
    /// reaches no anchor.
    ///
    /// Made when it is asked for, as ``evidence`` is, and told whether or not the policies ask for it.
    public var revocationStatuses: [RevocationStatus] {
        guard let trust, let verdict else { return [] }
        var policy = trust.revocation
        if policy.mode == .off { policy.mode = .soft }
        return trust.validator(at: self.evaluationDate)
            .revocationStatuses(of: verdict, under: policy, intermediates: trust.intermediates)
    }
}

extension TrustResult {
    /// Names the lists and responses that are at hand and do not tell a status that has to be known.
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
    /// What there is to know of the chain besides the verdict, in the order of the chain's sending, its certificates, and
    /// other validators. Empty about no certificate.
    ///
    /// Made when it is asked for, with a second evaluation by other rules: an evaluation whose notes are not asked for pays
    /// nothing for them.
    public var notes: [TrustNote] {
        guard let trust else { return [] }
        return NoteSearch(trust: trust, result: self).notes()
    }
}

/// A question and what the engine answered. Copies of the answer share it: they are made on the way of every connection.
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

/// What is known of a certificate's logging (RFC 6962).
public enum CertificateTransparencyStatus: String, Sendable, Hashable {
    /// It was not checked.
    case notChecked = "not-checked"
    /// Enough logs have signed.
    case met
    /// Too few logs have signed, and the certificate needs them.
    case missing
    /// Too few known logs have signed, others may have, and the list of logs is too old to refuse the certificate by.
    case undetermined
    /// Too few logs have signed, and the certificate does not need them.
    case notRequired = "not-required"
}

extension TrustResult {
    /// The failed checks of each certificate of the path, by Apple's names: `TrustResultDetails`. Exceptions do not
    /// remove anything from it.
    public var details: [[String: Bool]] {
        self.path.indices.map { index in
            let failed = self.allReasons.filter { $0.certificateIndex == index }
            let checks = failed.flatMap { $0.failedChecks(by: self.trust?.profile, below: self.anchorClass) }
            return Dictionary(checks.map { ($0.rawValue, false) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The dictionary `SecTrustCopyResult` returns, with Apple's keys and the values known here.
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
