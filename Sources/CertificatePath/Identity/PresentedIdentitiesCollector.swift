//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The collection of the evidence of a mismatch. No verdict depends on it.
extension PresentedIdentities {
    init(_ certificate: CertificateView, sought: ServerIdentity.Target, publicSuffixes: PublicSuffixList?) {
        self.hasSubjectAlternativeName = certificate.has(.subjectAlternativeName)
        let bytes = certificate.bytes
        do {
            try self.addAlternativeNames(of: certificate, in: bytes.span, sought, publicSuffixes)
            if !certificate.fields.hasMalformedName {
                try self.addCommonNames(of: certificate.fields.subject, in: bytes.span, sought, publicSuffixes)
            }
        } catch {
            // The evidence found before an unreadable name is kept.
            return
        }
    }

    private mutating func addAlternativeNames(
        of certificate: CertificateView, in bytes: Span<UInt8>, _ sought: ServerIdentity.Target,
        _ publicSuffixes: PublicSuffixList?
    ) throws(DERError) {
        var reader = DERReader(certificate.fields.extensions.subjectAlternativeName, in: bytes)
        while !reader.isAtEnd {
            let name = try reader.generalName(in: bytes)
            switch name.form {
            case .dNSName:
                self.addDNSName(name.content, in: bytes, sought)
                // Collecting evidence must not cost what a leaf with many names allows.
                guard self.dnsNameCount <= Self.maximumExamined,
                    self.uncountedNames.count < Self.maximumNames || self.dnsNamesAreVoid
                else { continue }
                if let reason = Self.fault(of: name.content, in: bytes, sought, publicSuffixes) {
                    self.add(UncountedName(text: PrintableText.text(name.content, in: bytes), reason: reason))
                }
            case .iPAddress: self.addAddress(name.content, in: bytes)
            case .rfc822Name:
                self.mailAddressCount += 1
                Self.append(PrintableText.text(name.content, in: bytes), to: &self.mailAddresses)
            default: continue
            }
        }
    }

    private mutating func addDNSName(_ name: ByteRange, in bytes: Span<UInt8>, _ sought: ServerIdentity.Target) {
        self.dnsNameCount += 1
        if !ServerIdentity.isText(name, in: bytes) { self.dnsNamesAreVoid = true }
        if self.dnsNameCount <= Self.maximumExamined, Self.isText(name, in: bytes, of: sought) {
            self.addressIsWrittenAsDNSName = true
        }
        Self.append(PrintableText.text(name, in: bytes), to: &self.dnsNames)
    }

    private mutating func addAddress(_ name: ByteRange, in bytes: Span<UInt8>) {
        self.ipAddressCount += 1
        guard let address = IPAddress(name, in: bytes) else {
            self.ipAddressesAreVoid = true
            let octets = (name.lowerBound..<min(name.upperBound, name.lowerBound + 32)).map { bytes[$0] }
            self.add(UncountedName(text: octets.colonedHexadecimal, reason: .addressSize(name.count)))
            return
        }
        Self.append(address, to: &self.ipAddresses)
    }

    /// Adds a name. A name that voids others is the reason for the mismatch, so it is first in the list.
    private mutating func add(_ name: UncountedName) {
        if name.reason.voidsOthers { self.uncountedNames.insert(name, at: 0) } else { self.uncountedNames.append(name) }
        if self.uncountedNames.count > Self.maximumNames { self.uncountedNames.removeLast() }
    }

    /// Returns the rule that a DNS name breaks. `nil` if it matches hosts that are not similar to the sought one.
    private static func fault(
        of name: ByteRange, in bytes: Span<UInt8>, _ sought: ServerIdentity.Target,
        _ publicSuffixes: PublicSuffixList?
    ) -> UncountedName.Reason? {
        guard ServerIdentity.isText(name, in: bytes) else { return .notUTF8 }
        guard let shape = DomainName(name, in: bytes) else { return self.fault(ofNoName: name, in: bytes) }
        switch shape.wildcard(in: bytes) {
        case .none: return nil
        case .elsewhere: return .notInLeftmostLabel
        case .partOfLeftmostLabel: return .partOfLabel
        case .wholeLeftmostLabel: break
        }
        guard shape.labels > 2, let rest = shape.parent else { return .tooFewLabels }
        if let publicSuffixes, publicSuffixes.isPublicSuffix(PrintableText.text(rest, in: bytes)) {
            return .publicSuffix
        }
        guard case .domain(let domain, let below) = sought, self.ends(domain, with: rest, in: bytes) else { return nil }
        let matches = ServerIdentity.coverage(of: domain, belowWildcard: below, by: name, in: bytes) == .wildcard
        return matches ? nil : .standsForOneLabel
    }

    /// Returns the first rule that a malformed DNS name breaks.
    private static func fault(ofNoName name: ByteRange, in bytes: Span<UInt8>) -> UncountedName.Reason {
        let octets = (name.lowerBound..<min(name.upperBound, name.lowerBound + DomainName.maximumLength + 8))
            .map { bytes[$0] }
        if octets.contains(where: { $0 >= 0x80 }) { return .notASCII }
        if octets.contains(where: { $0 <= 0x20 || $0 == 0x7F }) { return .blank }
        if octets.contains(UInt8(ascii: "/")) { return .url }
        if IPAddress(String(decoding: octets, as: UTF8.self)) != nil { return .address }
        if octets.contains(UInt8(ascii: ":")) { return .port }
        return octets.last == UInt8(ascii: ".") && octets.count > 1 ? .finalDot : .malformed
    }

    /// Returns `true` if a domain is another one, or below it.
    private static func ends(_ domain: [UInt8], with suffix: ByteRange, in bytes: Span<UInt8>) -> Bool {
        let start = domain.count - suffix.count
        guard start == 0 || (start > 0 && domain[start - 1] == UInt8(ascii: ".")) else { return false }
        return DomainName.areEqual(ByteRange(start, domain.count), in: domain.span, suffix, in: bytes)
    }

    private mutating func addCommonNames(
        of subject: ByteRange, in bytes: Span<UInt8>, _ sought: ServerIdentity.Target,
        _ publicSuffixes: PublicSuffixList?
    ) throws(DERError) {
        var names = DERReader(subject, in: bytes)
        while !names.isAtEnd {
            var attributes = try names.nested(.set, in: bytes)
            while !attributes.isAtEnd {
                let attribute = try DistinguishedName.Attribute(from: &attributes, in: bytes)
                guard PackedOID(attribute.type, in: bytes) == Self.commonName else { continue }
                Self.append(PrintableText.text(attribute.value, in: bytes), to: &self.commonNames)
                if Self.wouldMatch(attribute.value, in: bytes, sought, publicSuffixes) {
                    self.commonNameWouldMatch = true
                }
            }
        }
    }

    private static func wouldMatch(
        _ value: ByteRange, in bytes: Span<UInt8>, _ sought: ServerIdentity.Target,
        _ publicSuffixes: PublicSuffixList?
    ) -> Bool {
        switch sought {
        case .domain(let domain, let rest):
            switch ServerIdentity.coverage(of: domain, belowWildcard: rest, by: value, in: bytes) {
            case .exact: true
            case .wildcard: sought.mayHaveWildcard(publicSuffixes)
            case .none: false
            }
        case .address: self.isText(value, in: bytes, of: sought)
        case .mailbox, .nothing: false
        }
    }

    /// Returns `true` if a value is the text of the sought IP address.
    private static func isText(_ value: ByteRange, in bytes: Span<UInt8>, of sought: ServerIdentity.Target) -> Bool {
        guard case .address(let address) = sought, value.count <= self.maximumNames else { return false }
        return IPAddress(PrintableText.text(value, in: bytes)) == address
    }

    /// The maximum number of DNS names that are examined in detail.
    private static var maximumExamined: Int { 2_000 }

    /// Appends a name if there is room. Otherwise its text is not made, because a leaf may have very many names.
    private static func append<Name>(_ name: @autoclosure () -> Name, to names: inout [Name]) {
        if names.count < self.maximumNames { names.append(name()) }
    }

    private static let commonName = PackedOID([0x55, 0x04, 0x03])
}
