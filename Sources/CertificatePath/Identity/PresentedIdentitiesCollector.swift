//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Collects the evidence of a mismatch. Nothing here decides anything.
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
            // What was collected before an unreadable name is the evidence there is.
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
                if case .domain(let domain, _) = sought, self.dnsNameCount <= Self.maximumExamined {
                    self.addWildcard(name.content, in: bytes, domain, publicSuffixes)
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
            return
        }
        Self.append(address, to: &self.ipAddresses)
    }

    private mutating func addWildcard(
        _ name: ByteRange, in bytes: Span<UInt8>, _ domain: [UInt8], _ publicSuffixes: PublicSuffixList?
    ) {
        guard self.refusedWildcards.count < Self.maximumNames,
            let reason = Self.refusal(of: name, in: bytes, domain, publicSuffixes)
        else { return }
        self.refusedWildcards.append(RefusedWildcard(pattern: PrintableText.text(name, in: bytes), reason: reason))
    }

    /// Why a wildcard does not cover a domain that ends as it does; `nil` when it is no wildcard or unrelated.
    private static func refusal(
        of name: ByteRange, in bytes: Span<UInt8>, _ domain: [UInt8], _ publicSuffixes: PublicSuffixList?
    ) -> RefusedWildcard.Reason? {
        guard let shape = DomainName(name, in: bytes) else { return nil }
        let wildcard = shape.wildcard(in: bytes)
        if wildcard == .none { return nil }
        if wildcard == .elsewhere { return .notInLeftmostLabel }
        guard let rest = shape.parent, Self.ends(domain, with: rest, in: bytes) else { return nil }
        if wildcard == .partOfLeftmostLabel { return .partOfLabel }
        if shape.labels <= 2 { return .tooFewLabels }
        let suffix = PrintableText.text(rest, in: bytes)
        if let publicSuffixes, publicSuffixes.isPublicSuffix(suffix) { return .publicSuffix }
        return .standsForOneLabel
    }

    /// Whether a domain is another, or below it.
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

    /// Whether a value is the text of the IP address that is sought.
    private static func isText(_ value: ByteRange, in bytes: Span<UInt8>, of sought: ServerIdentity.Target) -> Bool {
        guard case .address(let address) = sought, value.count <= self.maximumNames else { return false }
        return IPAddress(PrintableText.text(value, in: bytes)) == address
    }

    /// The most DNS names that are looked at closely: evidence is not worth what a leaf of many names may cost.
    private static var maximumExamined: Int { 2_000 }

    /// A text is made only where there is room for it: a leaf may have as many names as fit into it.
    private static func append<Name>(_ name: @autoclosure () -> Name, to names: inout [Name]) {
        if names.count < self.maximumNames { names.append(name()) }
    }

    /// id-at-commonName.
    private static let commonName = PackedOID([0x55, 0x04, 0x03])
}
