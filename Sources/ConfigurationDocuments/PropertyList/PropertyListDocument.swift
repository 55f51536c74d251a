//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A parser of property lists in any of their formats.
package enum PropertyListDocument {
    /// Parses a property list in XML, in binary, or in JSON as `plutil` writes it. The first bytes decide the format.
    package static func parse(
        _ bytes: [UInt8], limits: DocumentLimits = DocumentLimits()
    ) throws(DocumentError) -> DocumentNode {
        try DocumentText.checkSize(bytes, limits)
        if bytes.starts(with: "bplist".utf8) { return try BinaryPropertyList.parse(bytes, limits) }
        let text = try DocumentText(bytes, limits)
        switch text.bytes[text.start] {
        case UInt8(ascii: "<") where !Self.isOpenStepData(text):
            return try XMLPropertyList.parse(XMLDocument.parse(text, limits))
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard Self.looksLikeJSON(text) else { throw Self.unsupported(text) }
            return try JSONDocument.parse(text, limits)
        default:
            throw Self.unsupported(text)
        }
    }

    private static func unsupported(_ text: DocumentText) -> DocumentError {
        DocumentError(
            .unsupported("this is no property list in XML, binary or JSON. Convert it with plutil -convert xml1"),
            TextCursor.position(of: text.start, in: text.bytes)
        )
    }

    /// Returns `true` for data of OpenStep, which look like `<0fbd 77>`.
    private static func isOpenStepData(_ text: DocumentText) -> Bool {
        text.bytes[(text.start + 1)...].first { !$0.isWhitespace }.map { (0x30...0x39).contains($0) } ?? false
    }

    /// Returns `false` for a dictionary of OpenStep, `{ key = value; }`, which has a message of its own.
    private static func looksLikeJSON(_ text: DocumentText) -> Bool {
        guard text.bytes[text.start] == UInt8(ascii: "{") else { return true }
        var rest = text.bytes[(text.start + 1)...].drop { $0.isWhitespace }
        guard rest.first == UInt8(ascii: "\"") else { return rest.first == UInt8(ascii: "}") }
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") { _ = rest.popFirst() }
        }
        return rest.drop { $0.isWhitespace }.first != UInt8(ascii: "=")
    }
}
