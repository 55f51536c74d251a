//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where revocation lists for a certificate come from, or what a list is for: `DistributionPointName`, `reasons` and
/// `cRLIssuer` of RFC 5280 §4.2.1.13 and §5.2.5, as ranges of a buffer.
struct DistributionPoint {
    /// The content of `fullName`: GeneralNames.
    var fullName: ByteRange?
    /// The content of `nameRelativeToCRLIssuer`: attributes to be added to a name.
    var relativeName: ByteRange?
    var reasons: ReasonFlags?
    /// The content of `cRLIssuer`: GeneralNames.
    var issuer: ByteRange?

    var hasName: Bool { self.fullName != nil || self.relativeName != nil }

    /// Reads one DistributionPoint of a certificate.
    init(_ reader: inout DERReader, in bytes: Span<UInt8>) throws(DERError) {
        var point = try reader.nested(.sequence, in: bytes)
        if let name = try point.optional(.constructed(0), in: bytes) { try self.readName(name.content, in: bytes) }
        if let reasons = try point.optional(.primitive(1), in: bytes) {
            self.reasons = try ReasonFlags(reasons.content, in: bytes)
        }
        self.issuer = try point.optional(.constructed(2), in: bytes)?.content
        try point.finish()
    }

    init() {}

    mutating func readName(_ content: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var name = DERReader(content, in: bytes)
        if let full = try name.optional(.constructed(0), in: bytes) {
            try DERReader.checkGeneralNames(full.content, in: bytes)
            self.fullName = full.content
        } else {
            self.relativeName = try name.next(.constructed(1), in: bytes).content
        }
        try name.finish()
    }
}

extension DistributionPoint {
    /// One of the names a distribution point goes by.
    struct Name {
        let form: GeneralNameForm
        let bytes: [UInt8]
        let content: ByteRange

        /// The name of a directory name, without its hash.
        var source: NameSource { NameSource(bytes: self.bytes, range: self.content, hash: 0) }
    }

    /// The first names of the point; a relative one is completed with the issuer it is relative to.
    func names(
        in bytes: [UInt8], relativeTo issuer: (bytes: [UInt8], name: ByteRange), upTo limit: Int
    ) -> [Name] {
        if let fullName { return Self.generalNames(fullName, in: bytes, upTo: limit) }
        guard let relativeName else { return [] }
        // An RDN is a SET; the name is the issuer's relative names and this one.
        let set = DERWriter.element(.set, bytes[relativeName])
        let name = issuer.bytes[issuer.name] + set
        return [Name(form: .directoryName, bytes: name, content: ByteRange(0, name.count))]
    }

    static func generalNames(_ content: ByteRange, in bytes: [UInt8], upTo limit: Int = .max) -> [Name] {
        var reader = DERReader(content, in: bytes.span)
        var names: [Name] = []
        while !reader.isAtEnd, names.count < limit, let name = try? reader.generalName(in: bytes.span) {
            names.append(Name(form: name.form, bytes: bytes, content: name.content))
        }
        return names
    }
}

/// The little of DER that has to be written.
enum DERWriter {
    /// An element of a tag with a content, its length in the fewest octets.
    static func element(_ tag: DERTag, _ content: [UInt8]) -> [UInt8] {
        var element: [UInt8] = []
        element.reserveCapacity(Self.size(ofContent: content.count))
        Self.begin(tag, contentSize: content.count, in: &element)
        element += content
        return element
    }

    /// The tag and the length of an element whose content follows.
    static func begin(_ tag: DERTag, contentSize: Int, in octets: inout [UInt8]) {
        octets.append(tag.octet)
        let count = Self.lengthSize(contentSize)
        if count > 0 { octets.append(0x80 | UInt8(truncatingIfNeeded: count)) }
        for index in stride(from: max(count, 1) - 1, through: 0, by: -1) {
            octets.append(UInt8(truncatingIfNeeded: contentSize >> (8 * index)))
        }
    }

    /// The number of octets of an element.
    static func size(ofContent size: Int) -> Int { 2 + Self.lengthSize(size) + size }

    /// How many octets a length takes behind the one that counts them: none below 128.
    private static func lengthSize(_ size: Int) -> Int {
        size < 0x80 ? 0 : (Int.bitWidth - size.leadingZeroBitCount + 7) / 8
    }
}
