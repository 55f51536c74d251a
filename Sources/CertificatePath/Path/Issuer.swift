//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A possible issuer of a certificate: an anchor, or a supplied certificate.
struct Issuer {
    enum Form {
        case anchor(TrustAnchor)
        case certificate(CertificateView)
    }

    let form: Form

    init(_ anchor: TrustAnchor) { self.form = .anchor(anchor) }
    init(_ certificate: CertificateView) { self.form = .certificate(certificate) }

    var certificate: CertificateView? {
        switch self.form {
        case .anchor(let anchor): anchor.certificate
        case .certificate(let certificate): certificate
        }
    }

    func alsoOfSystem() -> Issuer {
        guard case .anchor(let anchor) = self.form else { return self }
        return Issuer(anchor.alsoOfSystem())
    }

    var isAnchor: Bool {
        guard case .anchor = self.form else { return false }
        return true
    }

    func isAnchor(of form: TrustAnchor.Form) -> Bool {
        guard case .anchor(let anchor) = self.form else { return false }
        return anchor.form == form
    }

    var key: PublicKeySource {
        switch self.form {
        case .anchor(let anchor): anchor.key
        case .certificate(let certificate): PublicKeySource(certificate)
        }
    }

    /// Returns `true` if a certificate names another key identifier than the issuer's (RFC 5280 §4.2.1.1).
    func isContradicted(by child: CertificateView) -> Bool {
        self.certificate.map { child.keyIdentifierMatches(issuer: $0) == false } ?? false
    }

    /// Orders equally promising issuers independently of the order of the input.
    func precedes(_ other: Issuer) -> Bool {
        switch (self.certificate, other.certificate) {
        case (let left?, let right?): left.precedes(right)
        case (nil, nil): self.key.bytes.lexicographicallyPrecedes(other.key.bytes)
        case (let left, _): left != nil
        }
    }
}

extension CertificateView {
    /// Orders certificates by date, the newest first, and then by bytes.
    func precedes(_ other: CertificateView) -> Bool {
        if self.notBefore != other.notBefore { return self.notBefore > other.notBefore }
        return self.bytes.lexicographicallyPrecedes(other.bytes)
    }

    /// Returns `true` if the signed octets of two certificates are the same. The rest has several valid encodings.
    func hasSameSignedPart(as other: CertificateView) -> Bool {
        equalBytes(self.fields.tbsCertificate, in: self.bytes, other.fields.tbsCertificate, in: other.bytes)
    }

    /// Returns `false` if the subject or the key certainly differs, which this finds quickly for most certificates.
    func mayShareSubjectAndKey(with other: CertificateView) -> Bool {
        self.fields.subjectHash == other.fields.subjectHash && self.keyTail == other.keyTail
    }

    /// The last octets of the key, which differ for most keys.
    private var keyTail: UInt64 {
        let end = self.fields.subjectPublicKeyInfo.whole.upperBound
        var tail: UInt64 = 0
        for index in max(0, end &- 8)..<end { tail = tail &<< 8 | UInt64(self.bytes[index]) }
        return tail
    }
}
