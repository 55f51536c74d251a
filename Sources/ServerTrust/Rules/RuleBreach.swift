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
    /// The certificate above it on the path; `nil` at its end.
    var issuer: Certificate?
    /// The certificates and pins around it.
    var surroundings = BreachSurroundings(path: [], sent: [], pins: [])

    /// The certificate in a sentence.
    var name: String { "“\(self.certificate.subjectSummary)”" }

    /// The certificate that is sought as the issuer.
    var soughtIssuer: String {
        let key = self.certificate.view.authorityKeyIdentifier.map { ", key identifier \($0.colonedHexadecimal)" } ?? ""
        return "“\(self.certificate.issuer)”\(key)"
    }

    /// The text of the row of the rule.
    var account: RuleAccount {
        self.reason.rules.first?.account(of: self) ?? RuleAccount("The certificate \(self.name) breaks a rule.")
    }

    /// The remedy of the rule under the circumstance of the breach.
    var remedy: TrustRemedy {
        let account = self.account
        if let remedy = account.remedy { return remedy }
        let circumstance = account.circumstance ?? TrustRemedy.Circumstance(self.role)
        return self.reason.rules.first?.remedy(circumstance) ?? TrustRule.formRemedy
    }
}

/// What a rule says of one breach of it.
struct RuleAccount {
    /// The fault, in one sentence about the certificate.
    let message: String
    /// What the certificate or path has.
    let found: String
    /// What the rule asks in its place.
    let required: String
    /// The facts behind the sentence, by name.
    let evidence: [(name: String, value: String)]
    /// The circumstance that the remedy depends on; `nil` where that is the certificate's place on the path.
    let circumstance: TrustRemedy.Circumstance?
    /// The remedy where it depends on the breach itself.
    let remedy: TrustRemedy?

    init(
        _ message: String, found: String = "", required: String = "", evidence: KeyValuePairs<String, String> = [:],
        circumstance: TrustRemedy.Circumstance? = nil, remedy: TrustRemedy? = nil
    ) {
        self.init(
            message, found: found, required: required, evidence: evidence.map { (name: $0.key, value: $0.value) },
            circumstance: circumstance, remedy: remedy)
    }

    /// - Parameter evidence: The facts, of which several may have one name.
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

/// What was found, beside what the rule requires.
public struct RuleComparison: Sendable, Hashable {
    /// What the certificate or path has.
    public let found: String
    /// What the rule asks in its place.
    public let required: String
}

extension [OID] {
    /// The names of the identifiers, or their numbers.
    var names: String {
        self.isEmpty ? "nothing" : self.map(OIDNames.name(of:)).joined(separator: ", ")
    }
}

extension Int64 {
    /// A number of seconds in days, hours, minutes and seconds, of which those that are zero are left out.
    var secondsInDays: String {
        let (days, hours, minutes, seconds) = (self / 86_400, self / 3_600 % 24, self / 60 % 60, self % 60)
        let parts = [(days, "day"), (hours, "hour"), (minutes, "minute"), (seconds, "second")]
            .filter { $0.0 != 0 }.map { $0.0 == 1 ? "1 \($0.1)" : "\($0.0) \($0.1)s" }
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "0 days" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }
}

extension Int {
    /// The number and its noun, which agree.
    func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}
