//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The Base64 of a pin as Apple's engine decodes it (SecBase64Decode, as SecPolicy.c calls it).
///
/// - Characters outside of the alphabet are passed over, and an incomplete last group is dropped: a digest without its padding
///   has 30 octets, and one in hexadecimal 48. They count, and nothing has them.
/// - A `=` is a digit of the value 0 wherever it stands. A group that ends with one or two of them has one or two octets less,
///   and one with more has all three; what ends with a `=` is the last group.
package struct AppleBase64: Sendable {
    /// What is decoded; empty where nothing is left, so that the pin is passed over.
    package private(set) var octets: [UInt8] = []
    /// Whether more characters of Base64 stand behind the last group, and count for nothing.
    package private(set) var hasMore = false

    /// Decodes a text of any length.
    package init(_ text: String) {
        var group = Group()
        var isDone = false
        for character in text.utf8 {
            guard let value = Self.value(of: character) else { continue }
            guard !isDone else {
                self.hasMore = true
                return
            }
            group.append(value, isPadding: character == Self.padding)
            guard group.isComplete else { continue }
            group.appendOctets(to: &self.octets)
            isDone = group.padding > 0
            group = Group()
        }
    }

    /// Up to four digits.
    private struct Group {
        private var bits: UInt32 = 0
        private var count = 0
        /// How many of them at its end are padding.
        private(set) var padding = 0

        var isComplete: Bool { self.count == 4 }

        mutating func append(_ value: UInt8, isPadding: Bool) {
            self.bits = self.bits << 6 | UInt32(value)
            self.count += 1
            self.padding = isPadding ? self.padding + 1 : 0
        }

        func appendOctets(to octets: inout [UInt8]) {
            octets.append(UInt8(truncatingIfNeeded: self.bits >> 16))
            if self.padding != 2 { octets.append(UInt8(truncatingIfNeeded: self.bits >> 8)) }
            if self.padding == 0 || self.padding > 2 { octets.append(UInt8(truncatingIfNeeded: self.bits)) }
        }
    }

    private static let padding = UInt8(ascii: "=")

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        case Self.padding: 0
        default: nil
        }
    }
}
