//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The spelling of a server's names, in its alternative names and in its common names.
struct AlternativeNameForms {
    private let leaf: CertificateView

    /// The limit on common names. A certificate with more breaks the rule without further checks.
    static let maximumCommonNames = 16

    init(_ leaf: CertificateView) { self.leaf = leaf }

    /// `true` if every DNS name consists of letters, digits and hyphens (RFC 5280 §4.2.1.6, "preferred name syntax"),
    /// except that the first label may be an asterisk, and every address has 4 or 16 octets.
    var havePreferredSyntax: Bool {
        var isPreferred = true
        self.forEachName { name in
            isPreferred = self.hasPreferredSyntax(name)
            return isPreferred
        }
        return isPreferred
    }

    /// The names that break the rule of ``havePreferredSyntax``, as text.
    var withoutPreferredSyntax: [String] {
        var names: [String] = []
        self.forEachName { name in
            guard !self.hasPreferredSyntax(name) else { return true }
            let octets = self.leaf.bytes[name.content]
            names.append(
                name.form == .dNSName ? String(decoding: octets, as: UTF8.self) : octets.colonedHexadecimal)
            return names.count < 8
        }
        return names
    }

    private func hasPreferredSyntax(_ name: GeneralName) -> Bool {
        let bytes = self.leaf.bytes
        return switch name.form {
        case .dNSName: Self.hasPreferredSyntax(name.content, in: bytes.span)
        case .iPAddress: IPAddress(name.content, in: bytes.span) != nil
        default: true
        }
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

    /// Returns `true` if a label conforms to RFC 1034 §3.5, or begins with a digit (RFC 1123 §2.1).
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

    /// Returns `true` if every common name equals an alternative name "character-for-character". An address is written
    /// as in RFC 5952 (BR 7.1.4.3).
    func haveAll(commonNamesOf leaf: CertificateView) -> Bool {
        let commonNames = leaf.commonNames(atMost: Self.maximumCommonNames + 1)
        guard commonNames.count <= Self.maximumCommonNames else { return false }
        return commonNames.allSatisfy(self.have)
    }

    func have(_ name: String) -> Bool {
        let bytes = self.leaf.bytes
        var isPresented = false
        self.forEachName { presented in
            switch presented.form {
            case .dNSName: isPresented = name.utf8.elementsEqual(bytes.slice(presented.content))
            case .iPAddress: isPresented = IPAddress(presented.content, in: bytes.span)?.description == name
            default: break
            }
            return !isPresented
        }
        return isPresented
    }

    /// Calls a closure for each name until it returns `false`. Parsing has read these names, so an unreadable one is
    /// not expected and ends the loop.
    private func forEachName(_ body: (GeneralName) -> Bool) {
        let bytes = self.leaf.bytes
        var reader = DERReader(self.leaf.fields.extensions.subjectAlternativeName, in: bytes.span)
        while !reader.isAtEnd, let name = try? reader.generalName(in: bytes.span), body(name) {}
    }
}
