//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

extension DocumentNode {
    /// Creates a dictionary with the entries in order, without those that have no value.
    static func entries<Key: DialectKey>(_ entries: [(Key, DocumentNode?)]) -> DocumentNode {
        .named(entries.compactMap { key, node in node.map { (key.rawValue, $0) } })
    }
}
