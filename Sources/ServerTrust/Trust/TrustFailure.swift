//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// Why a path is not trusted: one reason or more, the worst first.
public struct TrustFailure: Error, Sendable {
    /// Every reason, ranked as Apple ranks them. Never empty.
    public let reasons: [TrustFailureReason]

    /// The worst reason.
    public let primary: TrustFailureReason

    init?(_ reasons: [TrustFailureReason]) {
        let isOnlyPins = reasons.allSatisfy { $0.check.isPinning }
        let told = reasons.map { isOnlyPins || !$0.check.isPinning ? $0 : $0.besideOthers }
        guard let primary = told.first else { return nil }
        self.reasons = told
        self.primary = primary
    }

    /// The code `SecTrustEvaluateWithError` reports.
    public var osStatus: OSStatusCode { self.primary.osStatus }
}

extension TrustFailure: CustomStringConvertible {
    /// The worst reason in one sentence, what would fix it, and the number of others.
    public var description: String {
        let others = self.reasons.count - 1
        let more = others == 0 ? "" : " (and \(others) more \(others == 1 ? "reason" : "reasons"))"
        return "\(self.primary.message) \(self.primary.remedy)\(more)"
    }
}

/// One reason against a path, with everything a person or a program needs to act on it.
public struct TrustFailureReason: Sendable {
    /// The broken rule with its evidence, for programs.
    public let reason: RejectionReason
    /// The certificate at fault, counted from the leaf (0).
    public let certificateIndex: Int
    /// The certificate at fault.
    public let certificate: Certificate

    /// Whether the path has other faults than missing pins, which must be mended first.
    private var isBesideOthers = false

    init(_ rejection: Rejection, of certificate: Certificate) {
        self.reason = rejection.reason
        self.certificateIndex = rejection.certificateIndex
        self.certificate = certificate
    }

    /// The same reason where the path has other faults.
    fileprivate var besideOthers: TrustFailureReason {
        var reason = self
        reason.isBesideOthers = true
        return reason
    }

    /// A short, stable name for programs.
    public var code: String { self.reason.code }
    /// The check of Apple's that failed.
    public var check: TrustCheck { self.reason.check }
    /// Apple's status code.
    public var osStatus: OSStatusCode { self.check.osStatus }
    /// Whether an exception can lift it.
    public var severity: TrustCheck.Severity { self.check.severity }
    /// What is wrong, in one sentence.
    public var message: String { self.reason.message(about: self.certificate) }
    /// What would put it right, in one sentence.
    public var remedy: String { self.isBesideOthers ? Self.remedyBesideOthers : self.reason.remedy }

    /// Advice about pins beside an untrusted path would have people pin an attacker's key.
    private static let remedyBesideOthers =
        "Mend the path's other faults first and leave the pins as they are: a path with faults says nothing about them."
    /// The facts behind the sentence, by name: dates, sizes, names, identifiers.
    public var evidence: [(name: String, value: String)] { self.reason.evidence }
}

extension TrustFailureReason: Comparable {
    /// Whether a reason is worse: by Apple's groups, then nearer to the leaf (SecTrust.c `SecTrustCopyErrorStrings`).
    public static func < (left: TrustFailureReason, right: TrustFailureReason) -> Bool {
        if left.check.subtype != right.check.subtype { return left.check.subtype < right.check.subtype }
        if left.certificateIndex != right.certificateIndex { return left.certificateIndex < right.certificateIndex }
        return left.code < right.code
    }

    /// Whether two reasons are the same rule broken by the same certificate with the same evidence.
    public static func == (left: TrustFailureReason, right: TrustFailureReason) -> Bool {
        left.certificateIndex == right.certificateIndex && left.reason == right.reason
    }
}
