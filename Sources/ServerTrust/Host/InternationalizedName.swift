//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath

/// The ASCII form of names in other scripts (UTS #46, nontransitional, like browsers and Apple's systems).
///
/// Unicode's mapping changes many characters: full-width letters, ligatures, letters with combining marks. This type maps capital
/// letters and the full stops of CJK keyboards only. It refuses a name in which the mapping would change anything else, so that two
/// parsers never take one text for different names.
package enum InternationalizedName {
    /// Converts a name to A-labels. An ASCII name stays as it is.
    ///
    /// - Throws: `InvalidReferenceIdentity` if the name is too long, or if it must be written as A-labels.
    package static func ascii(_ name: String) throws(InvalidReferenceIdentity) -> String {
        guard name.utf8.contains(where: { $0 >= 0x80 }) else { return name }
        // A name has at most 255 characters of at most four octets each.
        guard name.utf8.count <= 1_024 else { throw InvalidReferenceIdentity(.tooLong, host: name) }
        var labels: [String] = []
        for label in name.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: Self.isDot) {
            let lower = label.map(\.properties.lowercaseMapping).joined()
            // UTS #46 §4.1: an A-label is ASCII. The prefix alone does not make a name in another script one.
            let isDisguised = lower.hasPrefix("xn--") && lower.utf8.contains { $0 >= 0x80 }
            guard !isDisguised, Self.isStable(lower.unicodeScalars), let aLabel = Punycode.aLabel(of: lower) else {
                throw InvalidReferenceIdentity(.notASCII, host: name)
            }
            labels.append(aLabel)
        }
        return labels.joined(separator: ".")
    }

    /// Returns `true` for a full stop, or a CJK full stop that UTS #46 §4 maps to it.
    private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "." || scalar == "\u{3002}" || scalar == "\u{FF0E}" || scalar == "\u{FF61}"
    }

    /// Returns `true` if neither mapping nor normalization changes the label and no contextual rule applies to it (RFC 5892,
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

    /// Returns `true` if Normalization Form C may change the scalar.
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

    /// `true` for letters, marks and digits that case folding, compatibility mapping (NFKC_Casefold) and composition do not change.
    fileprivate var isStable: Bool {
        // Sharp s and final sigma are valid in names, although case folding replaces them (UTS #46 §1.3.2).
        if self == "\u{DF}" || self == "\u{3C2}" { return true }
        // The table is that of Unicode 14.
        guard let age = self.properties.age, age.major <= 14, !self.properties.changesWhenNFKCCaseFolded,
            !InternationalizedName.isUnstable(self)
        else { return false }
        switch self.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: return true
        default: return false
        }
    }
}
