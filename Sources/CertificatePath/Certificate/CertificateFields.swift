//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The fields of a certificate as offsets into its bytes, and a few decoded values.
///
/// Parsing allocates and copies nothing. Accepted fields are well-formed, so later readers of the same ranges need not
/// check them again. The fields and their order are those of RFC 5280 §4.1.
struct CertificateFields: Sendable {
    /// The limit in octets: twice the largest certificate of Apple's own tests (2.2 MB), far above any certificate in
    /// use, and quick to parse.
    static let maximumSize = 4 << 20
    private static let maximumExtensions = 256
    /// The limit in octets. RFC 5280 §4.1.2.2 allows 20. Apple reads up to 37 (SecCertificate.c) and leaves the
    /// verdict to policies.
    private static let maximumSerialNumber = 37

    let tbsCertificate: ByteRange
    let version: UInt8
    let serialNumber: ByteRange
    let issuer: ByteRange
    let notBefore: Timestamp
    let notAfter: Timestamp
    /// `true` if a date has a form that Apple reads and RFC 5280 §4.1.2.5 forbids.
    let hasLenientDates: Bool
    let subject: ByteRange
    /// The hash of the issuer's name, by ``DistinguishedName/check(_:in:)``. Zero for a malformed name.
    let issuerHash: UInt64
    let subjectHash: UInt64
    /// `true` if a version 1 certificate has unique identifiers, which came with version 2 (RFC 5280 §4.1.2.8).
    let hasMisplacedIdentifiers: Bool
    let subjectPublicKeyInfo: SubjectPublicKeyInfo
    let extensions: ExtensionTable
    /// The extensions with their headers.
    let extensionList: ByteRange
    let signatureAlgorithm: SignatureAlgorithm
    /// `true` if the signed and the unsigned AlgorithmIdentifier name the same algorithm, in Apple's comparison.
    let signatureAlgorithmsAgree: Bool
    /// `true` if the two AlgorithmIdentifiers are identical (RFC 5280 §4.1.1.2).
    let signatureAlgorithmsAreIdentical: Bool
    /// `true` if the unsigned AlgorithmIdentifier has parameters.
    let hasSignatureParameters: Bool
    let signature: ByteRange
    let hasMalformedName: Bool
    let isSelfIssued: Bool

    init(parsing bytes: Span<UInt8>) throws(DERError) {
        guard !bytes.isEmpty else { throw DERError(.empty, at: 0) }
        guard bytes.count <= Self.maximumSize else { throw DERError(.tooLarge, at: Self.maximumSize) }
        var certificate = try DERReader.sole(.sequence, of: ByteRange(0, bytes.count), in: bytes)
        let tbs = try certificate.next(.sequence, in: bytes)
        let outerAlgorithm = try certificate.next(.sequence, in: bytes)
        let (signature, unused) = try certificate.bitString(in: bytes)
        try certificate.finish()
        guard unused == 0 else { throw DERError(.invalidBitString, at: signature.lowerBound) }
        self.tbsCertificate = tbs.whole
        self.signature = signature
        self.signatureAlgorithm = try SignatureAlgorithm(outerAlgorithm.content, in: bytes)

        var reader = DERReader(tbs.content, in: bytes)
        self.version = try Self.version(&reader, in: bytes)
        self.serialNumber = try Self.serialNumber(&reader, in: bytes)
        let innerAlgorithm = try reader.next(.sequence, in: bytes)
        self.signatureAlgorithmsAreIdentical = equalBytes(
            innerAlgorithm.content, in: bytes, outerAlgorithm.content, in: bytes)
        self.signatureAlgorithmsAgree =
            self.signatureAlgorithmsAreIdentical ? true : try Self.agree(innerAlgorithm, outerAlgorithm, in: bytes)
        self.hasSignatureParameters = try Self.hasParameters(outerAlgorithm, in: bytes)
        self.issuer = try reader.next(.sequence, in: bytes).content
        var validity = try reader.nested(.sequence, in: bytes)
        let (notBefore, notAfter) = (try validity.appleTime(in: bytes), try validity.appleTime(in: bytes))
        self.notBefore = notBefore.time
        self.notAfter = notAfter.time
        self.hasLenientDates = notBefore.isLenient || notAfter.isLenient
        try validity.finish()
        self.subject = try reader.next(.sequence, in: bytes).content
        let (issuerHash, subjectHash) = (Self.hash(ofName: self.issuer, bytes), Self.hash(ofName: self.subject, bytes))
        self.hasMalformedName = issuerHash == nil || subjectHash == nil
        self.issuerHash = issuerHash ?? 0
        self.subjectHash = subjectHash ?? 0
        self.isSelfIssued =
            self.issuerHash == self.subjectHash
            && DistinguishedName.areEqual(self.issuer, in: bytes, self.subject, in: bytes)
        self.subjectPublicKeyInfo = try SubjectPublicKeyInfo(&reader, in: bytes)
        let issuerIdentifier = try reader.optional(.primitive(1), in: bytes)
        let subjectIdentifier = try reader.optional(.primitive(2), in: bytes)
        self.hasMisplacedIdentifiers = self.version == 1 && (issuerIdentifier != nil || subjectIdentifier != nil)
        (self.extensionList, self.extensions) = try Self.extensions(&reader, version: self.version, in: bytes)
        try reader.finish()
    }

    private static func version(_ reader: inout DERReader, in bytes: Span<UInt8>) throws(DERError) -> UInt8 {
        // Nearly every certificate has version 3, which has one encoding.
        if reader.end &- reader.position >= 5, bytes.word(at: reader.position) &>> 24 == 0xA0_0302_0102 {
            reader = DERReader(ByteRange(reader.position &+ 5, reader.end), in: bytes)
            return 3
        }
        guard let field = try reader.optional(.constructed(0), in: bytes) else { return 1 }
        var inner = DERReader(field.content, in: bytes)
        let value = try inner.unsigned32(in: bytes)
        try inner.finish()
        // Version 1 is the DEFAULT and must not be written (X.690 §11.5). There is no version 4.
        guard value == 1 || value == 2 else { throw DERError(.invalidVersion, at: field.whole.lowerBound) }
        return UInt8(truncatingIfNeeded: value &+ 1)
    }

    private static func serialNumber(_ reader: inout DERReader, in bytes: Span<UInt8>) throws(DERError) -> ByteRange {
        let serial = try reader.integer(in: bytes)
        guard serial.count <= Self.maximumSerialNumber else {
            throw DERError(.invalidSerialNumber, at: serial.lowerBound)
        }
        return serial
    }

    /// Returns `true` if both are the same algorithm. NULL and absent RSA parameters are equal. PSS with other
    /// parameters is another algorithm.
    static func agree(
        _ inner: DERElement, _ outer: DERElement, in bytes: Span<UInt8>
    ) throws(DERError) -> Bool {
        if equalBytes(inner.content, in: bytes, outer.content, in: bytes) { return true }
        var innerReader = DERReader(inner.content, in: bytes)
        var outerReader = DERReader(outer.content, in: bytes)
        let innerIdentifier = try innerReader.objectIdentifier(in: bytes)
        let outerIdentifier = try outerReader.objectIdentifier(in: bytes)
        let innerAlgorithm = try SignatureAlgorithm(inner.content, in: bytes)
        let outerAlgorithm = try SignatureAlgorithm(outer.content, in: bytes)
        return equalBytes(innerIdentifier, in: bytes, outerIdentifier, in: bytes) && innerAlgorithm == outerAlgorithm
    }

    private static func hasParameters(_ algorithm: DERElement, in bytes: Span<UInt8>) throws(DERError) -> Bool {
        var reader = DERReader(algorithm.content, in: bytes)
        _ = try reader.next(in: bytes)
        return !reader.isAtEnd
    }

    /// Returns the hash of a name, or `nil` if it is malformed. Such a certificate can be shown, but every policy rejects it.
    private static func hash(ofName range: ByteRange, _ bytes: Span<UInt8>) -> UInt64? {
        do {
            return try DistinguishedName.check(range, in: bytes)
        } catch {
            return nil
        }
    }

    private static func extensions(
        _ reader: inout DERReader, version: UInt8, in bytes: Span<UInt8>
    ) throws(DERError) -> (ByteRange, ExtensionTable) {
        var table = ExtensionTable()
        guard let field = try reader.optional(.constructed(3), in: bytes) else { return (.empty, table) }
        guard version == 3 else { throw DERError(.extensionsBeforeVersion3, at: field.whole.lowerBound) }
        var list = try DERReader.sole(.sequence, of: field.content, in: bytes)
        let range = ByteRange(list.position, list.end)
        guard !list.isAtEnd else { throw DERError(.emptyCollection, at: list.position) }
        var count = 0
        var unknownMarks: UInt64 = 0
        var mayHaveDuplicates = false
        while !list.isAtEnd {
            count &+= 1
            guard count <= Self.maximumExtensions else { throw DERError(.tooManyElements, at: list.position) }
            let item = try ExtensionItem(&list, in: bytes)
            try table.add(item, in: bytes)
            guard item.kind == nil else { continue }
            // Known extensions have a presence bit. Unknown ones share 64 bits. The identifiers are compared only if
            // two extensions share a bit.
            let mark =
                1 as UInt64 &<< UInt64(bytes[item.identifier.upperBound &- 1] &+ bytes[item.identifier.lowerBound])
            mayHaveDuplicates = mayHaveDuplicates || unknownMarks & mark != 0
            unknownMarks |= mark
        }
        if mayHaveDuplicates, table.duplicate.isEmpty { try Self.findDuplicate(in: range, &table, bytes) }
        return (range, table)
    }

    /// Finds a duplicate in one pass, so extensions with similar identifiers cost no more than others.
    private static func findDuplicate(
        in list: ByteRange, _ table: inout ExtensionTable, _ bytes: Span<UInt8>
    ) throws(DERError) {
        var reader = DERReader(list, in: bytes)
        var seen: Set<PackedOID> = []
        var seenLong: Set<[UInt8]> = []
        seen.reserveCapacity(Self.maximumExtensions)
        while !reader.isAtEnd {
            let identifier = try ExtensionItem(&reader, in: bytes).identifier
            let isNew =
                if identifier.count <= PackedOID.maximumCount {
                    seen.insert(PackedOID(identifier, in: bytes)).inserted
                } else {
                    seenLong.insert((identifier.lowerBound..<identifier.upperBound).map { bytes[$0] }).inserted
                }
            guard isNew else {
                table.duplicate = identifier
                return
            }
        }
    }
}

/// `Extension ::= SEQUENCE { extnID, critical DEFAULT FALSE, extnValue }` (RFC 5280 §4.1).
struct ExtensionItem {
    let identifier: ByteRange
    let kind: ExtensionKind?
    let isCritical: Bool
    /// The content of the OCTET STRING.
    let value: ByteRange

    @inline(__always)
    init(_ reader: inout DERReader, in bytes: Span<UInt8>) throws(DERError) {
        if let usual = ExtensionItem(usual: &reader, in: bytes) {
            self = usual
            return
        }
        var content = try reader.nested(.sequence, in: bytes)
        (self.identifier, self.kind) = try content.extensionIdentifier(in: bytes)
        self.isCritical = try content.booleanDefaultFalse(in: bytes)
        self.value = try content.next(.octetString, in: bytes).content
        try content.finish()
    }

    /// Reads the form of nearly all extensions at once: `30 nn 06 03 55 1D nn 04 nn`, or with `01 01 FF` before the
    /// `04`. For any other form, returns `nil` without moving the reader.
    @inline(__always)
    private init?(usual reader: inout DERReader, in bytes: Span<UInt8>) {
        let (start, end) = (reader.position, reader.end)
        let head = bytes.extracting(droppingFirst: start)
        guard head.count >= 12, head[0] == 0x30, head[1] < 0x80, head[2] == 0x06, head[3] == 0x03, head[4] == 0x55,
            head[5] == 0x1D, head[6] < 0x80
        else { return nil }
        self.isCritical = head[7] == 0x01
        let (tag, length) = self.isCritical ? (head[10], head[11]) : (head[7], head[8])
        guard tag == 0x04, length < 0x80, !self.isCritical || (head[8] == 0x01 && head[9] == 0xFF) else { return nil }
        let valueStart = start &+ (self.isCritical ? 12 : 9)
        let valueEnd = valueStart &+ Int(length)
        guard valueEnd == start &+ 2 &+ Int(head[1]), valueEnd <= end else { return nil }
        self.kind = .standard(arc: head[6])
        self.identifier = ByteRange(start &+ 4, start &+ 7)
        self.value = ByteRange(valueStart, valueEnd)
        reader = DERReader(ByteRange(valueEnd, end), in: bytes)
    }
}

extension ExtensionTable {
    fileprivate mutating func add(_ item: ExtensionItem, in bytes: Span<UInt8>) throws(DERError) {
        guard let kind = item.kind else {
            guard item.isCritical else { return }
            if VendorExtension.isKnown(item.identifier, in: bytes) {
                if self.vendorCritical.isEmpty { self.vendorCritical = item.identifier }
            } else if self.unknownCritical.isEmpty {
                self.unknownCritical = item.identifier
            }
            return
        }
        guard !self.has(kind) else {
            if self.duplicate.isEmpty { self.duplicate = item.identifier }
            return
        }
        self.record(kind, critical: item.isCritical)
        do {
            try self.read(kind, item.value, in: bytes)
        } catch {
            if item.isCritical { throw DERError(.malformedCriticalExtension, at: error.offset) }
            self.recordMalformed(kind)
        }
    }
}
