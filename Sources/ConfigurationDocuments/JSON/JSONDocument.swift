//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads JSON into trees that know their lines.
package enum JSONDocument {
    /// Reads a JSON text: one value by the grammar of RFC 8259, and nothing besides.
    ///
    /// Refused is also what the RFC allows but calls unpredictable: a name that an object has twice (§4), and an escape of
    /// half a surrogate pair (§8.2). Whole numbers that do not fit into 64 bits are read as numbers with a fraction.
    package static func parse(
        _ bytes: [UInt8], limits: DocumentLimits = DocumentLimits()
    ) throws(DocumentError) -> DocumentNode {
        try Self.parse(DocumentText(bytes, limits), limits)
    }

    static func parse(_ text: DocumentText, _ limits: DocumentLimits) throws(DocumentError) -> DocumentNode {
        var reader = JSONReader(text.bytes, limits)
        return try reader.document()
    }
}
