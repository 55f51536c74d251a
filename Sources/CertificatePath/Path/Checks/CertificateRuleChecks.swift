//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The rules on the form of certificates (``CertificateRules``). They do not concern signatures. A broken rule shows
/// that an issuer did not keep the profile that it claims.
extension PathChecks {
    mutating func checkCertificateRules() {
        let rules = self.profile.certificateRules
        guard !rules.isEmpty else { return }
        for (index, certificate) in self.certificates.enumerated() {
            let isAnchor = index == self.certificates.count - 1 && self.path.endsWithAnchorCertificate
            let broken = FormChecker(certificate, isAnchor: isAnchor).broken(of: rules)
            self.reject(broken, of: rules, at: index)
        }
        guard self.isForServer, self.request.statusSigner == nil, !rules.isDisjoint(with: .servers),
            let leaf = self.certificates.first
        else { return }
        let broken = self.leaf.serverRules ?? ServerFormChecker(leaf).broken
        self.leaf.serverRules = broken
        self.reject(broken, of: rules, at: 0)
    }

    private mutating func reject(_ broken: CertificateRules, of rules: CertificateRules, at index: Int) {
        for rule in broken.intersection(rules).each { self.reject(.certificateRule(rule), at: index) }
    }
}

/// The checker of the rules on the form of all certificates.
private struct FormChecker {
    let certificate: CertificateView
    let isAnchor: Bool
    private var broken: CertificateRules = []

    init(_ certificate: CertificateView, isAnchor: Bool) {
        self.certificate = certificate
        self.isAnchor = isAnchor
    }

    private var fields: CertificateFields { self.certificate.fields }
    private var extensions: ExtensionTable { self.certificate.fields.extensions }

    /// Returns the broken rules.
    ///
    /// - Parameter rules: The requested rules. Fields that only other rules need are not read.
    func broken(of rules: CertificateRules) -> CertificateRules {
        var checker = self
        checker.checkEncoding()
        if rules != .readers {
            checker.checkFields()
            checker.checkIdentifiers()
            checker.checkAuthority()
        }
        return checker.broken
    }

    private mutating func require(_ condition: Bool, _ rule: CertificateRules) {
        if !condition { self.broken.formUnion(rule) }
    }

    private mutating func checkEncoding() {
        self.require(!self.fields.hasLenientDates, .conformingEncoding)
        // An anchor is trusted as it is. Its dates count, so their encoding must not be ambiguous.
        guard !self.isAnchor else { return }
        self.require(!self.extensions.hasLenientEncoding, .conformingEncoding)
        self.require(!self.fields.hasMisplacedIdentifiers, .conformingEncoding)
        // If the algorithms differ, the signature is invalid, which is another reason.
        let differs = self.fields.signatureAlgorithmsAgree && !self.fields.signatureAlgorithmsAreIdentical
        self.require(!differs, .identicalSignatureAlgorithms)
        let hasParameters = self.fields.hasSignatureParameters && self.fields.signatureAlgorithm.scheme == .ecdsa
        self.require(!hasParameters, .signatureParameters)
        guard self.certificate.has(.certificatePolicies) else { return }
        let policies = self.certificate.policyInformation
        self.require(policies.areDistinct, .distinctPolicies)
        let mayIgnore = !self.extensions.isCritical(.certificatePolicies)
        self.require(mayIgnore || policies.haveKnownQualifiers, .knownPolicyQualifiers)
    }

    private mutating func checkFields() {
        self.require(self.hasConformingSerialNumber, .serialNumber)
        self.require(!self.fields.issuer.isEmpty, .nonEmptyIssuer)
        self.require(self.hasConformingCriticality, .criticality)
        self.require(self.certificate.version == 3, .version3)
        let hasWholeOctets = self.certificate.publicKeyKind != .rsa || self.certificate.publicKeyBits % 8 == 0
        self.require(hasWholeOctets, .wholeOctetModulus)
        self.require(!self.extensions.isCritical(.extendedKeyUsage), .webExtendedKeyUsage)
    }

    private mutating func checkIdentifiers() {
        let hasOwnIdentifier = !self.extensions.authorityKeyIdentifier.isEmpty
        self.require(self.isAnchor || hasOwnIdentifier, .authorityKeyIdentifier)
        self.require(!self.extensions.isCA || self.extensions.has(.subjectKeyIdentifier), .subjectKeyIdentifier)
        self.require(!self.extensions.authorityNamesCertificate, .authorityKeyIdentifierWithoutIssuer)
        guard self.isAnchor, self.certificate.isSelfIssued else { return }
        self.require(!self.extensions.has(.extendedKeyUsage), .webExtendedKeyUsage)
        let isOwn = hasOwnIdentifier && self.certificate.keyIdentifierMatches(issuer: self.certificate) != false
        // The rule is for roots, which are self-signed. A new key that the old key certified under the same name is
        // only self-issued (RFC 5280 §3.2), and correctly names the old key.
        let breaksRule = self.extensions.has(.authorityKeyIdentifier) && !isOwn && self.certificate.holdsOwnSignature
        self.require(!breaksRule, .rootAuthorityKeyIdentifier)
    }

    private mutating func checkAuthority() {
        let isCA = self.extensions.isCA
        let mayCertify = self.extensions.keyUsage.contains(.keyCertSign)
        self.require(isCA || !self.extensions.has(.nameConstraints), .nameConstraintsOnAuthoritiesOnly)
        self.require(isCA || !mayCertify, .keyCertSignOnAuthoritiesOnly)
        let mayHaveLength = isCA && (!self.extensions.has(.keyUsage) || mayCertify)
        self.require(self.extensions.pathLength == nil || mayHaveLength, .pathLengthOnAuthoritiesOnly)
        self.require(!isCA || self.extensions.has(.keyUsage), .keyUsageOnAuthorities)
        self.require(!isCA || self.extensions.isCritical(.basicConstraints), .criticalBasicConstraints)
    }

    /// `true` if the serial number is positive and has at most 20 octets (RFC 5280 §4.1.2.2). Zero is allowed for
    /// anchors, because well-known roots have it.
    private var hasConformingSerialNumber: Bool {
        let serial = self.certificate.serialNumber
        let isNegative = serial.first.map { $0 >= 0x80 } ?? true
        // A leading zero octet only keeps the value positive and is not counted.
        let octets = serial.count - (serial.first == 0 ? 1 : 0)
        return !isNegative && octets <= 20 && (self.isAnchor || octets > 0)
    }

    /// `true` if each extension has the required criticality (RFC 5280 §4.2.1 and §4.2.2).
    private var hasConformingCriticality: Bool {
        let never: [ExtensionKind] = [
            .authorityKeyIdentifier, .subjectKeyIdentifier, .authorityInformationAccess, .subjectInformationAccess,
        ]
        let always: [ExtensionKind] = [.policyConstraints, .inhibitAnyPolicy]
        return !never.contains(where: self.extensions.isCritical)
            && !always.contains { self.extensions.has($0) && !self.extensions.isCritical($0) }
    }
}

/// The checker of the rules on the form of a server's certificate.
private struct ServerFormChecker {
    private(set) var broken: CertificateRules = []

    init(_ leaf: CertificateView) {
        let extensions = leaf.fields.extensions
        if extensions.isCA { self.broken.formUnion(.leafIsNotAuthority) }
        if extensions.purposes.contains(.any) { self.broken.formUnion(.webExtendedKeyUsage) }
        let subjectIsEmpty = leaf.fields.subject.isEmpty
        if !extensions.has(.subjectAlternativeName)
            || extensions.isCritical(.subjectAlternativeName) != subjectIsEmpty
        {
            self.broken.formUnion(.subjectAlternativeName)
        }
        let names = AlternativeNameForms(leaf)
        if !names.havePreferredSyntax { self.broken.formUnion(.preferredNameSyntax) }
        if !names.haveAll(commonNamesOf: leaf) { self.broken.formUnion(.commonNameInSubjectAlternativeName) }
    }
}
