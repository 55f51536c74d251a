//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a revocation list says about one certificate.
enum CertificateListEntry {
    case notListed
    case listed(RevocationReason, Timestamp)
    /// The list has something, before or at the entry, that cannot be understood and must be.
    case unreadable
}

extension CertificateList {
    /// Looks a certificate up (RFC 5280 §6.3.3 (i), (j)).
    ///
    /// The entries of an indirect list belong to the issuer named last before them (§5.3.3). A list is read to its end or
    /// to the entry; nothing after it matters.
    func entry(for certificate: CertificateView) -> CertificateListEntry {
        do {
            return try self.find(certificate)
        } catch {
            return .unreadable
        }
    }

    private func find(_ certificate: CertificateView) throws(DERError) -> CertificateListEntry {
        let bytes = self.bytes
        var entries = DERReader(self.fields.revoked, in: bytes.span)
        var isForIssuer = DistinguishedName.areEqual(
            self.fields.issuer, of: bytes, certificate.fields.issuer, of: certificate.bytes)
        var isUnderstood = true
        while !entries.isAtEnd {
            var entry = try entries.nested(.sequence, in: bytes.span)
            let serial = try entry.integer(in: bytes.span)
            let date = try entry.time(in: bytes.span)
            let details = try EntryDetails(&entry, in: bytes)
            try entry.finish()
            if let issuer = details.issuer { isForIssuer = Self.names(issuer, certificate, in: bytes) }
            if details.hasUnknownCriticalExtension { isUnderstood = false }
            guard isForIssuer, equalBytes(bytes, serial, certificate.bytes, certificate.fields.serialNumber) else {
                continue
            }
            return .listed(details.reason, date)
        }
        // §5.3: a list with an entry that is not understood says nothing about those it does not list.
        return isUnderstood ? .notListed : .unreadable
    }

    private static func names(_ names: ByteRange, _ certificate: CertificateView, in bytes: [UInt8]) -> Bool {
        DistributionPoint.generalNames(names, in: bytes).contains { name in
            name.form == .directoryName
                && DistinguishedName.areEqual(
                    name.content, of: name.bytes, certificate.fields.issuer, of: certificate.bytes)
        }
    }
}

/// The extensions of an entry (RFC 5280 §5.3).
private struct EntryDetails {
    private(set) var reason = RevocationReason.unspecified
    private(set) var issuer: ByteRange?
    private(set) var hasUnknownCriticalExtension = false

    init(_ entry: inout DERReader, in bytes: [UInt8]) throws(DERError) {
        guard let extensions = try entry.optional(.sequence, in: bytes.span) else { return }
        var list = DERReader(extensions.content, in: bytes.span)
        while !list.isAtEnd {
            let item = try ExtensionItem(&list, in: bytes.span)
            switch PackedOID(item.identifier, in: bytes.span) {
            case Self.reasonType:
                var value = DERReader(item.value, in: bytes.span)
                let code = try value.next(.enumerated, in: bytes.span).content
                try value.finish()
                guard code.count == 1 else { throw DERError(.invalidInteger, at: code.lowerBound) }
                self.reason = RevocationReason(rawValue: bytes[code.lowerBound]) ?? .unspecified
            case Self.issuerType:
                let names = try DERReader.sole(.sequence, of: item.value, in: bytes.span)
                self.issuer = ByteRange(names.position, names.end)
            default: if item.isCritical { self.hasUnknownCriticalExtension = true }
            }
        }
    }

    private static let reasonType = PackedOID([0x55, 0x1D, 21])
    private static let issuerType = PackedOID([0x55, 0x1D, 29])
}
