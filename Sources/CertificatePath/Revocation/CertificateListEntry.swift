//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The entry of a revocation list for one certificate.
enum CertificateListEntry {
    case notListed
    case listed(RevocationReason, Timestamp)
    /// The list has a part that must be understood and is not. It may concern the certificate.
    case unreadable
}

extension CertificateList {
    /// Looks up a certificate (RFC 5280 §6.3.3 (i), (j)).
    ///
    /// An entry of an indirect list belongs to the issuer that was last named before it (§5.3.3). An entry with the
    /// certificate's number counts even if the rest of it is malformed, because the issuer signed that the certificate
    /// is revoked. The result is `.notListed` only if every entry could be parsed.
    func entry(for certificate: CertificateView, _ names: inout NameTable) -> CertificateListEntry {
        let bytes = self.bytes
        var entries = DERReader(self.fields.revoked, in: bytes.span)
        var isForIssuer = names.isSame(self.issuerName, in: self, certificate.issuerName, in: certificate)
        var isUnderstood = true
        var found: CertificateListEntry?
        while !entries.isAtEnd {
            guard let element = try? entries.next(in: bytes.span) else { return found ?? .unreadable }
            let entry = RevokedCertificate(element, in: bytes)
            if !entry.isUnderstood {
                isUnderstood = false
                // The malformed entry may have named the issuer of all entries after it.
                if self.fields.scope.isIndirect { isForIssuer = true }
            }
            if let issuers = entry.issuer {
                // §5.3.3: Only entries of indirect lists belong to other issuers. In a direct list, the number alone counts.
                if self.fields.scope.isIndirect {
                    isForIssuer = self.names(issuers, issuerOf: certificate, &names)
                } else {
                    isUnderstood = false
                }
            }
            guard isForIssuer, let serial = entry.serialNumber,
                equalBytes(serial, in: bytes, certificate.fields.serialNumber, in: certificate.bytes)
            else { continue }
            let date = entry.date ?? self.thisUpdate
            // If a certificate is listed twice, one removal does not cancel the other entry.
            guard entry.reason == .removeFromCRL else { return .listed(entry.reason, date) }
            found = .listed(.removeFromCRL, date)
        }
        // §5.3: A list with an entry that is not understood does not show that other certificates are not revoked.
        return found ?? (isUnderstood ? .notListed : .unreadable)
    }

    private func names(
        _ issuers: ByteRange, issuerOf certificate: CertificateView, _ names: inout NameTable
    ) -> Bool {
        DistributionPoint.generalNames(issuers, in: self.bytes).contains { name in
            guard name.form == .directoryName else { return false }
            return name.source.hasSameEncoding(as: certificate.issuerName)
                || names.number(of: name.source) == names.number(of: certificate.issuerName, in: certificate)
        }
    }

    var issuerName: NameSource {
        NameSource(bytes: self.bytes, range: self.fields.issuer, hash: self.fields.issuerHash)
    }
}

/// The statement of a list or a response about one certificate, for display. Nothing in it is verified.
package struct RevocationStatement: Sendable {
    /// The stated status.
    package enum Status: Sendable {
        case good, unknown, revoked(RevocationReason, Timestamp?)
    }

    package let serialNumber: [UInt8]
    package let status: Status
    /// The time of the statement and the time of the next one. Both are `nil` for an entry of a list, which has them
    /// for all entries.
    package var thisUpdate, nextUpdate: Timestamp?
}

extension CertificateList {
    /// The number of the list as the content of an INTEGER, or `nil` if it has none.
    package var number: [UInt8]? { self.fields.number.map { Array(self.bytes[$0]) } }

    /// Returns the first entries that can be parsed, and the number of all entries.
    ///
    /// - Parameter limit: The maximum number of returned entries.
    package func statements(upTo limit: Int) -> (first: [RevocationStatement], count: Int) {
        let bytes = self.bytes
        var entries = DERReader(self.fields.revoked, in: bytes.span)
        var (first, count) = ([RevocationStatement](), 0)
        while !entries.isAtEnd, let element = try? entries.next(in: bytes.span) {
            count += 1
            guard first.count < limit else { continue }
            let entry = RevokedCertificate(element, in: bytes)
            guard let serial = entry.serialNumber else { continue }
            first.append(
                RevocationStatement(serialNumber: Array(bytes[serial]), status: .revoked(entry.reason, entry.date)))
        }
        return (first, count)
    }
}

/// One entry of a list (RFC 5280 §5.1.2.6, §5.3), as far as it can be parsed.
private struct RevokedCertificate {
    private(set) var serialNumber: ByteRange?
    private(set) var date: Timestamp?
    private(set) var reason = RevocationReason.unspecified
    /// The names of the issuer of this entry and the following ones.
    private(set) var issuer: ByteRange?
    /// `true` if the whole entry could be parsed and no critical extension is unknown.
    private(set) var isUnderstood = true

    init(_ element: DERElement, in bytes: [UInt8]) {
        do {
            guard element.tag == .sequence else { throw DERError(.unexpectedTag, at: element.whole.lowerBound) }
            var entry = DERReader(element.content, in: bytes.span)
            let serial = try entry.next(.integer, in: bytes.span).content
            self.serialNumber = serial.withoutLeadingZeros(in: bytes.span)
            try DERReader.checkInteger(serial, in: bytes.span)
            self.date = try entry.time(in: bytes.span)
            if let extensions = try entry.optional(.sequence, in: bytes.span) {
                try self.readExtensions(extensions.content, in: bytes)
            }
            try entry.finish()
        } catch {
            self.isUnderstood = false
        }
    }

    private mutating func readExtensions(_ content: ByteRange, in bytes: [UInt8]) throws(DERError) {
        var list = DERReader(content, in: bytes.span)
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
                let content = ByteRange(names.position, names.end)
                // A malformed name may be that of any issuer.
                try DERReader.checkGeneralNames(content, in: bytes.span)
                self.issuer = content
            default: if item.isCritical { self.isUnderstood = false }
            }
        }
    }

    private static let reasonType = PackedOID([0x55, 0x1D, 21])
    private static let issuerType = PackedOID([0x55, 0x1D, 29])
}
