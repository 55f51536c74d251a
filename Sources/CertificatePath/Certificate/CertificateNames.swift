//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The names of a certificate as text, for display and for programs that read them. No rule uses them.
extension CertificateView {
    /// The subject in the order of its encoding, as `C=DE, O=Example, CN=Root`. Empty if the subject is empty.
    public var subjectDescription: String {
        let bytes = self.bytes
        return DistinguishedName.text(self.fields.subject, in: bytes.span)
    }

    /// The issuer in the format of ``subjectDescription``.
    public var issuerDescription: String {
        let bytes = self.bytes
        return DistinguishedName.text(self.fields.issuer, in: bytes.span)
    }

    /// The DER encoding of the subject: an RDNSequence (RFC 5280 §4.1.2.6).
    public var encodedSubject: [UInt8] { DERWriter.element(.sequence, self.bytes[self.fields.subject]) }

    /// The DER encoding of the issuer, which OCSP digests.
    public var encodedIssuer: [UInt8] { DERWriter.element(.sequence, self.bytes[self.fields.issuer]) }

    /// The common names of the subject, in order.
    public var commonNames: [String] { self.subjectValues(of: Self.commonNameType) }

    /// The first organization of the subject, or `nil` if it has none.
    public var organization: String? { self.subjectValues(of: Self.organizationType).first }

    /// The last common name of the subject, which is the most specific one in X.500's order. `nil` if the subject has none.
    public var commonName: String? { self.commonNames.last }

    /// A short name for the certificate, chosen as Apple does (SecCertificate.c `SecCertificateCopySubjectSummary`).
    ///
    /// It has the common names, the last one first, followed by the description in parentheses. Without a common name,
    /// it is the first e-mail address, the first DNS name, the organizational units, or the organizations. Where Apple
    /// has no summary, it is the first IP address or the whole subject.
    public var subjectSummary: String {
        if let names = self.summary(of: Self.commonNameType) {
            return self.summary(of: Self.descriptionType).map { "\(names) (\($0))" } ?? names
        }
        return self.emailAddresses.first ?? self.dnsNames.first ?? self.summary(of: Self.organizationalUnitType)
            ?? self.summary(of: Self.organizationType) ?? self.ipAddresses.first?.description
            ?? (self.fields.subject.isEmpty ? "certificate without a subject" : self.subjectDescription)
    }

    /// Returns the values of a type, the last one first, at most 16.
    private func summary(of type: PackedOID) -> String? {
        let values = self.subjectValues(of: type)
        return values.isEmpty ? nil : values.suffix(16).reversed().joined(separator: ", ")
    }

    /// The dNSName entries of the subject alternative name, in order and in printable form.
    public var dnsNames: [String] { self.alternativeNames(.dNSName) }

    /// The rfc822Name entries of the subject alternative name, followed by the e-mail addresses of the subject, in
    /// order and in printable form (SecCertificate.c `SecCertificateCopyEmailAddresses`).
    public var emailAddresses: [String] {
        self.alternativeNames(.rfc822Name) + self.subjectValues(of: Self.emailAddressType)
    }

    /// The uniformResourceIdentifier entries of the subject alternative name, in order and in printable form.
    public var uniformResourceIdentifiers: [String] { self.alternativeNames(.uniformResourceIdentifier) }

    /// The iPAddress entries of the subject alternative name that are valid addresses, in order.
    public var ipAddresses: [IPAddress] {
        let bytes = self.bytes
        return self.generalNames.filter { $0.form == .iPAddress }
            .compactMap { IPAddress(octets: bytes[$0.content]) }
    }

    /// Returns the entries of one form of the subject alternative name that are visible ASCII only. They are in
    /// order, unchanged and of any length, for programs that compare them.
    package func plainNames(_ form: GeneralNameForm) -> [String] {
        self.generalNames.filter { $0.form == form }.map { self.bytes[$0.content] }
            .filter { octets in !octets.isEmpty && octets.allSatisfy { (0x21...0x7E).contains($0) } }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the number of entries of the subject alternative name of one form.
    package func nameCount(_ form: GeneralNameForm) -> Int { self.generalNames.count { $0.form == form } }

    private func alternativeNames(_ form: GeneralNameForm) -> [String] {
        let bytes = self.bytes
        return self.generalNames.filter { $0.form == form }
            .map { GeneralNameText.text(of: $0, in: bytes.span) }
    }

    /// The names of the subject alternative name. Parsing has read these already, so no error is expected here.
    private var generalNames: [GeneralName] {
        let bytes = self.bytes
        var reader = DERReader(self.fields.extensions.subjectAlternativeName, in: bytes.span)
        var names: [GeneralName] = []
        while !reader.isAtEnd, let name = try? reader.generalName(in: bytes.span) { names.append(name) }
        return names
    }

    func commonNames(atMost limit: Int) -> [String] { self.subjectValues(of: Self.commonNameType, atMost: limit) }

    private func subjectValues(of type: PackedOID, atMost limit: Int = .max) -> [String] {
        let bytes = self.bytes
        var values: [String] = []
        var names = DERReader(self.fields.subject, in: bytes.span)
        while !names.isAtEnd, var attributes = try? names.nested(.set, in: bytes.span) {
            while !attributes.isAtEnd,
                let attribute = try? DistinguishedName.Attribute(from: &attributes, in: bytes.span)
            {
                guard PackedOID(attribute.type, in: bytes.span) == type else { continue }
                guard values.count < limit else { return values }
                values.append(DistinguishedName.valueText(attribute, in: bytes.span))
            }
        }
        return values
    }

    /// The type emailAddress of PKCS #9, 1.2.840.113549.1.9.1.
    private static let emailAddressType = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x01])
    private static let descriptionType = PackedOID([0x55, 0x04, 0x0D])
    private static let commonNameType = PackedOID([0x55, 0x04, 0x03])
    private static let organizationType = PackedOID([0x55, 0x04, 0x0A])
    private static let organizationalUnitType = PackedOID([0x55, 0x04, 0x0B])
}

extension CertificateView {
    var subjectName: NameSource {
        NameSource(bytes: self.bytes, range: self.fields.subject, hash: self.fields.subjectHash)
    }

    var issuerName: NameSource {
        NameSource(bytes: self.bytes, range: self.fields.issuer, hash: self.fields.issuerHash)
    }
}
