//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Reads XML into trees that know their lines.
package enum XMLDocument {
    /// Reads an XML document.
    ///
    /// Nothing is loaded from anywhere, whatever the document asks for: its document type is not even shown to the parser,
    /// and one that declares entities is refused.
    package static func parse(
        _ bytes: [UInt8], limits: DocumentLimits = DocumentLimits()
    ) throws(DocumentError) -> XMLElementNode {
        try Self.parse(DocumentText(bytes, limits), limits)
    }

    static func parse(_ text: DocumentText, _ limits: DocumentLimits) throws(DocumentError) -> XMLElementNode {
        let outline = try XMLOutline(of: text.bytes, limits)
        let builder = XMLTreeBuilder(text.bytes, outline)
        let parser = XMLParser(data: Self.blanked(text.bytes, outline.hidden))
        parser.shouldProcessNamespaces = false
        parser.shouldResolveExternalEntities = false
        parser.delegate = builder
        _ = parser.parse()
        return try builder.finish()
    }

    /// The document with blanks in place of what the parser must not see, so that all that follows stays where it is.
    private static func blanked(_ bytes: [UInt8], _ hidden: [Range<Int>]) -> Data {
        var data = Data(bytes)
        for index in hidden.joined() where !bytes[index].isWhitespace { data[index] = 0x20 }
        return data
    }
}
