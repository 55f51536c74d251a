//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ValidationRequest {
    /// The request for the path of a certificate that vouches for the status of others: everything on it is as strong as
    /// on the path it speaks about, and for the same uses; it names no server.
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

/// Rules about certificates that vouch for the status of others.
extension PathChecks {
    mutating func check(_ signer: StatusSigner) {
        guard let certificate = self.certificates.first else { return }
        self.checkAuthoritiesAllowPurposes()
        switch signer {
        case .lists: self.checkListSigner(certificate)
        case .responses: self.checkResponder(certificate)
        }
    }

    /// An authority that may not issue for a use may not say which certificates of that use are revoked: what is below an
    /// authority for mail has no say about servers.
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

    /// RFC 5280 §6.3.3 (f): cRLSign. §4.2.1.12: an end entity with extended key usages is for those alone, and none of them
    /// is signing lists.
    private mutating func checkListSigner(_ certificate: CertificateView) {
        if !certificate.saysItSignsLists { self.reject(.keyUsage(missing: .cRLSign), at: 0) }
        guard !certificate.isCertificateAuthority, certificate.has(.extendedKeyUsage),
            !certificate.fields.extensions.purposes.contains(.any)
        else { return }
        self.reject(.extendedKeyUsage(required: [], present: certificate.extendedKeyUsages), at: 0)
    }

    /// RFC 6960 §4.2.2.2, and what the profile asks beyond (``ResponderRules``).
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
    /// RFC 5280 §6.3.3 (f): cRLSign, if there is a key usage at all.
    var maySignLists: Bool { !self.has(.keyUsage) || self.saysItSignsLists }

    /// Asked of those who sign lists in an authority's name: a leaf without any key usage must not pass for one.
    var saysItSignsLists: Bool {
        self.has(.keyUsage) && self.fields.extensions.keyUsage.contains(.cRLSign)
    }
}

extension RejectionReason {
    /// Whether a signer with this fault is still the one that was certified for the task: dates, strength and form. It
    /// clears nothing then; when it says “revoked”, it is believed.
    ///
    /// - Parameter isCertifiedByIssuer: Whether the issuer in question, or an authority above it, certified the signer. What
    ///   it may not be used for then is their affair; of anyone else, it is what keeps strangers from revoking.
    func isFormality(isCertifiedByIssuer: Bool) -> Bool {
        switch self {
        case .expired, .notYetValid, .weakKey, .keyTooSmallForServer, .weakDigest, .keyIdentifierMismatch,
            .signatureAlgorithmNotAccepted, .keyAlgorithmNotAccepted, .certificateRule, .revoked,
            .revocationStatusUnknown, .emptySubject, .certificatePolicies:
            true
        case .unknownCriticalExtension, .malformedExtension, .duplicateExtension, .malformedName, .nameConstraints,
            .extendedKeyUsage, .pathLengthExceeded:
            isCertifiedByIssuer
        default: false
        }
    }
}
