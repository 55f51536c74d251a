//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Comma-separated values (RFC 4180), safe to open in a spreadsheet, wherever the text comes from.
package enum CSVText {
    /// A record.
    package static func line(_ fields: [String]) -> String { fields.map(Self.field).joined(separator: ",") + "\r\n" }

    /// Text that a spreadsheet would take for a formula has an apostrophe in front: it is shown as it is, and computes
    /// nothing (https://owasp.org/www-community/attacks/CSV_Injection).
    private static func field(_ text: String) -> String {
        let plain = DisplayText.text(text)
        let isFormula = plain.unicodeScalars.first.map { "=+-@|%＝＋－＠".unicodeScalars.contains($0) } ?? false
        let isNumber = Double(plain) != nil
        let safe = isFormula && !isNumber ? "'" + plain : plain
        let needsQuotes = safe.utf8.contains { ",\"\r\n;".utf8.contains($0) } || safe.utf8.first == UInt8(ascii: " ")
        return needsQuotes ? "\"\(safe.replacingScalars("\"", with: "\"\""))\"" : safe
    }
}
