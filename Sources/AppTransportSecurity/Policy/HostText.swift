//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A check for names that resolvers take for addresses.
enum HostText {
    /// Returns `true` if the last label is a decimal or hexadecimal number, as only addresses have it (WHATWG URL, "ends in a
    /// number").
    ///
    /// To inet_aton(3), `127.1`, `0x7f.1` and `2130706433` are all 127.0.0.1.
    static func endsInNumber(_ host: String) -> Bool {
        var labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        guard let last = labels.last, !last.isEmpty else { return false }
        let isHexadecimal = last.starts(with: "0x".utf8) || last.starts(with: "0X".utf8)
        return isHexadecimal ? last.dropFirst(2).allSatisfy(\.isHexadecimalDigit) : last.allSatisfy(\.isDigit)
    }
}

extension UInt8 {
    /// `true` for letters, digits, the hyphen and the underscore, which DNS has but hosts should not.
    var isHostCharacter: Bool {
        self.isDigit || (0x41...0x5A).contains(self & 0xDF) || self == UInt8(ascii: "-")
            || self == UInt8(ascii: "_")
    }
}
