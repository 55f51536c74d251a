//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The JSON of all commands. docs/json.md describes the documents.
package enum JSONText {
    /// Returns a document with its keys in alphabetical order and a final newline.
    package static func text(_ document: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }

    /// Escapes all control characters in JSON that a terminal would interpret, without a change of its meaning.
    ///
    /// - Parameter text: JSON in one line. It has such characters only in strings, apart from tabs and carriage returns, which
    ///   are white space.
    package static func escaped(_ text: String) -> String {
        guard !Self.isPlain(text.utf8) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if DisplayText.isHarmless(scalar) || scalar == "\t" {
                result.unicodeScalars.append(scalar)
            } else if scalar == "\r" || scalar == "\n" {
                result += " "
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return result
    }

    /// Returns a document in one line, with its keys in alphabetical order and without terminal control characters.
    package static func line(_ document: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = try encoder.encode(document)
        return Array(Self.isPlain(line) ? line : Data(Self.escaped(String(decoding: line, as: UTF8.self)).utf8))
    }

    /// Returns `true` if all bytes are printable ASCII, as in most lines.
    private static func isPlain(_ bytes: some Sequence<UInt8>) -> Bool { bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }

    /// Returns bytes in hexadecimal, without separators.
    package static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
