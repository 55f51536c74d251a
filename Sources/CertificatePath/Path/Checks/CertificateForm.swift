//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The details of a certificate's form. Only texts about a broken rule read them, so they are parsed when asked for.
extension CertificateView {
    /// Returns `true` if the certificate has an extension of the kind and marks it as critical.
    package func isCritical(_ kind: ExtensionKind) -> Bool { self.fields.extensions.isCritical(kind) }

    /// `true` if a date has a form that RFC 5280 §4.1.2.5 forbids.
    package var hasLenientDates: Bool { self.fields.hasLenientDates }

    /// `true` if a certificate of version 1 has unique identifiers (RFC 5280 §4.1.2.8).
    package var hasMisplacedIdentifiers: Bool { self.fields.hasMisplacedIdentifiers }

    /// The signed and the unsigned signature algorithm, in this order (RFC 5280 §4.1.1.2).
    package var namedAlgorithms: [(algorithm: SignatureAlgorithm, identifier: OID)] {
        let bytes = self.bytes
        guard
            var certificate = try? DERReader.sole(.sequence, of: ByteRange(0, bytes.count), in: bytes.span),
            let signed = try? certificate.next(.sequence, in: bytes.span),
            let unsigned = try? certificate.next(.sequence, in: bytes.span)
        else { return [] }
        var fields = DERReader(signed.content, in: bytes.span)
        _ = try? fields.optional(.constructed(0), in: bytes.span)
        _ = try? fields.integer(in: bytes.span)
        return [try? fields.next(.sequence, in: bytes.span), unsigned].compactMap { element in
            guard let element, let algorithm = try? SignatureAlgorithm(element.content, in: bytes.span) else {
                return nil
            }
            var reader = DERReader(element.content, in: bytes.span)
            return (try? reader.objectIdentifier(in: bytes.span)).map { (algorithm, OID($0, in: bytes)) }
        }
    }

    /// The first policy that stands twice in the certificate policies, or `nil` if none does.
    package var repeatedPolicy: OID? {
        let bytes = self.bytes
        var reader = DERReader(self.fields.extensions.certificatePolicies, in: bytes.span)
        var seen: Set<OID> = []
        while var information = try? reader.nested(.sequence, in: bytes.span),
            let range = try? information.objectIdentifier(in: bytes.span)
        {
            let policy = OID(range, in: bytes)
            guard seen.insert(policy).inserted else { return policy }
        }
        return nil
    }

    /// The alternative names that are not in the preferred name syntax, as text. An address of another size is in hexadecimal.
    package var namesWithoutPreferredSyntax: [String] { AlternativeNameForms(self).withoutPreferredSyntax }

    /// The first common names that equal no alternative name.
    package var commonNamesWithoutAlternative: [String] {
        let forms = AlternativeNameForms(self)
        return self.commonNames(atMost: AlternativeNameForms.maximumCommonNames + 1).filter { !forms.have($0) }
    }
}
