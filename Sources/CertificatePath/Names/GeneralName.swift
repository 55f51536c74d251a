//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The forms of a GeneralName (RFC 5280 §4.2.1.6), numbered by their context tags.
///
/// A subject alternative name and a name constraint hold names of these forms. Only some forms name a server: see
/// ``ServerIdentity``.
public enum GeneralNameForm: UInt8, Sendable, Hashable, CaseIterable {
    /// A name in a format that an object identifier names.
    case otherName = 0
    /// An electronic mail address.
    case rfc822Name = 1
    /// A host name.
    case dNSName = 2
    /// An X.400 address.
    case x400Address = 3
    /// A distinguished name.
    case directoryName = 4
    /// An EDI party.
    case ediPartyName = 5
    /// A URI.
    case uniformResourceIdentifier = 6
    /// An IP address of 4 or 16 octets. In a name constraint, a mask of the same size follows.
    case iPAddress = 7
    /// An object identifier as a name.
    case registeredID = 8
}

/// One GeneralName inside a buffer.
struct GeneralName: Sendable {
    let form: GeneralNameForm
    /// The characters, address or identifier. For a directory name, the content of its RDNSequence.
    let content: ByteRange
}

extension DERReader {
    /// Reads one GeneralName. Accepts the constructed and primitive forms that Apple's parser accepts
    /// (SecCertificate.c, `SecCertificateParseGeneralNameContentProperty`), including the old constructed URIs.
    mutating func generalName(in bytes: Span<UInt8>) throws(DERError) -> GeneralName {
        let element = try self.next(in: bytes)
        let offset = element.whole.lowerBound
        switch element.tag.octet {
        case 0xA0: return GeneralName(form: .otherName, content: element.content)
        case 0x81: return GeneralName(form: .rfc822Name, content: element.content)
        case 0x82: return GeneralName(form: .dNSName, content: element.content)
        case 0xA3: return GeneralName(form: .x400Address, content: element.content)
        case 0xA4: return GeneralName(form: .directoryName, content: try Self.directoryName(element, in: bytes))
        case 0xA5: return GeneralName(form: .ediPartyName, content: element.content)
        case 0x86: return GeneralName(form: .uniformResourceIdentifier, content: element.content)
        case 0xA6:
            var inner = DERReader(element.content, in: bytes)
            let characters = try inner.next(.ia5String, in: bytes)
            try inner.finish()
            return GeneralName(form: .uniformResourceIdentifier, content: characters.content)
        case 0x87: return GeneralName(form: .iPAddress, content: element.content)
        case 0x88: return GeneralName(form: .registeredID, content: element.content)
        default: throw DERError(.invalidGeneralName, at: offset)
        }
    }

    /// Reads a directory name. A Name is a CHOICE, so its IMPLICIT tag is explicit (X.680 §31.2.7).
    private static func directoryName(_ element: DERElement, in bytes: Span<UInt8>) throws(DERError) -> ByteRange {
        var inner = DERReader(element.content, in: bytes)
        let name = try inner.next(.sequence, in: bytes)
        try inner.finish()
        try DistinguishedName.check(name.content, in: bytes)
        return name.content
    }

    /// Checks GeneralNames up to the end of a range: `SEQUENCE SIZE (1..MAX) OF GeneralName` without its header.
    static func checkGeneralNames(_ content: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        guard !content.isEmpty else { throw DERError(.emptyCollection, at: content.lowerBound) }
        var reader = DERReader(content, in: bytes)
        while !reader.isAtEnd {
            _ = try reader.generalName(in: bytes)
        }
    }
}
