//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// What a log signs about a certificate: the certificate itself, or what it was before the timestamps were put in
/// (RFC 6962 §3.2).
struct TransparencyEntry {
    /// The type of the entry, and the entry.
    let octets: [UInt8]

    /// The largest entry that CertificateTransparency.m takes.
    private static let maximumSize = 1_048_574

    /// The certificate as it is: for timestamps from the handshake and from OCSP responses.
    init?(certificate: CertificateView) {
        self.init(type: 0, before: [], certificate.bytes[...])
    }

    /// The certificate without its timestamps, below the issuer with a key: for timestamps in it.
    init?(precertificateOf certificate: CertificateView, issuerKey: PublicKeySource) {
        guard let body = PrecertificateBody.octets(of: certificate) else { return nil }
        let key = issuerKey.bytes.slice(issuerKey.info.whole)
        self.init(type: 1, before: Array(SHA256.hash(data: key)), body[...])
    }

    private init?(type: UInt8, before: [UInt8], _ content: ArraySlice<UInt8>) {
        guard !content.isEmpty, content.count <= Self.maximumSize else { return nil }
        let length = [16, 8, 0].map { UInt8(truncatingIfNeeded: content.count >> $0) }
        self.octets = [0, type] + before + length + content
    }
}

/// The TBSCertificate that a log saw: the certificate's own octets without the extension with the timestamps, and with the
/// three lengths around it as they were (SecCertificate.c `SecCertificateCopyPrecertTBS`). A poison extension stays.
enum PrecertificateBody {
    /// 1.3.6.1.4.1.11129.2.4.2.
    static let timestamps = PackedOID([0x2B, 0x06, 0x01, 0x04, 0x01, 0xD6, 0x79, 0x02, 0x04, 0x02])

    /// `nil` when the certificate has no such extension, or no extensions at all.
    static func octets(of certificate: CertificateView) -> [UInt8]? {
        let bytes = certificate.bytes
        let fields = certificate.fields
        guard !fields.extensionList.isEmpty, let kept = self.extensions(besides: self.timestamps, of: certificate)
        else {
            return nil
        }
        var outer = DERReader(fields.tbsCertificate, in: bytes.span)
        guard let content = try? outer.next(.sequence, in: bytes.span).content,
            let start = self.startOfExtensions(content, bytes)
        else { return nil }
        let list = DERWriter.element(.constructed(3), DERWriter.element(.sequence, kept))
        return DERWriter.element(.sequence, bytes[ByteRange(content.lowerBound, start)] + list)
    }

    /// Where the `[3]` field begins, the last one of the body.
    private static func startOfExtensions(_ content: ByteRange, _ bytes: [UInt8]) -> Int? {
        var reader = DERReader(content, in: bytes.span)
        var start: Int?
        while !reader.isAtEnd {
            guard let element = try? reader.next(in: bytes.span) else { return nil }
            start = element.tag == .constructed(3) ? element.whole.lowerBound : nil
        }
        return start
    }

    /// The other extensions, in their order; `nil` without one with the identifier.
    private static func extensions(besides identifier: PackedOID, of certificate: CertificateView) -> [UInt8]? {
        let bytes = certificate.bytes
        var kept: [UInt8] = []
        kept.reserveCapacity(certificate.fields.extensionList.count)
        var isFound = false
        var reader = DERReader(certificate.fields.extensionList, in: bytes.span)
        while !reader.isAtEnd {
            let start = reader.position
            guard let item = try? ExtensionItem(&reader, in: bytes.span) else { return nil }
            if PackedOID(item.identifier, in: bytes.span) == identifier {
                isFound = true
            } else {
                kept += bytes[ByteRange(start, reader.position)]
            }
        }
        return isFound ? kept : nil
    }

    /// The list in the first extension with timestamps: an OCTET STRING in the extension's own (RFC 6962 §3.3).
    static func timestampList(of certificate: CertificateView) -> ArraySlice<UInt8>? {
        let bytes = certificate.bytes
        var reader = DERReader(certificate.fields.extensionList, in: bytes.span)
        while !reader.isAtEnd {
            guard let item = try? ExtensionItem(&reader, in: bytes.span) else { return nil }
            guard PackedOID(item.identifier, in: bytes.span) == self.timestamps else { continue }
            return self.octetString(item.value, in: bytes)
        }
        return nil
    }

    /// The content of the one OCTET STRING in a range.
    static func octetString(_ range: ByteRange, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var value = DERReader(range, in: bytes.span)
        guard let list = try? value.next(.octetString, in: bytes.span), value.isAtEnd else { return nil }
        return bytes.slice(list.content)
    }
}
