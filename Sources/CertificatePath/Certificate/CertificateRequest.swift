//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The contents of a certificate request (RFC 2986 §4), for display. Its signature is not checked.
package struct CertificateRequest: Sendable {
    /// The subject in the order of its encoding. Empty if the subject is empty.
    package let subject: String
    /// The names of the requested subject alternative name, in order.
    package let names: [String]
    package let subjectPublicKeyInfo: [UInt8]

    /// The limit, above the number of names that a report shows.
    private static let maximumNames = 1_000
    /// extensionRequest (RFC 2985 §5.4.2).
    private static let extensionRequest = OID("1.2.840.113549.1.9.14")
    private static let subjectAlternativeName = OID("2.5.29.17")

    /// Reads a request.
    ///
    /// - Parameter der: The DER encoding of the request.
    /// - Throws: ``DERError`` if the octets are not a request.
    package init(der: [UInt8]) throws(DERError) {
        let bytes = der.span
        var outer = try DERReader.sole(.sequence, of: ByteRange(0, der.count), in: bytes)
        var body = try outer.nested(.sequence, in: bytes)
        _ = try body.next(.integer, in: bytes)
        let subject = try body.next(.sequence, in: bytes).content
        try DistinguishedName.check(subject, in: bytes)
        self.subject = DistinguishedName.text(subject, in: bytes)
        self.subjectPublicKeyInfo = Array(der[try body.next(.sequence, in: bytes).whole])
        self.names =
            try body.optional(.constructed(0), in: bytes).map { attributes throws(DERError) in
                try Self.names(inAttributes: attributes.content, of: der)
            } ?? []
    }

    private static func names(inAttributes content: ByteRange, of der: [UInt8]) throws(DERError) -> [String] {
        let bytes = der.span
        var attributes = DERReader(content, in: bytes)
        while !attributes.isAtEnd {
            var attribute = try attributes.nested(.sequence, in: bytes)
            let type = OID(try attribute.next(.objectIdentifier, in: bytes).content, in: der)
            guard type == Self.extensionRequest else { continue }
            var values = try attribute.nested(.set, in: bytes)
            var extensions = try values.nested(.sequence, in: bytes)
            while !extensions.isAtEnd {
                var entry = try extensions.nested(.sequence, in: bytes)
                let identifier = OID(try entry.next(.objectIdentifier, in: bytes).content, in: der)
                _ = try entry.optional(.boolean, in: bytes)
                let value = try entry.next(.octetString, in: bytes).content
                if identifier == Self.subjectAlternativeName { return try Self.names(in: value, of: bytes) }
            }
        }
        return []
    }

    private static func names(in value: ByteRange, of bytes: Span<UInt8>) throws(DERError) -> [String] {
        var names = try DERReader.sole(.sequence, of: value, in: bytes)
        var texts: [String] = []
        while !names.isAtEnd, texts.count < Self.maximumNames {
            texts.append(GeneralNameText.text(of: try names.generalName(in: bytes), in: bytes))
        }
        return texts
    }
}
