//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A value of a configuration file together with its place.
package struct DocumentNode: Sendable, Hashable {
    /// A value of a configuration file in any format.
    package enum Value: Sendable, Hashable {
        /// The null of JSON. Property lists have none.
        case null
        case boolean(Bool)
        case integer(Int)
        /// A floating-point number. In a property list it may be infinite or not a number.
        case real(Double)
        case string(String)
        case date(Date)
        case data([UInt8])
        case array([DocumentNode])
        /// The entries of a dictionary in the order of the file. A property list may repeat a key.
        case dictionary([DocumentEntry])
    }

    package let value: Value
    /// The place where the value begins, or `nil` in a binary property list. In XML it is the start tag.
    package let position: TextPosition?

    package init(_ value: Value, at position: TextPosition?) {
        self.value = value
        self.position = position
    }
}

/// A key of a dictionary with its value.
package struct DocumentEntry: Sendable, Hashable {
    package let key: String
    package let keyPosition: TextPosition?
    package let value: DocumentNode

    package init(key: String, keyPosition: TextPosition?, value: DocumentNode) {
        self.key = key
        self.keyPosition = keyPosition
        self.value = value
    }
}

// Nothing is converted: "1" is not an integer, and 1 is not a Boolean.
extension DocumentNode {
    /// The value of the first entry with this key, compared octet by octet. It is `nil` if there is no such entry, or if this is
    /// not a dictionary.
    package subscript(key: String) -> DocumentNode? {
        self.dictionary?.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    package var boolean: Bool? {
        if case .boolean(let boolean) = self.value { boolean } else { nil }
    }

    package var integer: Int? {
        if case .integer(let integer) = self.value { integer } else { nil }
    }

    package var real: Double? {
        if case .real(let real) = self.value { real } else { nil }
    }

    package var string: String? {
        if case .string(let string) = self.value { string } else { nil }
    }

    package var date: Date? {
        if case .date(let date) = self.value { date } else { nil }
    }

    package var data: [UInt8]? {
        if case .data(let data) = self.value { data } else { nil }
    }

    package var array: [DocumentNode]? {
        if case .array(let array) = self.value { array } else { nil }
    }

    package var dictionary: [DocumentEntry]? {
        if case .dictionary(let entries) = self.value { entries } else { nil }
    }

    package var isNull: Bool {
        if case .null = self.value { true } else { false }
    }

    /// The name of the value's kind with its article, for sentences such as "expected an array, found a string".
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

// Trees made for writing have no places.
extension DocumentNode {
    package static func text(_ text: String) -> DocumentNode { DocumentNode(.string(text), at: nil) }

    package static func flag(_ flag: Bool) -> DocumentNode { DocumentNode(.boolean(flag), at: nil) }

    package static func texts(_ texts: some Sequence<String>) -> DocumentNode { .list(texts.map { .text($0) }) }

    package static func list(_ nodes: [DocumentNode]) -> DocumentNode { DocumentNode(.array(nodes), at: nil) }

    package static func named(_ entries: [(String, DocumentNode)]) -> DocumentNode {
        DocumentNode(.dictionary(entries.map { DocumentEntry(key: $0, keyPosition: nil, value: $1) }), at: nil)
    }
}
