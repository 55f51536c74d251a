//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The bytes of a document that was checked to be text: UTF-8, not empty, within the limits.
package struct DocumentText: Sendable {
    /// The text without its byte order mark.
    package let bytes: [UInt8]
    package let string: String
    /// The offset of the first character other than white space.
    package let start: Int

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let otherByteOrderMarks: [[UInt8]] = [[0xFF, 0xFE], [0xFE, 0xFF], [0x00, 0x00, 0xFE, 0xFF]]

    package init(_ bytes: [UInt8], _ limits: DocumentLimits = DocumentLimits()) throws(DocumentError) {
        try Self.checkSize(bytes, limits)
        guard !Self.otherByteOrderMarks.contains(where: bytes.starts(with:)) else { throw DocumentError(.notUTF8) }
        let text = bytes.starts(with: Self.byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
        if let zero = text.firstIndex(of: 0) {
            throw DocumentError(.zeroByte, TextCursor.position(of: zero, in: text))
        }
        guard let string = String(validating: text, as: UTF8.self) else {
            throw DocumentError(.notUTF8, Self.firstFault(of: text))
        }
        guard let start = text.firstIndex(where: { !$0.isWhitespace }) else { throw DocumentError(.empty) }
        self.bytes = text
        self.string = string
        self.start = start
    }

    static func checkSize(_ bytes: [UInt8], _ limits: DocumentLimits) throws(DocumentError) {
        guard !bytes.isEmpty else { throw DocumentError(.empty) }
        guard bytes.count <= limits.maximumSize else { throw DocumentError(.tooLarge(limit: limits.maximumSize)) }
    }

    /// Returns the first place that repairing the UTF-8 would change.
    private static func firstFault(of bytes: [UInt8]) -> TextPosition? {
        let repaired = String(decoding: bytes, as: UTF8.self).utf8
        let offset = zip(repaired, bytes).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        return offset.map { TextCursor.position(of: $0, in: bytes) }
    }
}

extension UInt8 {
    /// `true` for the white space of both XML and JSON.
    package var isWhitespace: Bool {
        self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D
    }
}
