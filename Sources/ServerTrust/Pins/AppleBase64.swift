//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The Base64 of a pin as Apple's engine decodes it (SecBase64Decode with the options of SecPolicy.c).
///
/// - Characters outside of the alphabet are skipped, and an incomplete last group is dropped. A digest without its padding then has
///   30 octets, and one in hexadecimal 48. Such pins count, but match no key.
/// - A `=` is a digit with the value 0 in any position. A group that ends with one or two of them has one or two octets less, and
///   one that ends with more has all three. A group that ends with a `=` is the last one.
package struct AppleBase64: Sendable {
    /// The decoded octets. Empty if no group is complete, in which case the pin is ignored.
    package private(set) var octets: [UInt8] = []
    /// `true` if characters of Base64 follow the last group, where they are ignored.
    package private(set) var hasMore = false

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
        /// The number of padding digits at the end of the group.
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
