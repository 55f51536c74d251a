//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A text that equals another one octet by octet, as Apple's dictionaries compare their keys.
///
/// Swift's own strings are equal whatever way an accent is composed in, and with the sign for kelvins in place of a K: two
/// keys of a property list would become one, or a host would find the exception of another.
struct LiteralText: Sendable, Hashable {
    let text: Substring

    init(_ text: Substring) {
        self.text = text
    }

    init(_ text: String) {
        self.text = text[...]
    }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.text.utf8.elementsEqual(rhs.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = self.text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
