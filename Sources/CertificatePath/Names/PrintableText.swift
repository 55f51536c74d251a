//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Text of a certificate in a form that is safe for terminals and logs.
///
/// Control characters, and those that change the direction or order of the text, are written as their octets.
package enum PrintableText {
    /// The maximum number of octets of one name in the text.
    private static let maximumLength = 255

    package static func text(of string: String) -> String {
        self.text(of: Array(string.utf8.prefix(self.maximumLength + 1)))
    }

    static func text(_ range: ByteRange, in bytes: Span<UInt8>) -> String {
        guard range.upperBound <= bytes.count else { return "" }
        let end = min(range.upperBound, range.lowerBound + self.maximumLength + 1)
        return self.text(of: (range.lowerBound..<end).map { bytes[$0] })
    }

    private static func text(of octets: [UInt8]) -> String {
        let shown = Array(octets.prefix(self.maximumLength))
        let end = octets.count > self.maximumLength ? "…" : ""
        var text = ""
        var decoder = FoldedCharacters.Scalars(shown.count)
        while let (scalar, range) = decoder.next(in: shown.span) {
            if let scalar = Unicode.Scalar(scalar), self.isHarmless(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                for octet in shown[range] { text += "\\x" + (octet < 0x10 ? "0" : "") + String(octet, radix: 16) }
            }
        }
        return text + end
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20...0x7E).contains(scalar.value) && scalar != "\\" }
        return switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
