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
            for rule in Self.broken(by: certificate, isAnchor: isAnchor) where rules.contains(rule) {
                self.reject(.certificateRule(rule), at: index)
            }
        }
        guard self.isForServer, let leaf = self.certificates.first else { return }
        let broken = self.leaf.serverRules ?? Self.brokenByServer(leaf)
        self.leaf.serverRules = broken
        for rule in broken where rules.contains(rule) {
            self.reject(.certificateRule(rule), at: 0)
        }
    }

    private static func broken(by certificate: CertificateView, isAnchor: Bool) -> [CertificateRules] {
        let fields = certificate.fields
        let extensions = fields.extensions
        let isCA = extensions.isCA
        let mayCertify = extensions.keyUsage.contains(.keyCertSign)
        let isRoot = isAnchor && certificate.isSelfIssued
        var broken: [CertificateRules] = []
        func require(_ condition: Bool, _ rule: CertificateRules) { if !condition { broken.append(rule) } }
        require(Self.hasConformingSerialNumber(certificate, mayBeZero: isAnchor), .serialNumber)
        require(!fields.issuer.isEmpty, .nonEmptyIssuer)
        require(isAnchor || !extensions.authorityKeyIdentifier.isEmpty, .authorityKeyIdentifier)
        require(!isCA || extensions.has(.subjectKeyIdentifier), .subjectKeyIdentifier)
        require(Self.hasConformingCriticality(extensions), .criticality)
        require(isCA || !extensions.has(.nameConstraints), .nameConstraintsOnAuthoritiesOnly)
        require(isCA || !mayCertify, .keyCertSignOnAuthoritiesOnly)
        require(
            extensions.pathLength == nil || (isCA && (!extensions.has(.keyUsage) || mayCertify)),
            .pathLengthOnAuthoritiesOnly)
        require(!isCA || extensions.has(.keyUsage), .keyUsageOnAuthorities)
        require(!isCA || extensions.isCritical(.basicConstraints), .criticalBasicConstraints)
        require(certificate.version == 3, .version3)
        require(!isRoot || !extensions.has(.extendedKeyUsage), .webExtendedKeyUsage)
        require(!extensions.isCritical(.extendedKeyUsage), .webExtendedKeyUsage)
        require(!extensions.authorityNamesCertificate, .authorityKeyIdentifierWithoutIssuer)
        require(certificate.publicKeyKind != .rsa || certificate.publicKeyBits % 8 == 0, .wholeOctetModulus)
        return broken
    }

    /// RFC 5280 §4.1.2.2: positive, at most 20 octets. Zero is not positive, and well-known roots have it.
    private static func hasConformingSerialNumber(_ certificate: CertificateView, mayBeZero: Bool) -> Bool {
        let serial = certificate.serialNumber
        let isNegative = serial.first.map { $0 >= 0x80 } ?? true
        // A leading zero octet only keeps the value positive and is not counted.
        let octets = serial.count - (serial.first == 0 ? 1 : 0)
        return !isNegative && octets <= 20 && (mayBeZero || octets > 0)
    }

    /// RFC 5280 §4.2.1 and §4.2.2: which extensions must and must not be critical.
    private static func hasConformingCriticality(_ extensions: ExtensionTable) -> Bool {
        let never: [ExtensionKind] = [
            .authorityKeyIdentifier, .subjectKeyIdentifier, .authorityInformationAccess, .subjectInformationAccess,
        ]
        let always: [ExtensionKind] = [.policyConstraints, .inhibitAnyPolicy]
        return !never.contains(where: extensions.isCritical)
            && !always.contains { extensions.has($0) && !extensions.isCritical($0) }
    }

    private static func brokenByServer(_ leaf: CertificateView) -> [CertificateRules] {
        let extensions = leaf.fields.extensions
        var broken: [CertificateRules] = []
        if extensions.isCA { broken.append(.leafIsNotAuthority) }
        let hasNames = extensions.has(.subjectAlternativeName)
        let subjectIsEmpty = leaf.fields.subject.isEmpty
        if !hasNames || (hasNames && extensions.isCritical(.subjectAlternativeName) != subjectIsEmpty) {
            broken.append(.subjectAlternativeName)
        }
        if !Self.commonNamesAreAlternativeNames(leaf) { broken.append(.commonNameInSubjectAlternativeName) }
        return broken
    }

    /// BR 7.1.4.3: a common name that is an alternative name is that name character for character; an address is
    /// written as RFC 3986 and RFC 5952 write it. Common names that are something else name no server and harm nobody.
    private static func commonNamesAreAlternativeNames(_ leaf: CertificateView) -> Bool {
        let commonNames = leaf.commonNames
        guard !commonNames.isEmpty else { return true }
        let dnsNames = leaf.dnsNames
        let names = Set(dnsNames + leaf.ipAddresses.map(\.description))
        let folded = Set(dnsNames.map { $0.lowercased() })
        return commonNames.allSatisfy { name in
            names.contains(name) || !(Self.looksLikeAddress(name) || folded.contains(Self.asciiForm(of: name)))
        }
    }

    /// The lower-case A-label form of a name as a person may have typed it.
    private static func asciiForm(of name: String) -> String {
        let labels = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        return labels.map { Punycode.aLabel(of: $0) ?? String($0) }.joined(separator: ".")
    }

    /// Whether text reads as an address in some notation: hexadecimal with colons, or ending in a number.
    private static func looksLikeAddress(_ name: String) -> Bool {
        let isHexadecimal = name.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        if name.contains(":") { return isHexadecimal }
        let last = name.split(separator: ".").last?.lowercased() ?? ""
        return !last.isEmpty
            && (last.allSatisfy(\.isNumber) || (last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit)))
    }
}
