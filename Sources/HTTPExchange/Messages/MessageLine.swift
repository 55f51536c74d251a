//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The first line of some octets (RFC 9112 §2.2).
struct MessageLine {
    let feed: Int
    /// The number of octets before the line end.
    let size: Int
    let hasReturn: Bool
    /// `true` if the line end and all octets of the line are allowed.
    let isAllowed: Bool

    /// Finds the first line. Returns `nil` if there is no line feed.
    ///
    /// - Parameters:
    ///   - octets: The octets.
    ///   - start: The number of octets at the start that are known to have no line feed.
    ///   - strictness: The rules for lines.
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

    /// Returns `true` if a later reader may take the octet for the end of a value (RFC 9113 §8.2.1).
    static func endsValue(_ octet: UInt8) -> Bool { [0, UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(octet) }

    /// Returns `true` if a proxy refuses the octet in any line, as a control character (RFC 9110 §5.5).
    static func isForbiddenToProxies(_ octet: UInt8) -> Bool {
        octet < 0x20 && octet != UInt8(ascii: "\t") || octet == 0x7F
    }
}
