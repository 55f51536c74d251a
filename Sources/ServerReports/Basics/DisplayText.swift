//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension String {
    /// The text with another in place of each occurrence of a text, compared scalar by scalar. An accent behind it would make
    /// another character of it for Swift, and for no reader of a format.
    package func replacingScalars(_ text: String, with other: String) -> String {
        String(self.unicodeScalars.replacing(text.unicodeScalars, with: other.unicodeScalars))
    }
}

/// Text of unknown origin made fit for a terminal: arguments, paths and errors that repeat them.
///
/// Names out of certificates need no more of it: the library has made them printable.
package enum DisplayText {
    /// The text with control characters, and those that reorder what is shown, written as `\u{1b}`.
    package static func text(_ string: String) -> String {
        // Most text is ASCII, which needs no table of categories.
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
