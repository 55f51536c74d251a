//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
package import ServerTrust

/// Which addresses may be connected to: public ones, and what else is allowed.
package struct AddressRule: Hashable, Sendable {
    private let allowsLocalAddresses: Bool
    private let allowedAddresses: Set<IPAddress>

    /// A rule.
    ///
    /// - Parameters:
    ///   - allowsLocalAddresses: Whether every address may be connected to.
    ///   - allowedAddresses: Special addresses that may be connected to all the same.
    package init(allowsLocalAddresses: Bool, allowedAddresses: Set<IPAddress> = []) {
        self.allowsLocalAddresses = allowsLocalAddresses
        self.allowedAddresses = allowedAddresses
    }

    /// Returns true if an address may be connected to.
    package func allows(_ address: IPAddress) -> Bool {
        self.allowsLocalAddresses || address.isPublic || self.allowedAddresses.contains(address)
    }

    /// Returns true if a socket may be connected to. An address that cannot be read may not.
    package func allows(_ address: SocketAddress) -> Bool {
        address.ipAddress.flatMap { IPAddress($0) }.map(self.allows) ?? false
    }
}

extension IPAddress {
    /// Whether an address belongs to the public Internet, as far as the IANA registries of special-purpose addresses
    /// (RFC 6890) tell. Of those that only carry an IPv4 address none does: they are ways around this.
    package var isPublic: Bool {
        // Nothing else of IPv6 is public (RFC 4291 §2.4, https://www.iana.org/assignments/ipv6-address-space).
        guard !self.isIPv6 || self.octets[0] & 0xE0 == 0x20 else { return false }
        return SpecialBlock.block(of: self) == nil
    }

    /// Whether an address, or an IPv4 address that it carries, reaches the machine itself, or only what is attached to its link,
    /// wherever it is connected to.
    package var isOfMachineOrLink: Bool {
        switch SpecialBlock.block(of: self)?.reach {
        case .machine?, .link?: true
        case .apart?, nil: false
        case .embedded?, .teredo?, .translated?: self.carriedAddresses.contains(where: \.isOfMachineOrLink)
        }
    }

    /// The IPv4 addresses that an IPv6 address stands for on the way: a translator, or the end of a tunnel, connects to them.
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

    /// RFC 6052 §2.2: an address begins behind a prefix of 48, 56, 64 or 96 bits, and leaves out the octet behind the 64th bit.
    /// Where it does not begin, there are zeros as a rule.
    private static func translated(_ octets: [UInt8]) -> [IPAddress] {
        let places = [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], [12, 13, 14, 15]]
        let carried = places.compactMap { place in IPAddress(octets: place.map { octets[$0] }) }
        let meant = carried.filter { $0.octets[0] != 0 }
        return meant.isEmpty ? carried : meant
    }
}
