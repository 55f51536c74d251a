//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A parsed certificate revocation list (RFC 5280 §5): its DER bytes and the offsets of its fields.
///
/// Parse the bytes of a downloaded list and add it to ``RevocationPolicy/lists``. Parsing verifies no signature. The
/// evaluation does that with the key of the issuer.
public final class CertificateList: Sendable {
    /// The DER encoding.
    public let bytes: [UInt8]
    let fields: CertificateListFields

    /// Parses a revocation list.
    ///
    /// - Parameter der: The DER encoding of one list, at most 64 MiB, without trailing bytes.
    /// - Throws: ``DERError`` with the broken rule and the byte offset.
    public init(der: [UInt8]) throws(DERError) {
        self.fields = try CertificateListFields(parsing: der.span)
        self.bytes = der
    }

    /// The time of issue.
    public var thisUpdate: Timestamp { self.fields.thisUpdate }
    /// The time at which the next list is due, or `nil` if the list has none, which RFC 5280 forbids.
    public var nextUpdate: Timestamp? { self.fields.nextUpdate }
    /// `true` if the list only has the changes since another one.
    public var isDelta: Bool { self.fields.baseNumber != nil }
    /// The issuer's name as text.
    public var issuerDescription: String {
        let bytes = self.bytes
        return DistinguishedName.text(self.fields.issuer, in: bytes.span)
    }
}

extension CertificateList: Hashable {
    /// Returns `true` if both lists have the same bytes.
    public static func == (left: CertificateList, right: CertificateList) -> Bool {
        left === right || left.bytes == right.bytes
    }

    /// Feeds the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.bytes) }
}

/// The fields of a revocation list as offsets into its bytes.
struct CertificateListFields: Sendable {
    /// The limit in bytes. The largest lists in use have about ten megabytes.
    private static let maximumSize = 64 << 20

    let tbsCertList: ByteRange
    let signatureAlgorithm: SignatureAlgorithm
    let signatureAlgorithmsAgree: Bool
    let signature: ByteRange
    let version: UInt8
    let issuer: ByteRange
    let issuerHash: UInt64
    let thisUpdate: Timestamp
    let nextUpdate: Timestamp?
    /// The content of `revokedCertificates`, or empty if the field is absent.
    let revoked: ByteRange
    private(set) var authorityKeyIdentifier = ByteRange.empty
    /// The number of the list, as the content of an INTEGER. ``baseNumber`` is the number of the list that a delta list updates.
    private(set) var number: ByteRange?
    private(set) var numberIsCritical = false
    private(set) var baseNumber: ByteRange?
    /// The content of the issuing distribution point.
    private(set) var issuingDistributionPoint: ByteRange?
    private(set) var scope = CertificateListScope()
    /// `true` if a critical extension is unknown. The list then clears no certificate (RFC 5280 §5.2).
    private(set) var hasUnknownCriticalExtension = false
    /// `true` if an extension is malformed. The list then clears no certificate either.
    private(set) var hasUnreadableExtension = false

    /// `true` if the list contradicts itself: its issuing distribution point is empty (RFC 5280 §5.2.5), or it ends
    /// before it begins.
    var contradictsItself: Bool {
        (self.issuingDistributionPoint?.isEmpty ?? false) || self.nextUpdate.map { $0 < self.thisUpdate } ?? false
    }

    init(parsing bytes: Span<UInt8>) throws(DERError) {
        guard !bytes.isEmpty else { throw DERError(.empty, at: 0) }
        guard bytes.count <= Self.maximumSize else { throw DERError(.tooLarge, at: Self.maximumSize) }
        var list = try DERReader.sole(.sequence, of: ByteRange(0, bytes.count), in: bytes)
        let tbs = try list.next(.sequence, in: bytes)
        let outerAlgorithm = try list.next(.sequence, in: bytes)
        let (signature, unused) = try list.bitString(in: bytes)
        try list.finish()
        guard unused == 0 else { throw DERError(.invalidBitString, at: signature.lowerBound) }
        self.tbsCertList = tbs.whole
        self.signature = signature
        self.signatureAlgorithm = try SignatureAlgorithm(outerAlgorithm.content, in: bytes)

        var reader = DERReader(tbs.content, in: bytes)
        self.version = try Self.version(&reader, in: bytes)
        let innerAlgorithm = try reader.next(.sequence, in: bytes)
        self.signatureAlgorithmsAgree = try CertificateFields.agree(innerAlgorithm, outerAlgorithm, in: bytes)
        self.issuer = try reader.next(.sequence, in: bytes).content
        self.issuerHash = try DistinguishedName.check(self.issuer, in: bytes)
        self.thisUpdate = try reader.time(in: bytes)
        let tag = reader.peekTag(in: bytes)
        self.nextUpdate = tag == .utcTime || tag == .generalizedTime ? try reader.time(in: bytes) : nil
        self.revoked = try reader.optional(.sequence, in: bytes)?.content ?? .empty
        if let field = try reader.optional(.constructed(0), in: bytes) {
            // No error is thrown, because the entries of the list still revoke certificates if its extensions are malformed.
            do { try self.readExtensions(field.content, in: bytes) } catch { self.hasUnreadableExtension = true }
        }
        try reader.finish()
    }

    private static func version(_ reader: inout DERReader, in bytes: Span<UInt8>) throws(DERError) -> UInt8 {
        guard reader.peekTag(in: bytes) == .integer else { return 1 }
        let offset = reader.position
        guard try reader.unsigned32(in: bytes) == 1 else { throw DERError(.invalidVersion, at: offset) }
        return 2
    }

    private mutating func readExtensions(_ content: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        guard self.version == 2 else { throw DERError(.extensionsBeforeVersion3, at: content.lowerBound) }
        var list = try DERReader.sole(.sequence, of: content, in: bytes)
        var seen: [PackedOID] = []
        while !list.isAtEnd {
            let item = try ExtensionItem(&list, in: bytes)
            let identifier = PackedOID(item.identifier, in: bytes)
            guard !seen.contains(identifier), seen.count < 64 else {
                throw DERError(.tooManyElements, at: item.identifier.lowerBound)
            }
            seen.append(identifier)
            try self.read(identifier, item, in: bytes)
        }
    }

    private mutating func read(
        _ identifier: PackedOID, _ item: ExtensionItem, in bytes: Span<UInt8>
    ) throws(DERError) {
        var value = DERReader(item.value, in: bytes)
        switch identifier {
        case Self.authorityKeyIdentifierType:
            var sequence = try value.nested(.sequence, in: bytes)
            if let key = try sequence.optional(.primitive(0), in: bytes) { self.authorityKeyIdentifier = key.content }
        case Self.numberType:
            self.number = try value.integer(in: bytes)
            self.numberIsCritical = item.isCritical
        case Self.deltaIndicatorType: self.baseNumber = try value.integer(in: bytes)
        case Self.issuingDistributionPointType:
            let content = try value.next(.sequence, in: bytes).content
            self.issuingDistributionPoint = content
            self.scope = try CertificateListScope(content, in: bytes)
        default:
            if item.isCritical { self.hasUnknownCriticalExtension = true }
            return
        }
        try value.finish()
    }

    private static let authorityKeyIdentifierType = PackedOID([0x55, 0x1D, 35])
    private static let numberType = PackedOID([0x55, 0x1D, 20])
    private static let deltaIndicatorType = PackedOID([0x55, 0x1D, 27])
    private static let issuingDistributionPointType = PackedOID([0x55, 0x1D, 28])
}

/// The limits of an issuing distribution point (RFC 5280 §5.2.5).
struct CertificateListScope: Sendable {
    /// The content of the distribution point name, or `nil` if it is absent.
    private(set) var name: ByteRange?
    private(set) var onlyUserCertificates = false
    private(set) var onlyAuthorityCertificates = false
    private(set) var onlyAttributeCertificates = false
    private(set) var isIndirect = false
    private(set) var onlySomeReasons: ReasonFlags?

    init() {}

    init(_ content: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = DERReader(content, in: bytes)
        self.name = try reader.optional(.constructed(0), in: bytes)?.content
        self.onlyUserCertificates = try Self.flag(1, &reader, in: bytes)
        self.onlyAuthorityCertificates = try Self.flag(2, &reader, in: bytes)
        if let reasons = try reader.optional(.primitive(3), in: bytes) {
            self.onlySomeReasons = try ReasonFlags(reasons.content, in: bytes)
        }
        self.isIndirect = try Self.flag(4, &reader, in: bytes)
        self.onlyAttributeCertificates = try Self.flag(5, &reader, in: bytes)
        try reader.finish()
    }

    private static func flag(_ number: UInt8, _ reader: inout DERReader, in bytes: Span<UInt8>) throws(DERError) -> Bool
    {
        guard let element = try reader.optional(.primitive(number), in: bytes) else { return false }
        guard element.content.count == 1 else { throw DERError(.invalidBoolean, at: element.whole.lowerBound) }
        return bytes[element.content.lowerBound] != 0
    }
}
