//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Rules every certificate of a path keeps by itself, the anchor included.
extension PathChecks {
    mutating func checkCertificate(at index: Int) {
        let certificate = self.certificates[index]
        self.checkValidity(of: certificate, at: index)
        self.checkKey(of: certificate, at: index)
        self.checkAlgorithms(of: certificate, at: index)
        self.checkDigest(of: certificate, at: index)
        self.checkExtensions(of: certificate, at: index)
        self.checkSubject(of: certificate, at: index)
    }

    /// RFC 5280 §4.1.2.5: both ends inclusive. Apple gives no leeway and asks it of the anchor too.
    private mutating func checkValidity(of certificate: CertificateView, at index: Int) {
        let time = self.request.time
        if time < certificate.notBefore {
            self.reject(.notYetValid(notBefore: certificate.notBefore, at: time), at: index)
        }
        if time > certificate.notAfter {
            self.reject(.expired(notAfter: certificate.notAfter, at: time), at: index)
        }
    }

    private mutating func checkKey(of certificate: CertificateView, at index: Int) {
        self.checkKey(certificate.publicKeyKind, certificate.publicKeyBits, of: certificate, at: index)
    }

    /// The key of an anchor that is a name and a key stands on no certificate of the path, and is no stronger for it. It is
    /// reported with the certificate that it signed.
    mutating func checkAnchorKey() {
        guard let anchor = self.path.anchor, anchor.certificate == nil else { return }
        let last = self.certificates.count - 1
        self.checkKey(anchor.key.info.kind, anchor.key.info.bits, of: nil, at: last)
        if !self.profile.acceptsRSASSAPSS, anchor.key.info.isForPSSAlone {
            self.reject(.keyAlgorithmNotAccepted, at: last)
        }
    }

    private mutating func checkKey(
        _ kind: PublicKeyKind, _ bits: Int, of certificate: CertificateView?, at index: Int
    ) {
        let minimum = kind == .rsa ? self.profile.minimumRSABits : self.profile.minimumEllipticCurveBits
        if self.isWeak(kind, bits) || certificate?.hasMalformedKey == true {
            self.reject(.weakKey(kind, bits: bits, minimum: minimum), at: index)
        }
        guard !self.leafIsUserTrusted, self.isTooSmallForServer(kind, bits) else { return }
        let serverMinimum =
            kind == .rsa ? self.profile.minimumServerRSABits : self.profile.minimumServerEllipticCurveBits
        self.reject(.keyTooSmallForServer(kind, bits: bits, minimum: serverMinimum), at: index)
    }

    /// Whether a key is too small, or of the wrong kind, for a TLS server's path, if the path is one.
    func isTooSmallForServer(_ kind: PublicKeyKind, _ bits: Int) -> Bool {
        guard self.isForServer else { return false }
        let minimum = kind == .rsa ? self.profile.minimumServerRSABits : self.profile.minimumServerEllipticCurveBits
        let isEdwards = kind == .ed25519 || kind == .ed448
        return bits < minimum || (isEdwards && !self.profile.allowsEdwardsKeysOnServers)
    }

    /// Whether a key is strong enough, and of a kind that counts, for the path.
    func isStrong(_ key: SubjectPublicKeyInfo) -> Bool {
        !self.isWeak(key.kind, key.bits) && !self.isTooSmallForServer(key.kind, key.bits)
            && (self.profile.acceptsRSASSAPSS || !key.isForPSSAlone)
    }

    /// SecCertificate.c `SecCertificateIsWeakKey`: too small, or of a kind no key can be made of.
    func isWeak(_ kind: PublicKeyKind, _ bits: Int) -> Bool {
        switch kind {
        case .rsa: bits < self.profile.minimumRSABits
        case .p192, .p224:
            bits < self.profile.minimumEllipticCurveBits || self.profile.requiresWebKeyKinds
        case .p256, .p384, .p521: bits < self.profile.minimumEllipticCurveBits
        case .ed25519, .ed448: self.profile.requiresWebKeyKinds
        case .otherCurve, .explicitCurve, .unknown: true
        }
    }

    /// The signature of an anchor, or of a root that ends the path, is not verified, so that its algorithm does not matter.
    private mutating func checkAlgorithms(of certificate: CertificateView, at index: Int) {
        guard !self.profile.acceptsRSASSAPSS else { return }
        if PublicKeySource(certificate).info.isForPSSAlone { self.reject(.keyAlgorithmNotAccepted, at: index) }
        let isTop = index == self.certificates.count - 1
        let isUnverified = isTop && (self.path.endsWithAnchorCertificate || certificate.isSelfIssued)
        guard !isUnverified, !self.profile.accepts(certificate.signatureAlgorithm) else { return }
        self.reject(.signatureAlgorithmNotAccepted(certificate.signatureAlgorithm), at: index)
    }

    /// A broken digest lets anyone forge a certificate whose signature counts. That of an anchor's certificate does not;
    /// Apple judges it all the same where the anchor is not self-signed.
    private mutating func checkDigest(of certificate: CertificateView, at index: Int) {
        let digest = certificate.signatureAlgorithm.digest
        let isTop = index == self.certificates.count - 1
        let isAnchor = isTop && (self.path.anchor == nil || self.path.endsWithAnchorCertificate)
        guard !isAnchor || !(certificate.isSelfIssued || self.isAnchorExempt) else { return }
        if digest.isBroken { self.reject(.brokenDigest(digest), at: index) }
        guard digest == .sha1 else { return }
        let isAllowed = self.isForServer ? self.profile.allowsSHA1OnServers : self.profile.allowsSHA1
        let isTrustedByUser = self.profile.userTrustInLeafIsLenient && self.anchorClass == .user && isTop
        if !isAllowed, !isTrustedByUser { self.reject(.weakDigest(digest), at: index) }
    }

    /// Whether the signature on an anchor is left alone.
    private var isAnchorExempt: Bool { self.path.anchor != nil && !self.profile.judgesDigestOfAnchors }

    /// RFC 5280 §4.2: a critical extension that is not understood refuses the certificate. What is known must be
    /// readable and stand once, critical or not (SecPolicyServer.c UnparseableExtension, DuplicateExtension).
    private mutating func checkExtensions(of certificate: CertificateView, at index: Int) {
        let extensions = certificate.fields.extensions
        let bytes = certificate.bytes
        if !extensions.unknownCritical.isEmpty {
            self.reject(.unknownCriticalExtension(OID(extensions.unknownCritical, in: bytes)), at: index)
        }
        if let identifier = self.unprocessedCritical(extensions, in: bytes) {
            self.reject(.unknownCriticalExtension(identifier), at: index)
        }
        if !extensions.duplicate.isEmpty {
            self.reject(.duplicateExtension(OID(extensions.duplicate, in: bytes)), at: index)
        }
        if let malformed = extensions.firstMalformed {
            self.reject(.malformedExtension(malformed.objectIdentifier), at: index)
        }
        if certificate.fields.hasMalformedName { self.reject(.malformedName, at: index) }
    }

    /// RFC 5280 §4.2: "or a critical extension that contains information that it cannot process". TLS features (RFC 7633)
    /// are processed where they are enforced; Apple does not know them.
    private func unprocessedCritical(_ extensions: ExtensionTable, in bytes: [UInt8]) -> OID? {
        if extensions.isCritical(.tlsFeature), !self.request.revocation.enforcesTLSFeature {
            return ExtensionKind.tlsFeature.objectIdentifier
        }
        // RFC 9608 §2 forbids it to be critical, and Apple does not know it.
        if extensions.isCritical(.noRevocationAvailable) { return ExtensionKind.noRevocationAvailable.objectIdentifier }
        guard !self.profile.acceptsUnprocessedCriticalExtensions else { return nil }
        if let kind = extensions.firstUnprocessedCritical { return kind.objectIdentifier }
        return extensions.vendorCritical.isEmpty ? nil : OID(extensions.vendorCritical, in: bytes)
    }

    /// RFC 5280 §4.1.2.6: an authority has a subject; an end entity may be named in a critical alternative name alone.
    private mutating func checkSubject(of certificate: CertificateView, at index: Int) {
        guard certificate.fields.subject.isEmpty else { return }
        let isNamedElsewhere = certificate.fields.extensions.isCritical(.subjectAlternativeName)
        if certificate.isCertificateAuthority || !isNamedElsewhere { self.reject(.emptySubject, at: index) }
    }
}
