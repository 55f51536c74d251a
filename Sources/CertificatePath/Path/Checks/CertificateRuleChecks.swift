//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Rules on the form of certificates (``CertificateRules``). They say nothing about who signed what; they say that an
/// issuer did not keep the profile it claims to issue under.
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

/// Which rules on its form a certificate of any kind breaks.
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

    /// - Parameter rules: The rules that are asked: reading what none of them is about is saved.
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
        // An anchor is trusted as it is; its dates count, and must not be read in two ways.
        guard !self.isAnchor else { return }
        self.require(!self.extensions.hasLenientEncoding, .conformingEncoding)
        self.require(!self.fields.hasMisplacedIdentifiers, .conformingEncoding)
        // Where even the algorithms differ the signature does not hold.
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
        // The rule is about roots, which are self-signed. A new key that the old one certified under the same name is
        // self-issued alone (RFC 5280 §3.2), and rightly names the old key.
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

    /// RFC 5280 §4.1.2.2: positive, at most 20 octets. Zero is not positive, and well-known roots have it.
    private var hasConformingSerialNumber: Bool {
        let serial = self.certificate.serialNumber
        let isNegative = serial.first.map { $0 >= 0x80 } ?? true
        // A leading zero octet only keeps the value positive and is not counted.
        let octets = serial.count - (serial.first == 0 ? 1 : 0)
        return !isNegative && octets <= 20 && (self.isAnchor || octets > 0)
    }

    /// RFC 5280 §4.2.1 and §4.2.2: which extensions must and must not be critical.
    private var hasConformingCriticality: Bool {
        let never: [ExtensionKind] = [
            .authorityKeyIdentifier, .subjectKeyIdentifier, .authorityInformationAccess, .subjectInformationAccess,
        ]
        let always: [ExtensionKind] = [.policyConstraints, .inhibitAnyPolicy]
        return !never.contains(where: self.extensions.isCritical)
            && !always.contains { self.extensions.has($0) && !self.extensions.isCritical($0) }
    }
}

/// Which rules on its form a server's certificate breaks.
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
