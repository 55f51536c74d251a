//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The Base64 of a pin as Apple's engine decodes it (SecBase64Decode, as SecPolicy.c calls it).
enum PinDecoding {
    /// The octets of a pin: characters outside of the alphabet are passed over, and an incomplete last group is dropped, so
    /// that a digest without its padding has 30 octets, and one in hexadecimal 48. They count, and nothing has them.
    ///
    /// - Returns: `nil` when nothing is left.
    static func octets(of text: String) -> [UInt8]? {
        var octets: [UInt8] = []
        var group: [UInt8] = []
        var padding = 0
        for character in text.utf8 {
            if character == UInt8(ascii: "=") {
                padding += 1
            } else if let value = Self.value(of: character) {
                // What follows the padding does not belong to it.
                guard padding == 0 else { break }
                group.append(value)
            }
            guard group.count + padding == 4 else { continue }
            octets += Self.octets(of: group)
            guard padding == 0 else { break }
            group = []
        }
        return octets.isEmpty ? nil : octets
    }

    /// The one to three octets of a group of two to four characters.
    private static func octets(of group: [UInt8]) -> [UInt8] {
        guard group.count >= 2 else { return [] }
        let bits = group.reduce(UInt32(0)) { $0 << 6 | UInt32($1) } << UInt32(6 * (4 - group.count))
        let octets = [
            UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8),
            UInt8(truncatingIfNeeded: bits),
        ]
        return Array(octets.prefix(group.count - 1))
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
