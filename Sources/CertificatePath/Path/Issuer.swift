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
    /// The number of a supplied certificate in its pool, once it has one.
    var number: Int?

    init(_ anchor: TrustAnchor) { self.form = .anchor(anchor) }
    init(_ certificate: CertificateView) { self.form = .certificate(certificate) }

    var certificate: CertificateView? {
        switch self.form {
        case .anchor(let anchor): anchor.certificate
        case .certificate(let certificate): certificate
        }
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

    /// How promising the issuer is: an anchor, a matching key identifier, in date, not self-signed.
    func rank(for child: CertificateView, at time: Timestamp) -> Int {
        var rank = 0
        if case .anchor = self.form { rank += 8 }
        guard let certificate = self.certificate else { return rank }
        switch child.keyIdentifierMatches(issuer: certificate) {
        case true?: rank += 4
        case false?: rank -= 4
        case nil: break
        }
        if certificate.notBefore <= time, time <= certificate.notAfter { rank += 2 }
        if !certificate.isSelfIssued { rank += 1 }
        return rank
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

    /// Whether the authority key identifier equals an issuer's subject key identifier; `nil` when either is absent.
    func keyIdentifierMatches(issuer: CertificateView) -> Bool? {
        let authority = self.fields.extensions.authorityKeyIdentifier
        let subject = issuer.fields.extensions.subjectKeyIdentifier
        guard !authority.isEmpty, !subject.isEmpty else { return nil }
        return equalBytes(self.bytes, authority, issuer.bytes, subject)
    }
}

extension CandidatePath {
    /// An order between paths of one score that is the same however their certificates were supplied.
    func precedes(_ other: CandidatePath) -> Bool {
        if self.certificates.count != other.certificates.count {
            return self.certificates.count < other.certificates.count
        }
        for (left, right) in zip(self.certificates, other.certificates) where left != right {
            return left.precedes(right)
        }
        switch (self.anchor?.certificate, other.anchor?.certificate) {
        case (nil, nil):
            return (self.anchor?.key.bytes ?? []).lexicographicallyPrecedes(other.anchor?.key.bytes ?? [])
        case (let left, _): return left != nil
        }
    }
}
