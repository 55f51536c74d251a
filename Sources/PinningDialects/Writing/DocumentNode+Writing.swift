//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

// Trees that are written rather than read have no places.
extension DocumentNode {
    /// A text.
    static func text(_ text: String) -> DocumentNode { DocumentNode(.string(text), at: nil) }

    /// A true or false.
    static func flag(_ flag: Bool) -> DocumentNode { DocumentNode(.boolean(flag), at: nil) }

    /// Texts in order.
    static func texts(_ texts: some Sequence<String>) -> DocumentNode { .list(texts.map { .text($0) }) }

    /// Values in order.
    static func list(_ nodes: [DocumentNode]) -> DocumentNode { DocumentNode(.array(nodes), at: nil) }

    /// Entries in order, those without a value left out.
    static func entries<Key: DialectKey>(_ entries: [(Key, DocumentNode?)]) -> DocumentNode {
        .named(entries.compactMap { key, node in node.map { (key.rawValue, $0) } })
    }

    /// Entries in order, by names that are no keys of a table.
    static func named(_ entries: [(String, DocumentNode)]) -> DocumentNode {
        DocumentNode(.dictionary(entries.map { DocumentEntry(key: $0, keyPosition: nil, value: $1) }), at: nil)
    }
}
