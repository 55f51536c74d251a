//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The rules that each certificate of a path must keep by itself, including the anchor.
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

    /// Checks the validity, inclusive at both ends (RFC 5280 §4.1.2.5). Apple allows no tolerance and checks the anchor too.
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

    /// Checks the key of an anchor without a certificate. It is not on the path, but must be as strong. It is reported
    /// with the certificate that it signed.
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

    /// Returns `true` if the path is a TLS server's and a key is too small, or of the wrong kind, for it.
    func isTooSmallForServer(_ kind: PublicKeyKind, _ bits: Int) -> Bool {
        guard self.isForServer else { return false }
        let minimum = kind == .rsa ? self.profile.minimumServerRSABits : self.profile.minimumServerEllipticCurveBits
        let isEdwards = kind == .ed25519 || kind == .ed448
        return bits < minimum || (isEdwards && !self.profile.allowsEdwardsKeysOnServers)
    }

    /// Returns `true` if the strength and the kind of a key are accepted on the path.
    func isStrong(_ key: SubjectPublicKeyInfo) -> Bool {
        !self.isWeak(key.kind, key.bits) && !self.isTooSmallForServer(key.kind, key.bits)
            && (self.profile.acceptsRSASSAPSS || !key.isForPSSAlone)
    }

    /// Returns `true` if a key is too small, or of a kind that is not supported (SecCertificate.c `SecCertificateIsWeakKey`).
    func isWeak(_ kind: PublicKeyKind, _ bits: Int) -> Bool {
        switch kind {
        case .rsa: bits < self.profile.minimumRSABits
        case .p192, .p224:
            bits < self.profile.minimumEllipticCurveBits || self.profile.requiresWebKeyKinds
        case .p256, .p384, .p521: bits < self.profile.minimumEllipticCurveBits
        case .ed25519, .ed448: self.profile.requiresWebKeyKinds
        case .otherCurve, .explicitCurve, .mlDSA44, .mlDSA65, .mlDSA87, .unknown: true
        }
    }

    /// Checks the algorithms of the key and the signature. The signature of an anchor, or of a root that ends a path
    /// without an anchor, is not verified, so its algorithm does not matter.
    private mutating func checkAlgorithms(of certificate: CertificateView, at index: Int) {
        guard !self.profile.acceptsRSASSAPSS else { return }
        if PublicKeySource(certificate).info.isForPSSAlone { self.reject(.keyAlgorithmNotAccepted, at: index) }
        let isTop = index == self.certificates.count - 1
        let isRoot = self.path.anchor == nil && certificate.isSelfIssued
        let isUnverified = isTop && (self.path.endsWithAnchorCertificate || isRoot)
        guard !isUnverified, !self.profile.accepts(certificate.signatureAlgorithm) else { return }
        self.reject(.signatureAlgorithmNotAccepted(certificate.signatureAlgorithm), at: index)
    }

    /// Checks the digest of the signature. With a broken digest, an attacker can forge a certificate with a valid
    /// signature. The signature of an anchor's certificate is not used, but Apple checks its digest if the anchor is
    /// not self-signed.
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

    /// `true` if the digest in an anchor's certificate is not checked.
    private var isAnchorExempt: Bool { self.path.anchor != nil && !self.profile.judgesDigestOfAnchors }

    /// Checks the extensions (RFC 5280 §4.2). An unknown critical extension rejects the certificate. A known extension
    /// must be well-formed and occur once, critical or not (SecPolicyServer.c UnparseableExtension,
    /// DuplicateExtension).
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

    /// Returns a critical extension that is not processed (RFC 5280 §4.2: "or a critical extension that contains
    /// information that it cannot process"). TLS features (RFC 7633) are processed if they are enforced. Apple does
    /// not know them.
    private func unprocessedCritical(_ extensions: ExtensionTable, in bytes: [UInt8]) -> OID? {
        if extensions.isCritical(.tlsFeature), !self.request.revocation.enforcesTLSFeature {
            return ExtensionKind.tlsFeature.objectIdentifier
        }
        // RFC 9608 §2 does not allow it to be critical, and Apple does not know it.
        if extensions.isCritical(.noRevocationAvailable) { return ExtensionKind.noRevocationAvailable.objectIdentifier }
        guard !self.profile.acceptsUnprocessedCriticalExtensions else { return nil }
        if let kind = extensions.firstUnprocessedCritical { return kind.objectIdentifier }
        return extensions.vendorCritical.isEmpty ? nil : OID(extensions.vendorCritical, in: bytes)
    }

    /// Checks the subject (RFC 5280 §4.1.2.6). An authority must have one. An end entity may have only a critical alternative name.
    private mutating func checkSubject(of certificate: CertificateView, at index: Int) {
        guard certificate.fields.subject.isEmpty else { return }
        let isNamedElsewhere = certificate.fields.extensions.isCritical(.subjectAlternativeName)
        if certificate.isCertificateAuthority || !isNamedElsewhere { self.reject(.emptySubject, at: index) }
    }
}
