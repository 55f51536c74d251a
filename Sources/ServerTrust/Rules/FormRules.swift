//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

extension TrustRule {
    /// Rules on the form of certificates, in the order of `CertificateRules`.
    static let forms: [TrustRule] = Self.formRows.map { row in
        TrustRule(
            "certificate-rule/\(row.name)", "The certificate breaks a rule on its form", requirement: row.requirement,
            section: row.section, check: .certificateProfile, remedies: [Self.formRemedy],
            holds: { $0.certificateRules.contains(row.rule) }, account: Self.accountOfForm)
    }

    static let formRemedy = TrustRemedy(
        .leaf, .reissue, advice: "Have the certificate issued again by an authority that keeps this rule.")

    /// The text of a breach. One reason has every broken rule on the form of a certificate.
    private static let accountOfForm: Account = { breach in
        guard case .certificateRule(let rules) = breach.reason else { return nil }
        let sections = breach.reason.rules.map(\.section).joined(separator: ", ")
        let found = Self.formRows.filter { rules.contains($0.rule) }
            .map { $0.found(breach.certificate.view) }.joined(separator: ", ")
        return RuleAccount(
            "The certificate \(breach.name) breaks a rule on its form: it has \(found). \(rules.requirements)",
            found: found,
            required: rules.requirements, evidence: ["rule": rules.names.joined(separator: ", ")],
            remedy: TrustRemedy(
                .leaf, .reissue, advice: "Have it issued again by an authority that keeps \(sections)."))
    }

    fileprivate struct FormRow: Sendable {
        let rule: CertificateRules
        let name: String
        let requirement: String
        let section: RuleSection
        /// The text of the values that break the rule, as the object of `it has`.
        let found: @Sendable (CertificateView) -> String

        init(
            _ rule: CertificateRules, _ name: String, section: RuleSection, requirement: String,
            found: @escaping @Sendable (CertificateView) -> String
        ) {
            self.rule = rule
            self.name = name
            self.requirement = requirement
            self.section = section
            self.found = found
        }
    }

    fileprivate static let formRows: [FormRow] = [
        FormRow(
            .serialNumber, "serial-number", section: .rfc(5280, "4.1.2.2"),
            requirement: "The serial number is positive and has at most 20 octets.",
            found: { "the serial number \($0.serialNumber.colonedHexadecimal)" }),
        FormRow(
            .nonEmptyIssuer, "non-empty-issuer", section: .rfc(5280, "4.1.2.4"),
            requirement: "The issuer is not empty.",
            found: { _ in "an empty issuer" }
        ),
        FormRow(
            .authorityKeyIdentifier, "authority-key-identifier", section: .rfc(5280, "4.2.1.1"),
            requirement: "Each certificate below the anchor has an authority key identifier.",
            found: {
                $0.has(.authorityKeyIdentifier)
                    ? "an authority key identifier extension without a key identifier" : "no authority key identifier"
            }),
        FormRow(
            .subjectKeyIdentifier, "subject-key-identifier", section: .rfc(5280, "4.2.1.2"),
            requirement: "Each authority has a subject key identifier.",
            found: { _ in "no subject key identifier" }),
        FormRow(
            .criticality, "criticality", section: .rfc(5280, "4.2"),
            requirement: "Each extension is critical where it must be, and not where it must not be.",
            found: FormRow.misplacedCriticality),
        FormRow(
            .nameConstraintsOnAuthoritiesOnly, "name-constraints-on-authorities", section: .rfc(5280, "4.2.1.10"),
            requirement: "Only authorities have name constraints.",
            found: { _ in "name constraints without cA" }),
        FormRow(
            .keyCertSignOnAuthoritiesOnly, "key-cert-sign-on-authorities", section: .rfc(5280, "4.2.1.9"),
            requirement: "Only authorities have keyCertSign.",
            found: { "keyCertSign without cA (\($0.keyUsage?.names ?? ""))" }),
        FormRow(
            .pathLengthOnAuthoritiesOnly, "path-length-on-authorities", section: .rfc(5280, "4.2.1.9"),
            requirement: "Only authorities with keyCertSign have a path length.",
            found: {
                "a path length of \($0.pathLengthConstraint ?? 0) without \($0.isCertificateAuthority ? "keyCertSign" : "cA")"
            }),
        FormRow(
            .keyUsageOnAuthorities, "key-usage-on-authorities", section: .rfc(5280, "4.2.1.3"),
            requirement: "Each authority has a key usage.",
            found: { _ in "cA without a key usage" }),
        FormRow(
            .criticalBasicConstraints, "critical-basic-constraints", section: .rfc(5280, "4.2.1.9"),
            requirement: "The basic constraints of each authority are critical.",
            found: { _ in "basic constraints that are not critical" }),
        FormRow(
            .version3, "version-3", section: .baseline("7.1.1"), requirement: "Each certificate is version 3.",
            found: { "version \($0.version)" }),
        FormRow(
            .leafIsNotAuthority, "leaf-is-not-authority", section: .baseline("7.1.2.7.8"),
            requirement: "A server's certificate is not an authority.",
            found: { _ in "basic constraints with cA TRUE" }),
        FormRow(
            .webExtendedKeyUsage, "web-extended-key-usage", section: .baseline("7.1.2.7.10"),
            requirement:
                "Extended key usage is not critical, not on a root, and without anyExtendedKeyUsage on a server's certificate.",
            found: FormRow.oddExtendedKeyUsage
        ),
        FormRow(
            .commonNameInSubjectAlternativeName, "common-name", section: .baseline("7.1.4.3"),
            requirement:
                "Every common name of a server's certificate is one of its alternative names, letter by letter.",
            found: FormRow.unpresentedCommonNames),
        FormRow(
            .authorityKeyIdentifierWithoutIssuer, "authority-key-identifier-only", section: .baseline("7.1.2.11.1"),
            requirement: "The authority key identifier has a key identifier and nothing else.",
            found: { _ in "an authority key identifier with a name and a serial number" }),
        FormRow(
            .subjectAlternativeName, "subject-alternative-name", section: .baseline("7.1.2.7.12"),
            requirement: "A server's certificate has alternative names, critical exactly when the subject is empty.",
            found: {
                $0.has(.subjectAlternativeName)
                    ? $0.isCritical(.subjectAlternativeName)
                        ? "critical alternative names beside a subject"
                        : "alternative names that are not critical, and an empty subject"
                    : "no alternative names"
            }),
        FormRow(
            .wholeOctetModulus, "whole-octet-modulus", section: .baseline("6.1.5"),
            requirement: "The size of an RSA modulus is a multiple of eight bits.",
            found: { "an RSA modulus of \($0.publicKeyBits) bits" }),
        FormRow(
            .conformingEncoding, "conforming-encoding", section: .rfc(5280, "4.1.2.5"),
            requirement: "Dates are in UTC with seconds, and padding bits are zero.",
            found: FormRow.lenientEncoding),
        FormRow(
            .identicalSignatureAlgorithms, "identical-signature-algorithms", section: .rfc(5280, "4.1.1.2"),
            requirement: "The signed and the unsigned signature algorithm have the same parameters.",
            found: { "\($0.signatureAlgorithm) with two different parameters" }),
        FormRow(
            .distinctPolicies, "distinct-policies", section: .rfc(5280, "4.2.1.4"),
            requirement: "No certificate policy stands twice.",
            found: { "the policy \($0.repeatedPolicy.map(\.description) ?? "") twice" }),
        FormRow(
            .knownPolicyQualifiers, "known-policy-qualifiers", section: .rfc(5280, "4.2.1.4"),
            requirement: "Critical certificate policies have known qualifiers only.",
            found: { _ in "critical certificate policies with a qualifier that is not known" }),
        FormRow(
            .preferredNameSyntax, "preferred-name-syntax", section: .rfc(5280, "4.2.1.6"),
            requirement:
                "DNS names are made of letters, digits and hyphens, a whole first label of asterisk aside. An address has 4 or 16 octets.",
            found: { "the names \($0.namesWithoutPreferredSyntax.listed(upTo: 4))" }
        ),
        FormRow(
            .rootAuthorityKeyIdentifier, "root-authority-key-identifier", section: .baseline("7.1.2.1.3"),
            requirement: "The authority key identifier of a root, if there is one, is its own key's.",
            found: FormRow.strangeKeyIdentifier),
        FormRow(
            .signatureParameters, "signature-parameters", section: .rfc(5758, "3.2"),
            requirement: "ECDSA signature algorithms have no parameters.",
            found: { "\($0.signatureAlgorithm) with parameters" }),
    ]
}

extension CertificateRules {
    /// The short names of the rules in the set.
    public var names: [String] { TrustRule.formRows.filter { self.contains($0.rule) }.map(\.name) }

    /// The requirements of the rules in the set, as sentences.
    public var requirements: String {
        TrustRule.formRows.filter { self.contains($0.rule) }.map(\.requirement).joined(separator: " ")
    }
}

extension TrustRule.FormRow {
    fileprivate static func misplacedCriticality(_ view: CertificateView) -> String {
        let never: [ExtensionKind] = [
            .authorityKeyIdentifier, .subjectKeyIdentifier, .authorityInformationAccess, .subjectInformationAccess,
        ]
        let always: [ExtensionKind] = [.policyConstraints, .inhibitAnyPolicy]
        let critical = never.filter(view.isCritical).map { "\($0.name) as critical" }
        let uncritical = always.filter { view.has($0) && !view.isCritical($0) }.map { "\($0.name) as not critical" }
        return (critical + uncritical).joined(separator: ", ")
    }

    fileprivate static func oddExtendedKeyUsage(_ view: CertificateView) -> String {
        if view.isCritical(.extendedKeyUsage) { return "a critical extended key usage" }
        let usages = view.extendedKeyUsages.names
        return view.isCertificateAuthority && view.isSelfIssued
            ? "an extended key usage on a root (\(usages))" : "the extended key usages \(usages)"
    }

    fileprivate static func unpresentedCommonNames(_ view: CertificateView) -> String {
        let (names, hosts) = (view.commonNamesWithoutAlternative, view.dnsNames + view.ipAddresses.map(\.description))
        return "the common name \(names.listed(upTo: 4)), and "
            + (hosts.isEmpty ? "no alternative name" : "the alternative names \(hosts.listed(upTo: 4))")
    }

    fileprivate static func lenientEncoding(_ view: CertificateView) -> String {
        if view.hasLenientDates { return "a date in a form that RFC 5280 forbids" }
        if view.hasMisplacedIdentifiers { return "unique identifiers, which version 1 does not have" }
        return view.keyUsage?.isEmpty == true
            ? "a key usage that allows nothing" : "a key usage with padding bits that are set"
    }

    fileprivate static func strangeKeyIdentifier(_ view: CertificateView) -> String {
        let own = view.subjectKeyIdentifier.map(\.colonedHexadecimal) ?? "none"
        return view.authorityKeyIdentifier.map {
            "the authority key identifier \($0.colonedHexadecimal), and the subject key identifier \(own)"
        } ?? "an authority key identifier extension without a key identifier"
    }
}

extension ExtensionKind {
    fileprivate var name: String { OIDNames.name(of: self.objectIdentifier) }
}
