//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath

/// A host in the one spelling by which rules are kept and looked up: a DNS name in ASCII and lower case, without the dot
/// at its end, or an IP address in the shortest form (RFC 5952).
package struct HostName: Sendable, Hashable {
    /// The spelling.
    package let text: String
    /// Whether it is an IP address.
    package let isAddress: Bool

    /// The host that someone wrote: in any case, with internationalised labels in Unicode or as A-labels, an IPv6 address
    /// with brackets or without.
    ///
    /// - Throws: `InvalidReferenceIdentity`, which says what to write instead.
    package init(_ host: String) throws(InvalidReferenceIdentity) {
        let ascii = host.utf8.allSatisfy { $0 < 0x80 } ? host : try Self.aLabels(of: host)
        switch try ReferenceIdentity(host: ascii) {
        case .dnsName(let name): (self.text, self.isAddress) = (name, false)
        case .ipAddress(let address): (self.text, self.isAddress) = (address.description, true)
        case .rfc822Name: throw InvalidReferenceIdentity(.forbiddenCharacter(UInt8(ascii: "@")), host: host)
        }
    }

    /// The name without its left-most label; `nil` when there is none.
    static func parent(of name: Substring) -> Substring? {
        name.utf8.firstIndex(of: UInt8(ascii: ".")).map { name[name.index(after: $0)...] }
    }

    // MARK: Internationalised names

    /// The A-labels of a name: lower case, then Punycode (RFC 5891 §4.4). Unicode's mapping for look-ups (UTS #46) does
    /// more, such as for full-width letters; what it would change and this does not is refused, so that two spellings of
    /// one name never part ways unseen.
    private static func aLabels(of host: String) throws(InvalidReferenceIdentity) -> String {
        // Four octets at most for a character of a name that may have 255.
        guard host.utf8.count <= 1_024 else { throw InvalidReferenceIdentity(.tooLong, host: host) }
        var labels: [String] = []
        for label in host.lowercased().split(omittingEmptySubsequences: false, whereSeparator: Self.isDot) {
            guard label.unicodeScalars.allSatisfy(Self.isStable), let aLabel = Punycode.aLabel(of: label) else {
                throw InvalidReferenceIdentity(.notASCII, host: host)
            }
            labels.append(aLabel)
        }
        return labels.joined(separator: ".")
    }

    /// RFC 3490 §3.1: the full stops of CJK keyboards separate labels too.
    private static func isDot(_ character: Character) -> Bool {
        character == "." || character == "\u{3002}" || character == "\u{FF0E}" || character == "\u{FF61}"
    }

    /// Whether a scalar stays as it is in every normalisation that names go through: letters, digits and marks, but no
    /// marks that combine with the letter before, no compatibility forms and nothing that is ignored.
    private static func isStable(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 { return true }
        let properties = scalar.properties
        guard !properties.isDefaultIgnorableCodePoint, !Self.unstable.contains(where: { $0.contains(scalar.value) })
        else { return false }
        switch properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: return true
        default: return false
        }
    }

    /// Blocks of combining marks and compatibility forms.
    private static let unstable: [ClosedRange<UInt32>] = [
        0x0300...0x036F, 0x1AB0...0x1AFF, 0x1D2C...0x1D6A, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0x2100...0x214F,
        0x3099...0x309C, 0x3130...0x318F, 0xF900...0xFAFF, 0xFB00...0xFDFF, 0xFE20...0xFE2F, 0xFE70...0xFEFF,
        0xFF00...0xFFEF, 0x1D400...0x1D7FF, 0x2F800...0x2FA1F,
    ]
}

extension HostName: CustomStringConvertible {
    /// The spelling.
    package var description: String { self.text }
}
