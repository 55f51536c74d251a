//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// What a host can be spelled like, so that everyone reads the same host.
enum HostText {
    /// Whether the last label is a number in decimal or hexadecimal, as of an address and of no name (WHATWG URL, "ends in a
    /// number"): `127.1`, `0x7f.1` and `2130706433` are 127.0.0.1 to inet_aton(3).
    static func endsInNumber(_ host: String) -> Bool {
        var labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        guard let last = labels.last, !last.isEmpty else { return false }
        let isHexadecimal = last.starts(with: "0x".utf8) || last.starts(with: "0X".utf8)
        return isHexadecimal ? last.dropFirst(2).allSatisfy(\.isHexadecimalDigit) : last.allSatisfy(\.isDigit)
    }

    /// The part of a URL between its scheme and its path.
    ///
    /// Readers of URLs take unusual text in different ways: some end the host at a backslash, some decode `%2e`, some strip
    /// tabs, some map letters of other scripts. Such text is refused, rather than one host judged and another loaded.
    struct Authority {
        /// The host as it stands there. Foundation's own would be decoded, `xn--bcher-kva` to another name than is asked for.
        let host: String
        /// What follows the host and its colon.
        let port: Substring.UTF8View
        private let hasUserTwice: Bool

        /// The authority of a URL; `nil` when it has none.
        init?(of url: String) {
            guard let start = HostText.endOfScheme(of: url) else { return nil }
            let authority = url.utf8[start...].prefix { !"/?#".utf8.contains($0) }
            let parts = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
            self.hasUserTwice = parts.count > 2
            let rest = parts.last ?? authority
            let bracket = rest.lastIndex(of: UInt8(ascii: "]")) ?? rest.startIndex
            let colon = rest[bracket...].firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
            let host = Substring(rest[..<colon])
            // RFC 6874: the zone of an address is behind an encoded percent sign.
            self.host = host.utf8.first == UInt8(ascii: "[") ? String(host.replacing("%25", with: "%")) : String(host)
            self.port = rest[colon...].dropFirst()
        }

        /// Why it is refused; `nil` when everyone reads the same host.
        var problem: String? {
            guard !self.hasUserTwice else { return "it has two users" }
            guard self.host.utf8.first != UInt8(ascii: "[") else {
                let isAddress = ATSDestination(host: self.host).address?.isIPv6 == true
                return isAddress ? nil : "what is in its brackets is no address"
            }
            guard self.host.utf8.allSatisfy({ $0 < 0x80 }) else {
                return "its host is not in ASCII, which names of other scripts become with xn--"
            }
            guard self.host.utf8.allSatisfy({ $0.isHostCharacter || $0 == UInt8(ascii: ".") }) else {
                return "its host has characters that no host has"
            }
            guard !HostText.endsInNumber(self.host) || IPAddress(self.host) != nil else {
                return "an IPv4 address is four numbers from 0 to 255, as in 192.0.2.1"
            }
            return nil
        }
    }

    /// Where a URL's authority begins; `nil` without a scheme and `://`.
    static func endOfScheme(of url: String) -> String.Index? {
        let scheme = url.utf8.prefix { $0.isHostCharacter || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "+") }
        let rest = url.utf8[scheme.endIndex...]
        guard rest.starts(with: "://".utf8) else { return nil }
        return rest.index(scheme.endIndex, offsetBy: 3)
    }

    /// Whether a text has what no URL has: blanks, control characters, and the backslash, at which browsers end a host.
    static func isUnprintable(_ url: String) -> Bool {
        url.utf8.contains { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }
    }
}

extension UInt8 {
    /// Letters, digits, the hyphen and, which DNS has but hosts should not, the underscore.
    var isHostCharacter: Bool {
        self.isDigit || (0x41...0x5A).contains(self & 0xDF) || self == UInt8(ascii: "-")
            || self == UInt8(ascii: "_")
    }
}
