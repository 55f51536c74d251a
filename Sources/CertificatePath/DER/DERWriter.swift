//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The parts of DER that this package writes.
enum DERWriter {
    /// Returns an element, with its length in the fewest octets.
    static func element(_ tag: DERTag, _ content: [UInt8]) -> [UInt8] {
        var element: [UInt8] = []
        element.reserveCapacity(Self.size(ofContent: content.count))
        Self.begin(tag, contentSize: content.count, in: &element)
        element += content
        return element
    }

    /// Appends the tag and the length of an element, before its content.
    static func begin(_ tag: DERTag, contentSize: Int, in octets: inout [UInt8]) {
        octets.append(tag.octet)
        let count = Self.lengthSize(contentSize)
        if count > 0 { octets.append(0x80 | UInt8(truncatingIfNeeded: count)) }
        for index in stride(from: max(count, 1) - 1, through: 0, by: -1) {
            octets.append(UInt8(truncatingIfNeeded: contentSize >> (8 * index)))
        }
    }

    /// Returns the number of octets of a whole element.
    static func size(ofContent size: Int) -> Int { 2 + Self.lengthSize(size) + size }

    /// Returns the number of octets of a length after the first one: zero below 128.
    private static func lengthSize(_ size: Int) -> Int {
        size < 0x80 ? 0 : (Int.bitWidth - size.leadingZeroBitCount + 7) / 8
    }
}
