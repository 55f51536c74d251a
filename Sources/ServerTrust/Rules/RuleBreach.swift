//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// A broken rule, and the certificate that breaks it.
struct RuleBreach {
    let reason: RejectionReason
    let certificate: Certificate
    let role: CertificateRole
    /// The certificate above it on the path, or `nil` at the end of the path.
    var issuer: Certificate?
    var surroundings = BreachSurroundings(path: [], sent: [], pins: [])

    /// The subject of the certificate in quotation marks.
    var name: String { "“\(self.certificate.subjectSummary)”" }

    /// The name and key identifier of the issuer that the path lacks.
    var soughtIssuer: String {
        let key = self.certificate.view.authorityKeyIdentifier.map { ", key identifier \($0.colonedHexadecimal)" } ?? ""
        return "“\(self.certificate.issuer)”\(key)"
    }

    var account: RuleAccount {
        self.reason.rules.first?.account(of: self) ?? RuleAccount("The certificate \(self.name) breaks a rule.")
    }

    var remedy: TrustRemedy {
        let account = self.account
        if let remedy = account.remedy { return remedy }
        let circumstance = account.circumstance ?? TrustRemedy.Circumstance(self.role)
        return self.reason.rules.first?.remedy(circumstance) ?? TrustRule.formRemedy
    }
}

/// The text of one breach of a rule.
struct RuleAccount {
    /// The fault, in one sentence about the certificate.
    let message: String
    let found: String
    let required: String
    let evidence: [(name: String, value: String)]
    /// The circumstance that selects the remedy, or `nil` if the certificate's role selects it.
    let circumstance: TrustRemedy.Circumstance?
    /// The remedy, if it depends on the breach itself.
    let remedy: TrustRemedy?

    init(
        _ message: String, found: String = "", required: String = "", evidence: KeyValuePairs<String, String> = [:],
        circumstance: TrustRemedy.Circumstance? = nil, remedy: TrustRemedy? = nil
    ) {
        self.init(
            message, found: found, required: required, evidence: evidence.map { (name: $0.key, value: $0.value) },
            circumstance: circumstance, remedy: remedy)
    }

    /// - Parameter evidence: The facts. Several of them may have the same name.
    init(
        _ message: String, found: String, required: String, evidence: [(name: String, value: String)],
        circumstance: TrustRemedy.Circumstance? = nil, remedy: TrustRemedy? = nil
    ) {
        self.message = message
        self.found = found
        self.required = required
        self.evidence = evidence
        self.circumstance = circumstance
        self.remedy = remedy
    }
}

/// The value that broke the rule and the value it requires.
///
/// ``TrustFailureReason/comparison`` returns it. Both are short texts for people, such as `valid until …` and `valid at …`.
public struct RuleComparison: Sendable, Hashable {
    /// The value of the certificate or path.
    public let found: String
    /// The value that the rule requires.
    public let required: String
}

extension [OID] {
    /// The names of the identifiers, or their numbers if they have no known name.
    var names: String {
        self.isEmpty ? "nothing" : self.map(OIDNames.name(of:)).joined(separator: ", ")
    }
}

extension Int64 {
    /// The number of seconds in days, hours, minutes and seconds, without the parts that are zero.
    var secondsInDays: String {
        let (days, hours, minutes, seconds) = (self / 86_400, self / 3_600 % 24, self / 60 % 60, self % 60)
        let parts = [(days, "day"), (hours, "hour"), (minutes, "minute"), (seconds, "second")]
            .filter { $0.0 != 0 }.map { $0.0 == 1 ? "1 \($0.1)" : "\($0.0) \($0.1)s" }
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "0 days" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }
}

extension Int {
    /// Returns the number with its noun in the singular or plural.
    func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}
