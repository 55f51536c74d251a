//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A distribution point of a certificate or a list: `DistributionPointName`, `reasons` and `cRLIssuer` of RFC 5280
/// §4.2.1.13 and §5.2.5, as ranges of a buffer.
struct DistributionPoint {
    /// The content of `fullName`, which is GeneralNames.
    var fullName: ByteRange?
    /// The content of `nameRelativeToCRLIssuer`, which is attributes to append to a name.
    var relativeName: ByteRange?
    var reasons: ReasonFlags?
    /// The content of `cRLIssuer`, which is GeneralNames.
    var issuer: ByteRange?

    var hasName: Bool { self.fullName != nil || self.relativeName != nil }

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
    /// One of the names of a distribution point.
    struct Name {
        let form: GeneralNameForm
        let bytes: [UInt8]
        let content: ByteRange

        /// The name of a directory name, without its hash.
        var source: NameSource { NameSource(bytes: self.bytes, range: self.content, hash: 0) }
    }

    /// Returns the first names of the point. A relative name is appended to the issuer's name.
    func names(
        in bytes: [UInt8], relativeTo issuer: (bytes: [UInt8], name: ByteRange), upTo limit: Int
    ) -> [Name] {
        if let fullName { return Self.generalNames(fullName, in: bytes, upTo: limit) }
        guard let relativeName else { return [] }
        // An RDN is a SET. The full name is the issuer's relative names followed by this one.
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
