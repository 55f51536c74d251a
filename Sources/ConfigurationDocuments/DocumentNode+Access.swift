//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

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
