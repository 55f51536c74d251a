//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Comma-separated values (RFC 4180) that are safe to open in a spreadsheet, even if the text comes from an untrusted source.
package enum CSVText {
    package static func line(_ fields: [String]) -> String { fields.map(Self.field).joined(separator: ",") + "\r\n" }

    /// Returns a field. An apostrophe precedes text that a spreadsheet would evaluate as a formula, so that it is shown as text
    /// (https://owasp.org/www-community/attacks/CSV_Injection).
    private static func field(_ text: String) -> String {
        let plain = DisplayText.text(text)
        let isFormula = plain.unicodeScalars.first.map { "=+-@|%＝＋－＠".unicodeScalars.contains($0) } ?? false
        let isNumber = Double(plain) != nil
        let safe = isFormula && !isNumber ? "'" + plain : plain
        let needsQuotes = safe.utf8.contains { ",\"\r\n;".utf8.contains($0) } || safe.utf8.first == UInt8(ascii: " ")
        return needsQuotes ? "\"\(safe.replacingScalars("\"", with: "\"\""))\"" : safe
    }
}
