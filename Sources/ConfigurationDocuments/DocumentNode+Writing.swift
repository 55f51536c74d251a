//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Trees that are written rather than read have no places.
extension DocumentNode {
    /// A text.
    package static func text(_ text: String) -> DocumentNode { DocumentNode(.string(text), at: nil) }

    /// A true or false.
    package static func flag(_ flag: Bool) -> DocumentNode { DocumentNode(.boolean(flag), at: nil) }

    /// Texts in order.
    package static func texts(_ texts: some Sequence<String>) -> DocumentNode { .list(texts.map { .text($0) }) }

    /// Values in order.
    package static func list(_ nodes: [DocumentNode]) -> DocumentNode { DocumentNode(.array(nodes), at: nil) }

    /// Entries in order, by names that are no keys of a table.
    package static func named(_ entries: [(String, DocumentNode)]) -> DocumentNode {
        DocumentNode(.dictionary(entries.map { DocumentEntry(key: $0, keyPosition: nil, value: $1) }), at: nil)
    }
}
