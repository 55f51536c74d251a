//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ValidationRequest {
    /// Returns the request for the path of a certificate that signs evidence about others. Its path must be as strong
    /// as the path in question, and valid for the same purposes. It names no server.
    func forSigner(_ signer: StatusSigner) -> ValidationRequest {
        var request = self
        request.statusSigner = signer
        request.purposes = self.purposes.map { PurposeRequirement($0.purpose) }
        request.policies = PolicyInputs()
        request.transparency = nil
        request.maximumIntermediates = nil
        return request
    }
}

/// The rules for certificates that sign evidence about the status of others.
extension PathChecks {
    mutating func check(_ signer: StatusSigner) {
        guard let certificate = self.certificates.first else { return }
        self.checkAuthoritiesAllowPurposes()
        switch signer {
        case .lists: self.checkListSigner(certificate)
        case .responses: self.checkResponder(certificate)
        }
    }

    /// Checks the extended key usages of authorities. An authority that may not issue for a purpose has no say about
    /// certificates of that purpose. For example, an authority for mail cannot revoke a server's certificate.
    private mutating func checkAuthoritiesAllowPurposes() {
        let anchorCount = self.path.endsWithAnchorCertificate ? 1 : 0
        for index in self.certificates.indices.dropLast(anchorCount)
        where index > 0 || self.certificates[index].isCertificateAuthority {
            let certificate = self.certificates[index]
            guard certificate.has(.extendedKeyUsage) else { continue }
            let flags = certificate.fields.extensions.purposes
            if index == 0, flags.contains(.ocspSigning) { continue }
            for requirement in self.request.purposes where !self.allows(requirement.purpose, flags) {
                let required = Self.identifiers(of: requirement.purpose)
                self.reject(.extendedKeyUsage(required: required, present: certificate.extendedKeyUsages), at: index)
            }
        }
    }

    /// Checks the signer of a list. It needs cRLSign (RFC 5280 §6.3.3 (f)). The extended key usages of an end entity
    /// are exclusive (§4.2.1.12), and none of them allows signing lists.
    private mutating func checkListSigner(_ certificate: CertificateView) {
        if !certificate.saysItSignsLists { self.reject(.keyUsage(missing: .cRLSign), at: 0) }
        guard !certificate.isCertificateAuthority, certificate.has(.extendedKeyUsage),
            !certificate.fields.extensions.purposes.contains(.any)
        else { return }
        self.reject(.extendedKeyUsage(required: [], present: certificate.extendedKeyUsages), at: 0)
    }

    /// Checks a responder by RFC 6960 §4.2.2.2 and the additional rules of the profile (``ResponderRules``).
    private mutating func checkResponder(_ certificate: CertificateView) {
        let rules = self.profile.responderRules
        let extensions = certificate.fields.extensions
        let hasOthers = !extensions.purposes.subtracting(.ocspSigning).isEmpty
        if !extensions.purposes.contains(.ocspSigning) || (rules.contains(.answersOnly) && hasOthers) {
            let signing = OID(contents: [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x09])
            self.reject(.extendedKeyUsage(required: [signing], present: certificate.extendedKeyUsages), at: 0)
        }
        if rules.contains(.notAuthority), certificate.isCertificateAuthority {
            self.reject(.certificateRule(.leafIsNotAuthority), at: 0)
        }
        let accepted: KeyUsage =
            rules.contains(.digitalSignature) ? .digitalSignature : [.digitalSignature, .contentCommitment]
        if extensions.has(.keyUsage), extensions.keyUsage.isDisjoint(with: accepted) {
            self.reject(.keyUsage(missing: .digitalSignature), at: 0)
        }
    }
}

extension CertificateView {
    /// `true` if the certificate has cRLSign or no key usage (RFC 5280 §6.3.3 (f)).
    var maySignLists: Bool { !self.has(.keyUsage) || self.saysItSignsLists }

    /// `true` if the certificate has cRLSign. Signers other than the issuer itself need it, so that a leaf without a
    /// key usage does not count as a signer.
    var saysItSignsLists: Bool {
        self.has(.keyUsage) && self.fields.extensions.keyUsage.contains(.cRLSign)
    }
}

extension RejectionReason {
    /// Returns `true` if a signer with this fault is still the one that was certified for the task. Such faults
    /// concern dates, strength and form. The signer then clears no certificate, but its "revoked" counts.
    ///
    /// - Parameter isCertifiedByIssuer: `true` if the issuer in question, or an authority above it, certified the
    ///   signer. Limits on its use are then their decision. For other signers, these limits keep attackers from
    ///   revoking.
    func isFormality(isCertifiedByIssuer: Bool) -> Bool {
        switch self {
        case .expired, .notYetValid, .weakKey, .keyTooSmallForServer, .weakDigest, .keyIdentifierMismatch,
            .signatureAlgorithmNotAccepted, .keyAlgorithmNotAccepted, .certificateRule, .revoked,
            .revocationStatusUnknown, .emptySubject, .certificatePolicies:
            true
        case .unknownCriticalExtension, .malformedExtension, .duplicateExtension, .malformedName, .nameConstraints,
            .extendedKeyUsage, .pathLengthExceeded:
            isCertifiedByIssuer
        // No default: a new rule has to decide if the "revoked" of a signer that breaks it still counts.
        case .untrustedRoot, .blockedRoot, .unknownIssuer, .badSignature, .signatureAlgorithmMismatch,
            .unsupportedSignatureAlgorithm, .unsupportedIssuerKey, .brokenDigest, .nameMismatch,
            .serverAuthenticationMissing, .keyUsage, .basicConstraintsMissing, .notCertificateAuthority,
            .oldVersionIssuer, .tooManyIntermediates, .pathTooLong, .lifetimeTooLong, .leafKeyNotPinned,
            .authorityKeyNotPinned, .pathNotPinned, .anchorNotPinned, .stapledResponseMissing, .tlsFeatureMissing,
            .transparencyMissing, .budgetExceeded:
            false
        }
    }
}
