//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension String {
    /// Replaces each occurrence of a text, compared scalar by scalar. Swift would join a following accent to the last character
    /// and miss the match, but the reader of a file format does not.
    package func replacingScalars(_ text: String, with other: String) -> String {
        String(self.unicodeScalars.replacing(text.unicodeScalars, with: other.unicodeScalars))
    }
}

/// Conversion of text of unknown origin for terminals: arguments, paths and errors that repeat them.
///
/// Names from certificates need no conversion, because the library has already made them printable.
package enum DisplayText {
    /// Returns the text with control characters and bidirectional formatting characters written as `\u{1b}`.
    package static func text(_ string: String) -> String {
        // Most text is ASCII and needs no look-up of Unicode categories.
        if string.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return string }
        guard !string.unicodeScalars.allSatisfy(Self.isHarmless) else { return string }
        var text = ""
        for scalar in string.unicodeScalars {
            if Self.isHarmless(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text
    }

    static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
