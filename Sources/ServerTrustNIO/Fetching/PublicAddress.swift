//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
package import ServerTrust

/// The rule for addresses that may be connected to: public ones, and explicitly allowed ones.
package struct AddressRule: Hashable, Sendable {
    private let allowsLocalAddresses: Bool
    private let allowedAddresses: Set<IPAddress>

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - allowsLocalAddresses: `true` to allow every address.
    ///   - allowedAddresses: Special addresses that are allowed in addition to public ones.
    package init(allowsLocalAddresses: Bool, allowedAddresses: Set<IPAddress> = []) {
        self.allowsLocalAddresses = allowsLocalAddresses
        self.allowedAddresses = allowedAddresses
    }

    package func allows(_ address: IPAddress) -> Bool {
        self.allowsLocalAddresses || address.isPublic || self.allowedAddresses.contains(address)
    }

    /// Returns `true` if the socket address may be connected to. An unreadable address is refused.
    package func allows(_ address: SocketAddress) -> Bool {
        address.ipAddress.flatMap { IPAddress($0) }.map(self.allows) ?? false
    }
}

extension IPAddress {
    /// `true` if the address belongs to the public Internet by the IANA registries of special-purpose addresses (RFC 6890).
    /// Addresses that only carry an IPv4 address are excluded, because they could bypass the check.
    package var isPublic: Bool {
        // No other IPv6 address is public (RFC 4291 §2.4, https://www.iana.org/assignments/ipv6-address-space).
        guard !self.isIPv6 || self.octets[0] & 0xE0 == 0x20 else { return false }
        return SpecialBlock.block(of: self) == nil
    }

    /// `true` if the address, or an IPv4 address that it carries, reaches only the machine itself or its link.
    package var isOfMachineOrLink: Bool {
        switch SpecialBlock.block(of: self)?.reach {
        case .machine?, .link?: true
        case .apart?, nil: false
        case .embedded?, .teredo?, .translated?: self.carriedAddresses.contains(where: \.isOfMachineOrLink)
        }
    }

    /// The IPv4 addresses that an IPv6 address carries. A translator or the end of a tunnel connects to them.
    package var carriedAddresses: [IPAddress] {
        let octets = self.octets
        switch SpecialBlock.block(of: self)?.reach {
        case .embedded(let start)?:
            return [IPAddress(octets: Array(octets.dropFirst(start).prefix(4)))].compactMap(\.self)
        case .teredo?:
            return [Array(octets[4..<8]), octets.dropFirst(12).map { ~$0 }].compactMap { IPAddress(octets: $0) }
        case .translated?: return Self.translated(octets)
        default: return []
        }
    }

    /// Returns the IPv4 addresses that a translated address may carry (RFC 6052 §2.2). The IPv4 address begins after a prefix of
    /// 48, 56, 64 or 96 bits and skips the octet after bit 64. The wrong places usually begin with a zero, so such candidates are
    /// dropped if there are others.
    private static func translated(_ octets: [UInt8]) -> [IPAddress] {
        let places = [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], [12, 13, 14, 15]]
        let carried = places.compactMap { place in IPAddress(octets: place.map { octets[$0] }) }
        let meant = carried.filter { $0.octets[0] != 0 }
        return meant.isEmpty ? carried : meant
    }
}
