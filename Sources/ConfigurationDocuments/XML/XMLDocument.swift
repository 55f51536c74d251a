//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A parser of XML 1.0 that keeps the place of each element.
package enum XMLDocument {
    /// Parses an XML document.
    ///
    /// Nothing is ever loaded: an external document type is skipped, and a document type with declarations is refused. The only
    /// references are those to characters and to the five entities of XML itself. A prefix is part of its name, and a namespace is
    /// an ordinary attribute.
    package static func parse(
        _ bytes: [UInt8], limits: DocumentLimits = DocumentLimits()
    ) throws(DocumentError) -> XMLElementNode {
        try Self.parse(DocumentText(bytes, limits), limits)
    }

    static func parse(_ text: DocumentText, _ limits: DocumentLimits) throws(DocumentError) -> XMLElementNode {
        var reader = try XMLReader(text.bytes, limits)
        return try reader.document()
    }
}
