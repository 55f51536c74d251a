//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// The reasons why a path is not trusted, the worst first.
///
/// Apple's systems report the worst reason alone, as an error code. ``reasons`` has all of them, each with its rule, evidence and
/// remedy.
public struct TrustFailure: Error, Sendable {
    /// Every reason, ranked as Apple ranks them. Never empty.
    public var reasons: [TrustFailureReason] { self.ranking.reasons }

    /// The worst reason.
    public var primary: TrustFailureReason { self.ranking.worst }

    /// A reference, as failures are copied often and most results have none.
    private let ranking: Ranking

    private final class Ranking: Sendable {
        let worst: TrustFailureReason
        let reasons: [TrustFailureReason]

        init(_ worst: TrustFailureReason, of reasons: [TrustFailureReason]) {
            self.worst = worst
            self.reasons = reasons
        }
    }

    init?(_ reasons: [TrustFailureReason]) {
        let isOnlyPins = reasons.allSatisfy { $0.check.isPinning }
        let told = reasons.map { isOnlyPins || !$0.check.isPinning ? $0 : $0.besideOthers }
        guard let worst = told.first else { return nil }
        self.ranking = Ranking(worst, of: told)
    }

    /// The code that `SecTrustEvaluateWithError` reports.
    public var osStatus: OSStatusCode { self.primary.osStatus }
}

extension TrustFailure: CustomStringConvertible {
    /// The worst reason in one sentence, its remedy, and the number of other reasons.
    public var description: String {
        let others = self.reasons.count - 1
        let more = others == 0 ? "" : " (and \(others) more \(others == 1 ? "reason" : "reasons"))"
        return "\(self.primary.message) \(self.primary.remedy)\(more)"
    }
}

/// One reason why a path is not trusted, with its evidence and remedy.
///
/// ``code``, ``check`` and ``remedy`` are for programs. ``message`` and ``comparison`` are for people.
public struct TrustFailureReason: Sendable {
    /// The broken rule with its evidence, for programs.
    public let reason: RejectionReason
    /// The index of the certificate at fault on the path, 0 for the leaf.
    public let certificateIndex: Int
    /// The certificate at fault.
    public let certificate: Certificate
    /// The role of the certificate on the path.
    public let role: CertificateRole
    /// The certificate above it on the path, or `nil` at the end of the path.
    public let issuer: Certificate?
    private let surroundings: BreachSurroundings
    /// The given lists and responses about the certificate that do not count. Filled only if its status must be known.
    public internal(set) var unusableEvidence: [TrustEvidence.Item] = []

    /// `true` if the path has faults other than missing pins, which must be repaired first.
    private var isBesideOthers = false

    /// - Parameters:
    ///   - rejection: The broken rule, about a certificate of the path.
    ///   - surroundings: The path, with the certificates and pins around it.
    ///   - isAnchored: `true` if the path ends at an anchor.
    init?(_ rejection: Rejection, in surroundings: BreachSurroundings, isAnchored: Bool) {
        let (index, path) = (rejection.certificateIndex, surroundings.path)
        guard path.indices.contains(index) else { return nil }
        self.reason = rejection.reason
        self.certificateIndex = index
        self.certificate = path[index]
        self.role = CertificateRole(of: index, on: path, isAnchored: isAnchored)
        self.issuer = path.indices.contains(index + 1) ? path[index + 1] : nil
        self.surroundings = surroundings
    }

    /// The same reason on a path with faults other than missing pins.
    fileprivate var besideOthers: TrustFailureReason {
        var reason = self
        reason.isBesideOthers = true
        return reason
    }

    /// A short, stable name for programs.
    public var code: String { self.reason.code }
    /// Apple's check that failed, or the nearest one.
    public var check: TrustCheck { self.reason.check }
    /// Apple's status code.
    public var osStatus: OSStatusCode { self.check.osStatus }
    /// The severity, which decides if an exception can lift the failure.
    public var severity: TrustCheck.Severity { self.check.severity }
    /// The fault, in one or two sentences.
    public var message: String {
        let message = self.breach.account.message
        guard case .nameConstraints = self.reason else { return self.unusableMessage ?? message }
        let constrainers = self.surroundings.constrainers(above: self.certificateIndex)
        guard !constrainers.isEmpty else { return message }
        let names = constrainers.map { "“\($0.subjectSummary)”" }.joined(separator: ", ")
        return "\(message) The constraints are those of \(names)."
    }
    /// The remedy, as actions for programs and as advice for people.
    public var remedy: TrustRemedy { self.isBesideOthers ? .besideOthers : self.breach.remedy }
    /// The broken rules with their sections. Only rules on the form of certificates can be several.
    public var rules: [TrustRule] { self.reason.rules }
    /// The value that broke the rule and the value it requires.
    public var comparison: RuleComparison {
        let account = self.breach.account
        let comparison = RuleComparison(found: account.found, required: account.required)
        guard let item = self.unusableEvidence.first, case .unusable(let fault) = item.use else { return comparison }
        return RuleComparison(
            found: "\(item.kind.title) (\(item.name)): \(fault.clause)", required: comparison.required)
    }

    private var unusableMessage: String? {
        guard let item = self.unusableEvidence.first, case .unusable(let fault) = item.use else { return nil }
        let others =
            self.unusableEvidence.count > 1 ? " (and \(self.unusableEvidence.count - 1) more do not count)" : ""
        return "Whether the certificate “\(self.certificate.subjectSummary)” is revoked is not known from the "
            + "\(item.kind.title) (\(item.name)): \(fault.clause)\(others)."
    }

    /// The facts of the failure by name: dates, sizes, names, identifiers.
    public var evidence: [(name: String, value: String)] { self.breach.account.evidence }

    private var breach: RuleBreach {
        RuleBreach(
            reason: self.reason, certificate: self.certificate, role: self.role, issuer: self.issuer,
            surroundings: self.surroundings)
    }
}

extension TrustFailureReason: Comparable {
    /// Returns `true` if the left reason is worse: by Apple's groups, then by nearness to the leaf (SecTrust.c
    /// `SecTrustCopyErrorStrings`).
    public static func < (left: TrustFailureReason, right: TrustFailureReason) -> Bool {
        // Faults of a certificate's form come after all others.
        if left.check.isAboutForm != right.check.isAboutForm { return right.check.isAboutForm }
        if left.check.subtype != right.check.subtype { return left.check.subtype < right.check.subtype }
        if left.certificateIndex != right.certificateIndex { return left.certificateIndex < right.certificateIndex }
        return left.code < right.code
    }

    /// Returns `true` if both reasons are the same rule, broken by the same certificate with the same evidence.
    public static func == (left: TrustFailureReason, right: TrustFailureReason) -> Bool {
        left.certificateIndex == right.certificateIndex && left.reason == right.reason
    }
}
