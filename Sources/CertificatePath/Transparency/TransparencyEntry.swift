//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// The entry that a log signs for a certificate: the certificate itself, or the precertificate without the timestamps
/// (RFC 6962 §3.2).
struct TransparencyEntry {
    /// The type of the entry, followed by the entry.
    let octets: [UInt8]

    /// The largest entry that CertificateTransparency.m accepts, in octets.
    private static let maximumSize = 1_048_574

    /// Creates the entry of a certificate, for timestamps from the handshake and from OCSP responses.
    init?(certificate: CertificateView) {
        guard var octets = Self.beginning(type: 0, contentSize: certificate.bytes.count) else { return nil }
        octets += certificate.bytes
        self.octets = octets
    }

    /// Creates the entry of a precertificate, for timestamps in the certificate.
    init?(precertificateOf certificate: CertificateView, issuerKey: PublicKeySource) {
        self.init(PrecertificateBody(certificate), of: certificate, issuerKey: issuerKey)
    }

    /// Creates the entry of a precertificate from its body.
    ///
    /// - Parameter body: The body of the certificate, or `nil` if it has none that logs sign.
    init?(_ body: PrecertificateBody?, of certificate: CertificateView, issuerKey: PublicKeySource) {
        let key = issuerKey.bytes.slice(issuerKey.info.whole)
        guard let body,
            var octets = Self.beginning(type: 1, SHA256.hash(data: key), contentSize: body.size)
        else { return nil }
        body.write(to: &octets, from: certificate.bytes)
        self.octets = octets
    }

    /// Returns the octets before the content. The length of the content takes three octets.
    private static func beginning(type: UInt8, _ issuerKeyDigest: SHA256.Digest? = nil, contentSize: Int) -> [UInt8]? {
        guard contentSize > 0, contentSize <= Self.maximumSize else { return nil }
        var octets: [UInt8] = [0, type]
        octets.reserveCapacity(contentSize + 2 + SHA256.byteCount + 3)
        if let issuerKeyDigest { octets += issuerKeyDigest }
        for shift in [16, 8, 0] { octets.append(UInt8(truncatingIfNeeded: contentSize >> shift)) }
        return octets
    }
}

/// The TBSCertificate that a log signed: the certificate's own octets without the extension with the timestamps, and
/// with the three lengths around it adjusted (SecCertificate.c `SecCertificateCopyPrecertTBS`). A poison extension
/// stays.
struct PrecertificateBody {
    /// The identifier 1.3.6.1.4.1.11129.2.4.2.
    @inline(__always)
    private static var timestamps: PackedOID { PackedOID(high: 0x0A00_0000_0000_2B06, low: 0x0104_01D6_7902_0402) }

    /// The fields before the extensions.
    private let fields: ByteRange
    /// The remaining extensions in their order. Adjacent ones are one range.
    private let kept: [ByteRange]
    private let keptSize: Int
    /// The content of the first extension with timestamps.
    private let value: ByteRange

    /// Creates the body. `nil` if the certificate has no such extension.
    init?(_ certificate: CertificateView) {
        let (octets, list) = (certificate.bytes, certificate.fields.extensionList)
        let bytes = octets.span
        var (kept, start, value) = ([ByteRange](), list.lowerBound, ByteRange?.none)
        var reader = DERReader(list, in: bytes)
        while !reader.isAtEnd {
            let position = reader.position
            guard let item = try? ExtensionItem(&reader, in: bytes) else { return nil }
            guard item.kind == nil, PackedOID(item.identifier, in: bytes) == Self.timestamps else { continue }
            if start < position { kept.append(ByteRange(start, position)) }
            (start, value) = (reader.position, value ?? item.value)
        }
        guard let value, let fields = Self.fields(of: certificate) else { return nil }
        if start < list.upperBound { kept.append(ByteRange(start, list.upperBound)) }
        self.fields = fields
        self.kept = kept
        self.value = value
        self.keptSize = kept.reduce(0) { $0 + $1.count }
    }

    /// Returns the body's fields without the extensions, `[3]`, which must be the last field.
    private static func fields(of certificate: CertificateView) -> ByteRange? {
        let octets = certificate.bytes
        let bytes = octets.span
        guard var reader = try? DERReader.sole(.sequence, of: certificate.fields.tbsCertificate, in: bytes) else {
            return nil
        }
        let start = reader.position
        var last: DERElement?
        while !reader.isAtEnd {
            guard let element = try? reader.next(in: bytes) else { return nil }
            last = element
        }
        guard let last, last.tag == .constructed(3) else { return nil }
        return ByteRange(start, last.whole.lowerBound)
    }

    // MARK: Octets

    /// Returns the octets of the body, or `nil` if the certificate has no timestamps.
    static func octets(of certificate: CertificateView) -> [UInt8]? {
        guard let body = PrecertificateBody(certificate) else { return nil }
        var octets: [UInt8] = []
        body.write(to: &octets, from: certificate.bytes)
        return octets
    }

    private var listSize: Int { DERWriter.size(ofContent: self.keptSize) }
    private var contentSize: Int { self.fields.count + DERWriter.size(ofContent: self.listSize) }
    var size: Int { DERWriter.size(ofContent: self.contentSize) }

    func write(to octets: inout [UInt8], from bytes: [UInt8]) {
        octets.reserveCapacity(octets.count + self.size)
        DERWriter.begin(.sequence, contentSize: self.contentSize, in: &octets)
        octets += bytes.slice(self.fields)
        DERWriter.begin(.constructed(3), contentSize: self.listSize, in: &octets)
        DERWriter.begin(.sequence, contentSize: self.keptSize, in: &octets)
        for range in self.kept { octets += bytes.slice(range) }
    }

    // MARK: Timestamps

    /// Returns the list in the first extension with timestamps. It is an OCTET STRING in the extension's own one (RFC 6962 §3.3).
    static func timestampList(of certificate: CertificateView) -> ArraySlice<UInt8>? {
        PrecertificateBody(certificate)?.timestampList(in: certificate.bytes)
    }

    func timestampList(in bytes: [UInt8]) -> ArraySlice<UInt8>? { Self.octetString(self.value, in: bytes) }

    /// Returns the content of the only OCTET STRING in a range.
    static func octetString(_ range: ByteRange, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var value = DERReader(range, in: bytes.span)
        guard let list = try? value.next(.octetString, in: bytes.span), value.isAtEnd else { return nil }
        return bytes.slice(list.content)
    }
}
