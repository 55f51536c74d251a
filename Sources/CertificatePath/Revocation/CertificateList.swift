//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A parsed certificate revocation list (RFC 5280 §5): its DER bytes and where everything in them lies.
public final class CertificateList: Sendable {
    /// The DER encoding.
    public let bytes: [UInt8]
    let fields: CertificateListFields

    /// Parses a revocation list.
    ///
    /// - Parameter der: The DER encoding of one list, at most 64 MiB, with nothing after it.
    /// - Throws: ``DERError`` naming the broken rule and the byte offset.
    public init(der: [UInt8]) throws(DERError) {
        self.fields = try CertificateListFields(parsing: der.span)
        self.bytes = der
    }

    /// When the list was issued.
    public var thisUpdate: Timestamp { self.fields.thisUpdate }
    /// When the next one is due; `nil` when the issuer does not say, which RFC 5280 forbids.
    public var nextUpdate: Timestamp? { self.fields.nextUpdate }
    /// Whether the list only says what changed since another one.
    public var isDelta: Bool { self.fields.baseNumber != nil }
    /// The issuer as text.
    public var issuerDescription: String {
        let bytes = self.bytes
        return DistinguishedName.text(self.fields.issuer, in: bytes.span)
    }
}

extension CertificateList: Hashable {
    /// Whether both have the same bytes.
    public static func == (left: CertificateList, right: CertificateList) -> Bool {
        left === right || left.bytes == right.bytes
    }

    /// Feeds the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.bytes) }
}

/// The fields of a revocation list as offsets into its bytes.
struct CertificateListFields: Sendable {
    /// The largest lists in use have some ten megabytes.
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
    /// The content of `revokedCertificates`; empty when there are none.
    let revoked: ByteRange
    private(set) var authorityKeyIdentifier = ByteRange.empty
    /// The list's number, and for a delta list the number of the list it starts from, as INTEGER contents.
    private(set) var number: ByteRange?
    private(set) var numberIsCritical = false
    private(set) var baseNumber: ByteRange?
    /// The content of the issuing distribution point.
    private(set) var issuingDistributionPoint: ByteRange?
    private(set) var scope = CertificateListScope()
    /// Whether there is a critical extension that is not known: the list then clears nothing (RFC 5280 §5.2).
    private(set) var hasUnknownCriticalExtension = false
    /// Whether the extensions could not all be read: the list clears nothing then either.
    private(set) var hasUnreadableExtension = false

    /// Whether the list says nothing that can be true: an issuing distribution point without a field (RFC 5280 §5.2.5), or
    /// an end before the beginning.
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
            // Not thrown: what a list revokes is worth knowing whatever is wrong with its extensions.
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

/// What an issuing distribution point limits a list to (RFC 5280 §5.2.5).
struct CertificateListScope: Sendable {
    /// The content of the distribution point name; `nil` without one.
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
