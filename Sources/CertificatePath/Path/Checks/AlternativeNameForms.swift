//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The spelling of a server's names: in its alternative names, and once more in its common names.
struct AlternativeNameForms {
    private let leaf: CertificateView

    /// More common names than any certificate has; the rule is not asked of others, which cost as much as they like.
    private static let maximumCommonNames = 16

    init(_ leaf: CertificateView) { self.leaf = leaf }

    /// Whether every DNS name is made of letters, digits and hyphens (RFC 5280 §4.2.1.6, "preferred name syntax"), with a
    /// whole label of asterisk in front or not, and every address has the octets of one.
    var havePreferredSyntax: Bool {
        let bytes = self.leaf.bytes
        var isPreferred = true
        self.forEachName { name in
            switch name.form {
            case .dNSName: isPreferred = Self.hasPreferredSyntax(name.content, in: bytes.span)
            case .iPAddress: isPreferred = IPAddress(name.content, in: bytes.span) != nil
            default: break
            }
            return isPreferred
        }
        return isPreferred
    }

    private static func hasPreferredSyntax(_ name: ByteRange, in bytes: Span<UInt8>) -> Bool {
        var labelStart = name.lowerBound
        for index in name.lowerBound...name.upperBound {
            guard index == name.upperBound || bytes[index] == UInt8(ascii: ".") else { continue }
            let label = ByteRange(labelStart, index)
            let isWildcard = labelStart == name.lowerBound && label.count == 1 && bytes[labelStart] == UInt8(ascii: "*")
            guard isWildcard || Self.isLabel(label, in: bytes) else { return false }
            labelStart = index &+ 1
        }
        return true
    }

    /// RFC 1034 §3.5, with digits in front (RFC 1123 §2.1).
    private static func isLabel(_ label: ByteRange, in bytes: Span<UInt8>) -> Bool {
        guard (1...63).contains(label.count), bytes[label.lowerBound] != UInt8(ascii: "-"),
            bytes[label.upperBound &- 1] != UInt8(ascii: "-")
        else { return false }
        for index in label.lowerBound..<label.upperBound {
            let octet = bytes[index]
            guard octet.isASCIILetter || octet.isASCIIDigit || octet == UInt8(ascii: "-") else { return false }
        }
        return true
    }

    /// BR 7.1.4.3: a common name is one of the alternative names "character-for-character", an address as RFC 5952 writes
    /// it. A common name that equals none of them in any spelling names no server here and does no harm.
    func areMisspelled(byCommonNamesOf leaf: CertificateView) -> Bool {
        let commonNames = leaf.commonNames(atMost: Self.maximumCommonNames + 1)
        guard !commonNames.isEmpty, commonNames.count <= Self.maximumCommonNames else { return false }
        return commonNames.contains { name in
            let domain = Array(Self.asciiForm(of: name).utf8)
            let addresses = AddressSpelling.addresses(speltBy: name)
            var (isExact, isOther) = (false, false)
            self.forEachName { presented in
                switch presented.form {
                case .dNSName:
                    self.compare(presented.content, name, folded: domain, isExact: &isExact, isOther: &isOther)
                case .iPAddress:
                    let bytes = leaf.bytes
                    guard let address = IPAddress(presented.content, in: bytes.span), addresses.contains(address) else {
                        break
                    }
                    if name == address.description { isExact = true } else { isOther = true }
                default: break
                }
                return !isExact
            }
            return isOther && !isExact
        }
    }

    private func compare(
        _ presented: ByteRange, _ name: String, folded domain: [UInt8], isExact: inout Bool, isOther: inout Bool
    ) {
        let bytes = self.leaf.bytes
        guard presented.count == domain.count,
            DomainName.areEqual(presented, in: bytes.span, ByteRange(0, domain.count), in: domain.span)
        else { return }
        if name.utf8.elementsEqual(bytes.slice(presented)) { isExact = true } else { isOther = true }
    }

    /// The lower-case A-label form of a name as a person may have typed it.
    private static func asciiForm(of name: String) -> String {
        let labels = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        return labels.map { Punycode.aLabel(of: $0) ?? String($0) }.joined(separator: ".")
    }

    /// Parsing has read these names already; one that cannot be read again ends the walk.
    private func forEachName(_ body: (GeneralName) -> Bool) {
        let bytes = self.leaf.bytes
        var reader = DERReader(self.leaf.fields.extensions.subjectAlternativeName, in: bytes.span)
        while !reader.isAtEnd, let name = try? reader.generalName(in: bytes.span), body(name) {}
    }
}

/// The ways in which people and old software write addresses (inet_aton, RFC 4291 §2.2).
enum AddressSpelling {
    /// The addresses that a text may mean; more than one where a leading zero may mean octal.
    static func addresses(speltBy text: String) -> [IPAddress] {
        guard text.utf8.count <= 64 else { return [] }
        if let address = IPAddress(text) { return [address] }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...4).contains(parts.count) else { return [] }
        return [true, false].compactMap { isOctal in
            let values = parts.compactMap { Self.value(of: $0, isOctal: isOctal) }
            return values.count == parts.count ? Self.address(of: values) : nil
        }
    }

    private static func value(of part: Substring, isOctal: Bool) -> UInt32? {
        let lower = part.lowercased()
        if lower.hasPrefix("0x") { return UInt32(lower.dropFirst(2), radix: 16) }
        guard lower.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return UInt32(lower, radix: isOctal && lower.count > 1 && lower.hasPrefix("0") ? 8 : 10)
    }

    /// The last part fills the octets that are left.
    private static func address(of values: [UInt32]) -> IPAddress? {
        guard let last = values.last else { return nil }
        let leading = values.dropLast()
        guard leading.allSatisfy({ $0 < 256 }), last >> UInt32(8 * (4 - leading.count) - 1) <= 1 else { return nil }
        var octets = leading.map { UInt8(truncatingIfNeeded: $0) }
        for place in (0..<(4 - leading.count)).reversed() {
            octets.append(UInt8(truncatingIfNeeded: last >> UInt32(8 * place)))
        }
        return IPAddress(octets: octets)
    }
}
