//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust

/// Which addresses may be connected to: public ones, and what else is allowed.
struct AddressRule: Hashable, Sendable {
    let allowsLocalAddresses: Bool
    let allowedAddresses: Set<IPAddress>

    func allows(_ address: IPAddress) -> Bool {
        self.allowsLocalAddresses || address.isPublic || self.allowedAddresses.contains(address)
    }
}

extension IPAddress {
    /// Whether an address belongs to the public Internet, as far as the IANA registries of special-purpose addresses
    /// (RFC 6890) tell. Of those that only carry an IPv4 address none does: they are ways around this.
    package var isPublic: Bool {
        let octets = self.octets
        if self.isIPv6 {
            return Self.isIn(octets, [0x20], bits: 3)
                && !Self.specialIPv6.contains { Self.isIn(octets, $0.0, bits: $0.1) }
        }
        return !Self.specialIPv4.contains { Self.isIn(octets, $0.0, bits: $0.1) }
    }

    private static func isIn(_ octets: [UInt8], _ prefix: [UInt8], bits: Int) -> Bool {
        for (index, octet) in prefix.enumerated() {
            let significant = min(8, bits - index * 8)
            guard significant > 0, octets.indices.contains(index) else { return significant <= 0 }
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> significant)
            guard octets[index] & mask == octet & mask else { return false }
        }
        return true
    }

    /// https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast (224.0.0.0/4).
    private static let specialIPv4: [([UInt8], Int)] = [
        ([0], 8),  // this network; 0.0.0.0 reaches the own machine
        ([10], 8),  // private (RFC 1918)
        ([100, 64], 10),  // carrier-grade NAT (RFC 6598)
        ([127], 8),  // loopback
        ([169, 254], 16),  // link-local, where clouds keep their metadata (RFC 3927)
        ([172, 16], 12),  // private
        ([192, 0, 0], 24),  // protocol assignments
        ([192, 0, 2], 24),  // documentation
        ([192, 88, 99], 24),  // 6to4 relays
        ([192, 168], 16),  // private
        ([198, 18], 15),  // benchmarks
        ([198, 51, 100], 24),  // documentation
        ([203, 0, 113], 24),  // documentation
        ([224], 4),  // multicast
        ([240], 4),  // reserved, and the broadcast address
    ]

    /// https://www.iana.org/assignments/iana-ipv6-special-registry within 2000::/3. Everything else is outside of it:
    /// unspecified and loopback, mapped and compatible IPv4 (::/32), NAT64 (64:ff9b::/32), discard (100::/64), unique local
    /// (fc00::/7), link-local (fe80::/10), site-local (fec0::/10) and multicast (ff00::/8).
    private static let specialIPv6: [([UInt8], Int)] = [
        ([0x20, 0x01, 0x00, 0x00], 23),  // protocol assignments, Teredo among them
        ([0x20, 0x01, 0x0D, 0xB8], 32),  // documentation
        ([0x20, 0x02], 16),  // 6to4, which carries an IPv4 address
        ([0x3F, 0xFF, 0x00], 20),  // documentation
    ]
}
