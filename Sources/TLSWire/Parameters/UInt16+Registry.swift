//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension UInt16 {
    /// The number in the form of IANA's registries, such as `0x1301`.
    var hexadecimal: String {
        let digits = String(self, radix: 16)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Reads a number in the form of IANA's registries, or returns `nil` for any other text, even a sign.
    init?(hexadecimal text: some StringProtocol) {
        guard text.utf8.count == 6, text.hasPrefix("0x") else { return nil }
        let digits = text.dropFirst(2)
        guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        self.init(digits, radix: 16)
    }

    /// `true` for the values that RFC 8701 §2 reserves: `0x0A0A`, `0x1A1A` and so on.
    package var isGREASE: Bool { self & 0x0F0F == 0x0A0A && self >> 8 == self & 0xFF }
}
