//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A possible issuer of a certificate: an anchor, or a certificate that was supplied.
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

    /// Whether the issuer's key identifier is another one than the certificate names (RFC 5280 §4.2.1.1).
    func isContradicted(by child: CertificateView) -> Bool {
        self.certificate.map { child.keyIdentifierMatches(issuer: $0) == false } ?? false
    }

    /// An order between equally promising issuers that is the same however they were supplied.
    func precedes(_ other: Issuer) -> Bool {
        switch (self.certificate, other.certificate) {
        case (let left?, let right?): left.precedes(right)
        case (nil, nil): self.key.bytes.lexicographicallyPrecedes(other.key.bytes)
        case (let left, _): left != nil
        }
    }
}

extension CertificateView {
    /// The younger first, then by bytes.
    func precedes(_ other: CertificateView) -> Bool {
        if self.notBefore != other.notBefore { return self.notBefore > other.notBefore }
        return self.bytes.lexicographicallyPrecedes(other.bytes)
    }

    /// Whether the signed octets of two certificates are the same: the rest can be written in several ways.
    func hasSameSignedPart(as other: CertificateView) -> Bool {
        equalBytes(self.fields.tbsCertificate, in: self.bytes, other.fields.tbsCertificate, in: other.bytes)
    }

    /// Whether a certificate may have the same subject and key: tells most apart at once.
    func mayShareSubjectAndKey(with other: CertificateView) -> Bool {
        self.fields.subjectHash == other.fields.subjectHash && self.keyTail == other.keyTail
    }

    /// The last octets of the key, which tell most keys apart at once.
    private var keyTail: UInt64 {
        let end = self.fields.subjectPublicKeyInfo.whole.upperBound
        var tail: UInt64 = 0
        for index in max(0, end &- 8)..<end { tail = tail &<< 8 | UInt64(self.bytes[index]) }
        return tail
    }
}
