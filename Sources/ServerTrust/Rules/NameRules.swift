//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension TrustRule {
    static let names = [Self.nameMismatch, Self.nameConstraints, Self.emptySubject, Self.malformedName]

    private static let nameMismatch = TrustRule(
        "name-mismatch", "The certificate is for another name",
        requirement: "The certificate is for the name that was asked for.", section: .rfc(9525, "6"),
        check: .sslHostname,
        remedies: [
            TrustRemedy(
                .leaf, .useOtherName, .reissue,
                advice:
                    "Connect under a name the certificate has, or have this one added to its subject alternative name."),
            TrustRemedy(
                .addressAsDNSName, .reissue,
                advice:
                    "Have the certificate issued with the address as an IP address in its subject alternative name (iPAddress), not as a DNS name."
            ),
            TrustRemedy(
                .voidedNames, .reissue,
                advice: "Have the certificate issued again without the entry that voids the others."),
            TrustRemedy(
                .noUsableName, .reissue,
                advice:
                    "Have the certificate issued again with this name in its subject alternative name, and without the others: no name that it has now can match a host."
            ),
            TrustRemedy(
                .oldVersion, .reissue,
                advice:
                    "Have the certificate issued as version 3 with this name in a subject alternative name: versions 1 and 2 have none (openssl x509 -req needs -extfile)."
            ),
            TrustRemedy(
                .impossibleName, .useOtherName,
                advice: "Ask for a DNS name or an IP address, as it stands in a URL."),
        ]
    ) { breach in
        guard case .nameMismatch(let reference, let presented, let invalid) = breach.reason else { return nil }
        let mismatch = NameMismatch(reference: reference, presented: presented, certificate: breach.certificate)
        return RuleAccount(
            invalid.map { "No certificate can match: \($0)." } ?? mismatch.message, found: mismatch.found,
            required: reference, evidence: mismatch.evidence,
            circumstance: invalid == nil ? mismatch.circumstance : .impossibleName,
            remedy: invalid == nil ? mismatch.remedy : nil)
    }

    private static let nameConstraints = TrustRule(
        "name-constraints", "A name that the issuer must not vouch for",
        requirement: "Every name is one that the issuers above permit.", section: .rfc(5280, "4.2.1.10"),
        check: .nameConstraints,
        remedies: [
            TrustRemedy(
                .leaf, .reissue, .useOtherIssuer,
                advice:
                    "Have the certificate issued for names that the issuer may vouch for, or by an issuer that may vouch for these."
            ),
            TrustRemedy(
                .intermediate, .useOtherIssuer, advice: "Use an intermediate with a name that its issuers permit."),
            TrustRemedy(
                .constraintForm, .useOtherIssuer, .reissue,
                advice:
                    "Have the certificate issued by an issuer without a constraint of this form, or have that issuer's certificate issued again without it."
            ),
            TrustRemedy(
                .misspelledConstraint, .reissue, .useOtherIssuer,
                advice:
                    "Have the authority write its constraint as the domain alone, without asterisk or leading dot: it then stands for the domain and all names below it."
            ),
        ]
    ) { breach in
        guard case .nameConstraints(let violation) = breach.reason else { return nil }
        let comparison = ConstraintComparison(violation)
        return RuleAccount(
            comparison.message(about: breach.name), found: comparison.found, required: comparison.required,
            evidence: ["name": violation.name, "constraints": "\(violation.constraints)"],
            circumstance: comparison.isOfUnknownForm ? .constraintForm : nil, remedy: comparison.remedy)
    }

    private static let emptySubject = TrustRule(
        "empty-subject", "The subject is empty",
        requirement: "An authority has a subject. A leaf without one has critical alternative names.",
        section: .rfc(5280, "4.1.2.6"), check: .nonEmptySubject,
        remedies: [
            TrustRemedy(
                .leaf, .reissue,
                advice: "Have the certificate issued with a subject, or with a critical subject alternative name."),
            TrustRemedy(
                .intermediate, .useOtherAuthority, advice: "Use an authority with a subject in its certificate."),
        ]
    ) { breach in
        guard case .emptySubject = breach.reason else { return nil }
        return RuleAccount(
            "The certificate \(breach.name) has an empty subject, which only a leaf with critical alternative names may have.",
            found: "an empty subject", required: "a subject, or on a leaf a critical subject alternative name")
    }

    private static let malformedName = TrustRule(
        "malformed-name", "A name cannot be read", requirement: "Subject and issuer are distinguished names.",
        section: .rfc(5280, "4.1.2.4"), check: .missingIntermediate,
        remedies: [
            TrustRemedy(
                .leaf, .reissue,
                advice: "Have the certificate issued again by software that writes distinguished names.")
        ]
    ) { breach in
        guard case .malformedName = breach.reason else { return nil }
        return RuleAccount(
            "The subject or issuer of \(breach.name) is not a distinguished name.",
            found: "octets that no name consists of", required: "a distinguished name")
    }
}

/// A name, with the constraints that refuse it.
private struct ConstraintComparison {
    let violation: NameConstraintViolation

    init(_ violation: NameConstraintViolation) {
        self.violation = violation
    }

    private var list: String { self.violation.constraints.joined(separator: ", ") }

    var isOfUnknownForm: Bool { self.violation.kind == .unsupportedForm }

    func message(about certificate: String) -> String {
        if self.isOfUnknownForm, self.violation.name.isEmpty {
            return "The authority \(certificate) cannot be judged: \(self.violation)."
        }
        let why = self.misspelling.map { ". \($0.sentence)" } ?? ""
        return "The certificate \(certificate) has a name it must not have: \(self.violation)\(why)."
    }

    var found: String {
        switch self.violation.kind {
        case .excluded, .notPermitted: self.violation.name
        case .unsupportedForm:
            self.violation.name.isEmpty ? "a constraint on \(self.list)" : "a name of the form \(self.violation.name)"
        default: "\(self.violation)"
        }
    }

    var required: String {
        switch self.violation.kind {
        case .excluded: "a name outside of \(self.list)"
        case .notPermitted: self.misspelling?.required ?? "a name within \(self.list)"
        case .unsupportedForm:
            "names of a form that can be compared: DNS names, addresses, mailboxes, URIs, directory names"
        default: "names that the issuers permit"
        }
    }

    var remedy: TrustRemedy? {
        guard let misspelling else { return nil }
        return TrustRemedy(
            .misspelledConstraint, .reissue, .useOtherIssuer,
            advice:
                "Have the authority write its constraint as \(misspelling.domain): it then stands for the domain and all names below it. Or have the certificate issued by another authority."
        )
    }

    /// The permitted domain that would cover the name if the constraint followed the syntax of RFC 5280 §4.2.1.10.
    private var misspelling: (domain: String, sentence: String, required: String)? {
        guard self.violation.kind == .notPermitted, self.violation.form == .dNSName else { return nil }
        let name = self.violation.name.lowercased()
        for constraint in self.violation.constraints {
            let domain = constraint.lowercased().drop { $0 == "*" || $0 == "." }
            guard domain.count < constraint.count, !domain.isEmpty, name == domain || name.hasSuffix(".\(domain)")
            else { continue }
            if constraint.hasPrefix("."), name == domain {
                return (
                    String(domain), "The dot in front leaves \(domain) itself out",
                    "a name within \(constraint) (names below \(domain), without \(domain) itself)"
                )
            }
            let rule = constraint.contains("*") ? "constraints have no asterisks" : "constraints have no dot in front"
            return (
                String(domain), "No name is within \(constraint): \(rule)",
                "a name within \(constraint), which no name is within: \(rule)"
            )
        }
        return nil
    }
}

/// A reference name, with the names of a certificate that does not match it.
private struct NameMismatch {
    let reference: String
    let presented: PresentedIdentities
    let certificate: Certificate

    private var version: Int { self.certificate.view.version }

    private var uncounted: [UncountedName] { self.presented.uncountedNames }

    /// The entry that voids the certificate's other names of the same kind as the reference.
    private var voiding: UncountedName? {
        guard self.presented.dnsNamesAreVoid || self.presented.ipAddressesAreVoid else { return nil }
        let isAddress = IPAddress(self.reference) != nil
        return self.uncounted.first { name in
            if case .addressSize = name.reason { return isAddress }
            return name.reason == .notUTF8 && !isAddress
        }
    }

    /// The names of the certificate that can match a host.
    private var counted: [String] {
        let uncounted = Set(self.uncounted.filter(\.reason.matchesNoHost).map(\.text))
        return (self.presented.dnsNames + self.presented.ipAddresses.map(\.description))
            .filter { !uncounted.contains($0) }
    }

    private var count: Int { self.presented.dnsNameCount + self.presented.ipAddressCount }

    var message: String {
        if let voiding { return "The certificate is not for \(self.reference): it has \(voiding)." }
        if self.presented.addressIsWrittenAsDNSName {
            return
                "The certificate has \(self.reference) as a DNS name. An address counts only as an IP address (iPAddress)."
        }
        guard self.count > 0 else {
            let ignored =
                self.presented.commonNameWouldMatch ? ", and the common name, which matches, does not count" : ""
            let version = self.version < 3 ? ", as one of version \(self.version)" : ""
            return
                "The certificate is not for \(self.reference): it has no alternative name for servers\(version)\(ignored)."
        }
        guard !self.counted.isEmpty else {
            return "The certificate is not for \(self.reference): it has \(self.uncounted[0])."
        }
        let shown = self.counted.listed(upTo: 4, isCounted: false)
        let near = self.uncounted.first.map { " (\($0.quotedText): \($0.reason))" } ?? ""
        return "The certificate is for \(shown), not for \(self.reference)\(near)."
    }

    var found: String {
        guard self.version >= 3 else {
            return "a certificate of version \(self.version), which has no alternative names"
        }
        let common =
            self.presented.commonNames.isEmpty
            ? "" : ", common name \(self.presented.commonNames.listed(upTo: 8)), which does not count"
        guard self.count > 0 else { return "no alternative name for servers\(common)" }
        let uncounted = self.uncounted.prefix(4)
        let told = Set(uncounted.map(\.text))
        let counted = self.counted.filter { !told.contains($0) }.listed(
            upTo: 8 - uncounted.count, of: self.count - uncounted.count)
        return (uncounted.map(\.description) + [counted].filter { !$0.isEmpty }).joined(separator: ", ")
    }

    var circumstance: TrustRemedy.Circumstance {
        if self.voiding != nil, !self.counted.isEmpty { return .voidedNames }
        if self.presented.addressIsWrittenAsDNSName { return .addressAsDNSName }
        if self.version < 3 { return .oldVersion }
        let canMatch =
            self.voiding == nil && (!self.counted.isEmpty || self.uncounted.contains { !$0.reason.matchesNoHost })
        return canMatch ? .leaf : .noUsableName
    }

    /// The remedy where the name itself is missing beside the entry that voids the others.
    var remedy: TrustRemedy? {
        let wildcard = "*." + self.reference.split(separator: ".").dropFirst().joined(separator: ".")
        let hasName = self.counted.map { $0.lowercased() }.contains { [self.reference, wildcard].contains($0) }
        guard self.voiding != nil, !hasName else { return nil }
        return TrustRemedy(
            .voidedNames, .reissue,
            advice:
                "Have the certificate issued again without the entry that voids the others, and with this name in its subject alternative name."
        )
    }

    var evidence: [(name: String, value: String)] {
        var evidence = [("reference", self.reference)]
        if !self.presented.dnsNames.isEmpty {
            evidence.append(("dnsNames", self.presented.dnsNames.listed(upTo: 20, of: self.presented.dnsNameCount)))
        }
        if !self.presented.ipAddresses.isEmpty {
            let addresses = self.presented.ipAddresses.map(\.description)
            evidence.append(("ipAddresses", addresses.listed(upTo: 20, of: self.presented.ipAddressCount)))
        }
        for name in self.uncounted.prefix(4) { evidence.append(("uncounted", "\(name)")) }
        if self.presented.commonNameWouldMatch {
            evidence.append(("commonName", "matches, and never counts (RFC 9525)"))
        }
        return evidence.map { (name: $0.0, value: $0.1) }
    }
}
