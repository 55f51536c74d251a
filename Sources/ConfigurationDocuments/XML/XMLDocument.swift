//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads XML 1.0 into trees that know their lines.
package enum XMLDocument {
    /// Reads an XML document.
    ///
    /// Nothing is loaded from anywhere, whatever the document asks for: the document type is passed over, and one that
    /// declares anything is refused. References are those to characters and to the five entities of XML itself. Prefixes
    /// are parts of names, and namespaces are attributes.
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
