//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// A block of special-purpose addresses from the registries of RFC 6890:
/// https://www.iana.org/assignments/iana-ipv4-special-registry and https://www.iana.org/assignments/iana-ipv6-special-registry.
///
/// Smaller blocks within these that are globally reachable, such as 192.0.0.9/32, have no row of their own. Few programs connect to
/// them.
struct SpecialBlock: Sendable {
    /// The hosts that the addresses of a block reach.
    enum Reach: Sendable, Hashable {
        /// The machine itself.
        case machine
        /// Hosts on the same link.
        case link
        /// Hosts outside the public Internet, or none.
        case apart
        /// The host of the IPv4 address that begins at the given octet.
        case embedded(at: Int)
        /// The hosts of two IPv4 addresses, the second with all its bits inverted (RFC 4380 §4).
        case teredo
        /// The host of an IPv4 address at a position that depends on the network's prefix (RFC 6052 §2.2).
        case translated
    }

    let prefix: [UInt8]
    let bits: Int
    let reach: Reach

    private init(_ prefix: [UInt8], _ bits: Int, reaches reach: Reach) {
        self.prefix = prefix
        self.bits = bits
        self.reach = reach
    }

    static func block(of address: IPAddress) -> SpecialBlock? {
        let octets = address.octets
        return (address.isIPv6 ? Self.ipv6 : Self.ipv4).first { $0.contains(octets) }
    }

    private func contains(_ octets: [UInt8]) -> Bool {
        for (index, octet) in self.prefix.enumerated() {
            let significant = min(8, self.bits - index * 8)
            guard significant > 0, octets.indices.contains(index) else { return significant <= 0 }
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> significant)
            guard octets[index] & mask == octet & mask else { return false }
        }
        return true
    }

    /// The special-purpose blocks of IPv4, and multicast (224.0.0.0/4).
    private static let ipv4: [SpecialBlock] = [
        .init([0], 8, reaches: .machine),  // this network (RFC 791 §3.2); 0.0.0.0 reaches the own machine
        .init([10], 8, reaches: .apart),  // private (RFC 1918)
        .init([100, 64], 10, reaches: .apart),  // carrier-grade NAT (RFC 6598)
        .init([127], 8, reaches: .machine),  // loopback (RFC 1122 §3.2.1.3)
        .init([169, 254], 16, reaches: .link),  // link-local, where clouds keep their metadata (RFC 3927)
        .init([172, 16], 12, reaches: .apart),  // private
        .init([192, 0, 0], 24, reaches: .apart),  // protocol assignments (RFC 6890)
        .init([192, 0, 2], 24, reaches: .apart),  // documentation (RFC 5737)
        .init([192, 88, 99], 24, reaches: .apart),  // 6to4 relays (RFC 7526)
        .init([192, 168], 16, reaches: .apart),  // private
        .init([198, 18], 15, reaches: .apart),  // benchmarks (RFC 2544)
        .init([198, 51, 100], 24, reaches: .apart),  // documentation
        .init([203, 0, 113], 24, reaches: .apart),  // documentation
        .init([224], 4, reaches: .apart),  // multicast (RFC 5771)
        .init([240], 4, reaches: .apart),  // reserved, and the broadcast address (RFC 1112 §4)
    ]

    /// The special-purpose blocks of IPv6, the blocks that carry IPv4, site-local addresses and multicast. Narrower blocks come
    /// first.
    private static let ipv6: [SpecialBlock] = [
        .init([UInt8](repeating: 0, count: 15) + [1], 128, reaches: .machine),  // loopback (RFC 4291 §2.5.3)
        .init([UInt8](repeating: 0, count: 16), 128, reaches: .machine),  // unspecified: the own machine (§2.5.2)
        .init([UInt8](repeating: 0, count: 12), 96, reaches: .embedded(at: 12)),  // IPv4-compatible (§2.5.5.1)
        .init([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF], 96, reaches: .embedded(at: 12)),  // mapped (§2.5.5.2)
        .init([0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0], 96, reaches: .embedded(at: 12)),  // RFC 2765 §2.1
        .init([0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], 96, reaches: .embedded(at: 12)),  // NAT64 (RFC 6052)
        .init([0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01], 48, reaches: .translated),  // NAT64 of one network (RFC 8215)
        .init([0x01, 0x00, 0, 0, 0, 0, 0, 0], 64, reaches: .apart),  // discard (RFC 6666)
        .init([0x01, 0x00, 0, 0, 0, 0, 0, 1], 64, reaches: .apart),  // dummy prefix (RFC 9780)
        .init([0x20, 0x01, 0x00, 0x00], 32, reaches: .teredo),  // Teredo (RFC 4380)
        .init([0x20, 0x01, 0x00], 23, reaches: .apart),  // protocol assignments, and 2001:2::/48 for benchmarks
        .init([0x20, 0x01, 0x0D, 0xB8], 32, reaches: .apart),  // documentation (RFC 3849)
        .init([0x20, 0x02], 16, reaches: .embedded(at: 2)),  // 6to4 (RFC 3056)
        .init([0x3F, 0xFF, 0x00], 20, reaches: .apart),  // documentation (RFC 9637)
        .init([0x5F, 0x00], 16, reaches: .apart),  // segment routing (RFC 9602)
        .init([0xFC], 7, reaches: .apart),  // unique local (RFC 4193)
        .init([0xFE, 0x80], 10, reaches: .link),  // link-local (RFC 4291 §2.5.6)
        .init([0xFE, 0xC0], 10, reaches: .apart),  // site-local (RFC 3879)
        .init([0xFF], 8, reaches: .apart),  // multicast (RFC 4291 §2.7)
    ]
}
