//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath

/// The ASCII form of names in other scripts (UTS #46, nontransitional, as browsers and Apple's systems read them).
///
/// Unicode's mapping changes what people type: letters of full width, ligatures, letters with marks behind them. Of that,
/// this does capital letters and the full stops of CJK keyboards. A name in which the mapping would change anything else is
/// refused, so that two readers never take one text for two names.
package enum InternationalizedName {
    /// A name as A-labels; an ASCII name as it is.
    ///
    /// - Throws: `InvalidReferenceIdentity` for a name that is too long, and for one that has to be written as A-labels.
    package static func ascii(_ name: String) throws(InvalidReferenceIdentity) -> String {
        guard name.utf8.contains(where: { $0 >= 0x80 }) else { return name }
        // Four octets at most for a character of a name that may have 255.
        guard name.utf8.count <= 1_024 else { throw InvalidReferenceIdentity(.tooLong, host: name) }
        var labels: [String] = []
        for label in name.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: Self.isDot) {
            let lower = label.map(\.properties.lowercaseMapping).joined()
            // UTS #46 §4.1: an A-label is ASCII, and a name in another script is not one by its first letters.
            let isDisguised = lower.hasPrefix("xn--") && lower.utf8.contains { $0 >= 0x80 }
            guard !isDisguised, Self.isStable(lower.unicodeScalars), let aLabel = Punycode.aLabel(of: lower) else {
                throw InvalidReferenceIdentity(.notASCII, host: name)
            }
            labels.append(aLabel)
        }
        return labels.joined(separator: ".")
    }

    /// UTS #46 §4 maps the full stops of CJK keyboards to the one that separates labels.
    private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "." || scalar == "\u{3002}" || scalar == "\u{FF0E}" || scalar == "\u{FF61}"
    }

    /// Whether no mapping and no normalization changes a label, and no rule about neighbors speaks about it (RFC 5892,
    /// appendix A).
    private static func isStable(_ label: String.UnicodeScalarView) -> Bool {
        guard label.contains(where: { $0.value >= 0x80 }) else { return true }
        guard let first = label.first, !first.isMark else { return false }
        var previousClass: UInt8 = 0
        for scalar in label where scalar.value >= 0x80 {
            let combiningClass = scalar.properties.canonicalCombiningClass.rawValue
            guard scalar.isStable, combiningClass == 0 || previousClass <= combiningClass else { return false }
            previousClass = combiningClass
        }
        return true
    }

    /// Whether a scalar is in the table of those that Normalization Form C may change.
    fileprivate static func isUnstable(_ scalar: Unicode.Scalar) -> Bool {
        var (low, high) = (0, Self.unstable.count)
        while low < high {
            let middle = (low + high) / 2
            if Self.unstable[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
        }
        return low < Self.unstable.count && Self.unstable[low].contains(scalar.value)
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        switch self.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Letters, marks and digits that case folding, compatibility mapping (NFKC_Casefold) and composition leave alone.
    fileprivate var isStable: Bool {
        // Sharp s and final sigma are letters of names, and case folding takes them for others (UTS #46 §1.3.2).
        if self == "\u{DF}" || self == "\u{3C2}" { return true }
        // The table is Unicode 14's.
        guard let age = self.properties.age, age.major <= 14, !self.properties.changesWhenNFKCCaseFolded,
            !InternationalizedName.isUnstable(self)
        else { return false }
        switch self.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: return true
        default: return false
        }
    }
}
