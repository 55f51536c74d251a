//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A parser of JSON that keeps the place of each value.
package enum JSONDocument {
    /// Parses a JSON text: a single value by the grammar of RFC 8259.
    ///
    /// Refuses two things that the RFC allows but calls unpredictable: a name twice in an object (§4), and an escape of half a
    /// surrogate pair (§8.2). Integers that do not fit into 64 bits become floating-point numbers.
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
