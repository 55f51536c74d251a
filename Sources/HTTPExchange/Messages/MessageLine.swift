//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The first line of some octets (RFC 9112 §2.2).
struct MessageLine {
    /// Where its line feed is.
    let feed: Int
    /// How many octets stand before its end.
    let size: Int
    /// Whether a carriage return stands before the line feed.
    let hasReturn: Bool
    /// Whether it ends as it must, and all of its octets may be there.
    let isAllowed: Bool

    /// Looks for the line feed.
    ///
    /// - Parameters:
    ///   - octets: The octets.
    ///   - start: How many of them have no line feed among them.
    ///   - strictness: How lines are read.
    /// - Returns: `nil` without a line feed.
    init?(in octets: UnsafeRawBufferPointer, from start: Int, _ strictness: MessageReader.Strictness) {
        guard let feed = octets[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let hasReturn = feed > 0 && octets[feed - 1] == UInt8(ascii: "\r")
        let line = octets[..<(hasReturn ? feed - 1 : feed)]
        self.feed = feed
        self.size = line.count
        self.hasReturn = hasReturn
        self.isAllowed =
            switch strictness {
            case .userAgent: !line.contains { $0 == 0 || $0 == UInt8(ascii: "\r") }
            case .proxy: hasReturn && !line.contains(where: Self.isForbiddenToProxies)
            }
    }

    /// Returns true if an octet may end a value early for the next reader (RFC 9113 §8.2.1).
    static func endsValue(_ octet: UInt8) -> Bool { [0, UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(octet) }

    /// Whether a proxy takes an octet in no line: a control character (RFC 9110 §5.5).
    static func isForbiddenToProxies(_ octet: UInt8) -> Bool {
        octet < 0x20 && octet != UInt8(ascii: "\t") || octet == 0x7F
    }
}
