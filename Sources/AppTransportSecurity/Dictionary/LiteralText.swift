//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A text that is compared octet by octet, as Apple's dictionaries compare their keys.
///
/// Swift's strings are equal for any composition of an accent, and for the Kelvin sign and K. With them, two keys of a property
/// list would become one, or a host would match the exception of another.
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
