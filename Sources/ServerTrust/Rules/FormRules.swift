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
        let found =
            if rules.contains(.serialNumber) {
                "serial number \(breach.certificate.serialNumber.colonedHexadecimal)"
            } else if rules.contains(.version3) {
                "version \(breach.certificate.view.version)"
            } else {
                rules.names.joined(separator: ", ")
            }
        return RuleAccount(
            "The certificate \(breach.name) breaks a rule on its form. \(rules.requirements)", found: found,
            required: rules.requirements, evidence: ["rule": rules.names.joined(separator: ", ")],
            remedy: TrustRemedy(
                .leaf, .reissue, advice: "Have it issued again by an authority that keeps \(sections)."))
    }

    fileprivate struct FormRow: Sendable {
        let rule: CertificateRules
        let name: String
        let requirement: String
        let section: RuleSection

        init(_ rule: CertificateRules, _ name: String, section: RuleSection, requirement: String) {
            self.rule = rule
            self.name = name
            self.requirement = requirement
            self.section = section
        }
    }

    fileprivate static let formRows: [FormRow] = [
        FormRow(
            .serialNumber, "serial-number", section: .rfc(5280, "4.1.2.2"),
            requirement: "The serial number is positive and has at most 20 octets."),
        FormRow(
            .nonEmptyIssuer, "non-empty-issuer", section: .rfc(5280, "4.1.2.4"), requirement: "The issuer is not empty."
        ),
        FormRow(
            .authorityKeyIdentifier, "authority-key-identifier", section: .rfc(5280, "4.2.1.1"),
            requirement: "Each certificate below the anchor has an authority key identifier."),
        FormRow(
            .subjectKeyIdentifier, "subject-key-identifier", section: .rfc(5280, "4.2.1.2"),
            requirement: "Each authority has a subject key identifier."),
        FormRow(
            .criticality, "criticality", section: .rfc(5280, "4.2"),
            requirement: "Each extension is critical where it must be, and not where it must not be."),
        FormRow(
            .nameConstraintsOnAuthoritiesOnly, "name-constraints-on-authorities", section: .rfc(5280, "4.2.1.10"),
            requirement: "Only authorities have name constraints."),
        FormRow(
            .keyCertSignOnAuthoritiesOnly, "key-cert-sign-on-authorities", section: .rfc(5280, "4.2.1.9"),
            requirement: "Only authorities have keyCertSign."),
        FormRow(
            .pathLengthOnAuthoritiesOnly, "path-length-on-authorities", section: .rfc(5280, "4.2.1.9"),
            requirement: "Only authorities with keyCertSign have a path length."),
        FormRow(
            .keyUsageOnAuthorities, "key-usage-on-authorities", section: .rfc(5280, "4.2.1.3"),
            requirement: "Each authority has a key usage."),
        FormRow(
            .criticalBasicConstraints, "critical-basic-constraints", section: .rfc(5280, "4.2.1.9"),
            requirement: "The basic constraints of each authority are critical."),
        FormRow(.version3, "version-3", section: .baseline("7.1.1"), requirement: "Each certificate is version 3."),
        FormRow(
            .leafIsNotAuthority, "leaf-is-not-authority", section: .baseline("7.1.2.7.8"),
            requirement: "A server's certificate is not an authority."),
        FormRow(
            .webExtendedKeyUsage, "web-extended-key-usage", section: .baseline("7.1.2.7.10"),
            requirement:
                "Extended key usage is not critical, not on a root, and without anyExtendedKeyUsage on a server's certificate."
        ),
        FormRow(
            .commonNameInSubjectAlternativeName, "common-name", section: .baseline("7.1.4.3"),
            requirement:
                "Every common name of a server's certificate is one of its alternative names, letter by letter."),
        FormRow(
            .authorityKeyIdentifierWithoutIssuer, "authority-key-identifier-only", section: .baseline("7.1.2.11.1"),
            requirement: "The authority key identifier has a key identifier and nothing else."),
        FormRow(
            .subjectAlternativeName, "subject-alternative-name", section: .baseline("7.1.2.7.12"),
            requirement: "A server's certificate has alternative names, critical exactly when the subject is empty."),
        FormRow(
            .wholeOctetModulus, "whole-octet-modulus", section: .baseline("6.1.5"),
            requirement: "The size of an RSA modulus is a multiple of eight bits."),
        FormRow(
            .conformingEncoding, "conforming-encoding", section: .rfc(5280, "4.1.2.5"),
            requirement: "Dates are in UTC with seconds, and padding bits are zero."),
        FormRow(
            .identicalSignatureAlgorithms, "identical-signature-algorithms", section: .rfc(5280, "4.1.1.2"),
            requirement: "The signed and the unsigned signature algorithm have the same parameters."),
        FormRow(
            .distinctPolicies, "distinct-policies", section: .rfc(5280, "4.2.1.4"),
            requirement: "No certificate policy stands twice."),
        FormRow(
            .knownPolicyQualifiers, "known-policy-qualifiers", section: .rfc(5280, "4.2.1.4"),
            requirement: "Critical certificate policies have known qualifiers only."),
        FormRow(
            .preferredNameSyntax, "preferred-name-syntax", section: .rfc(5280, "4.2.1.6"),
            requirement:
                "DNS names are made of letters, digits and hyphens, a whole first label of asterisk aside. An address has 4 or 16 octets."
        ),
        FormRow(
            .rootAuthorityKeyIdentifier, "root-authority-key-identifier", section: .baseline("7.1.2.1.3"),
            requirement: "The authority key identifier of a root, if there is one, is its own key's."),
        FormRow(
            .signatureParameters, "signature-parameters", section: .rfc(5758, "3.2"),
            requirement: "ECDSA signature algorithms have no parameters."),
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
