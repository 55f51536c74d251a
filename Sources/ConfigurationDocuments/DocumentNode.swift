//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A value of a configuration file together with the place where it begins.
package struct DocumentNode: Sendable, Hashable {
    /// What a configuration file can hold, whichever format it is in.
    package enum Value: Sendable, Hashable {
        /// YAML's and JSON's null; property lists have none.
        case null
        /// True or false.
        case boolean(Bool)
        /// A whole number.
        case integer(Int)
        /// A number with a fraction, in a property list perhaps infinite or not a number.
        case real(Double)
        /// A text.
        case string(String)
        /// A property list's date.
        case date(Date)
        /// A property list's bytes.
        case data([UInt8])
        /// Values in order.
        case array([DocumentNode])
        /// Entries in the order they are written in; in a property list a key may come again.
        case dictionary([DocumentEntry])
    }

    /// What it is.
    package let value: Value
    /// Where it begins: its start tag in XML; what an alias stands for, not the alias; `nil` in a binary property list.
    package let position: TextPosition?

    /// A value at a place.
    package init(_ value: Value, at position: TextPosition?) {
        self.value = value
        self.position = position
    }
}

/// A key of a dictionary with its value.
package struct DocumentEntry: Sendable, Hashable {
    /// The key, as a text whatever it looks like.
    package let key: String
    /// Where the key begins.
    package let keyPosition: TextPosition?
    /// What it stands for.
    package let value: DocumentNode

    /// An entry of a dictionary.
    package init(key: String, keyPosition: TextPosition?, value: DocumentNode) {
        self.key = key
        self.keyPosition = keyPosition
        self.value = value
    }
}
