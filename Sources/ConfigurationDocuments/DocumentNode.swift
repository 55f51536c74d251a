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
        /// The null of JSON. Property lists have none.
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

// Nothing is converted: "1" is no integer, and 1 no boolean.
extension DocumentNode {
    /// The value of the first entry with a key, which is the same octet by octet; `nil` if there is no such entry, or if
    /// this is not a dictionary.
    package subscript(key: String) -> DocumentNode? {
        self.dictionary?.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// The boolean, if it is one.
    package var boolean: Bool? {
        if case .boolean(let boolean) = self.value { boolean } else { nil }
    }

    /// The whole number, if it is one.
    package var integer: Int? {
        if case .integer(let integer) = self.value { integer } else { nil }
    }

    /// The number with a fraction, if it is one.
    package var real: Double? {
        if case .real(let real) = self.value { real } else { nil }
    }

    /// The text, if it is one.
    package var string: String? {
        if case .string(let string) = self.value { string } else { nil }
    }

    /// The date, if it is one.
    package var date: Date? {
        if case .date(let date) = self.value { date } else { nil }
    }

    /// The bytes, if it is bytes.
    package var data: [UInt8]? {
        if case .data(let data) = self.value { data } else { nil }
    }

    /// The values, if it is an array.
    package var array: [DocumentNode]? {
        if case .array(let array) = self.value { array } else { nil }
    }

    /// The entries, if it is a dictionary.
    package var dictionary: [DocumentEntry]? {
        if case .dictionary(let entries) = self.value { entries } else { nil }
    }

    /// Whether it is a null.
    package var isNull: Bool {
        if case .null = self.value { true } else { false }
    }

    /// What kind of value it is, with its article, for sentences such as "expected an array, found a string".
    package var kindName: String {
        switch self.value {
        case .null: "a null"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .real: "a real number"
        case .string: "a string"
        case .date: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}

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
