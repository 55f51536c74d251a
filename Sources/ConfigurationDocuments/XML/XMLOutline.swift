//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where the start tags of an XML document are, found without understanding anything else of it.
///
/// `XMLParser` knows only where a tag ends, ignores that a document ends too early, and is not to be asked about one that
/// is too deep or brings its own entities: so the tags are looked for beforehand. Whether names, attributes and
/// references are in order is the parser's to say.
struct XMLOutline {
    /// A start tag, or one that is both start and end.
    struct Tag {
        let name: Range<Int>
        let position: TextPosition
    }

    /// The start tags in order.
    let tags: [Tag]
    /// What the parser must not see: the document type, and processing instructions.
    let hidden: [Range<Int>]

    init(of bytes: [UInt8], _ limits: DocumentLimits) throws(DocumentError) {
        var scanner = XMLTagScanner(bytes, limits)
        while let start = scanner.nextMarkup() {
            try scanner.skipMarkup(at: start)
        }
        try scanner.finish()
        self.tags = scanner.tags
        self.hidden = scanner.hidden
    }
}
