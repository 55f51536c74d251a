//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An element of an XML document together with the place of its start tag.
package struct XMLElementNode: Sendable, Hashable {
    package let name: String
    /// The attributes by their names as written, including namespace declarations.
    package let attributes: [String: String]
    package let children: [XMLElementNode]
    /// The character data of the element without its children's, joined and otherwise as written.
    package let content: String
    package let position: TextPosition
    /// The octets of the element in the document, from its start tag to its end tag.
    let range: Range<Int>
    /// The octets between the tags, or `nil` for an element of one tag.
    let inside: Range<Int>?

    init(
        name: String, attributes: [String: String] = [:], children: [XMLElementNode] = [], content: String = "",
        position: TextPosition, range: Range<Int>, inside: Range<Int>?
    ) {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.content = content
        self.position = position
        self.range = range
        self.inside = inside
    }

    /// The character data without white space at its ends.
    package var text: String {
        let utf8 = self.content.utf8
        guard let start = utf8.firstIndex(where: { !$0.isWhitespace }),
            let end = utf8.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self.content[start...end])
    }

    package func children(named name: String) -> [XMLElementNode] {
        self.children.filter { $0.name == name }
    }
}
