//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// Which destinations are local, where nobody says.
///
/// On Apple's systems the network stack decides, whose source is not public; the tests of its engine take names without a
/// dot and in `.local` for local, and the addresses of this machine and this link. Private networks (RFC 1918) are not
/// among them here: where that is wrong, it is too strict.
enum ATSLocality {
    static func isLocal(_ destination: ATSDestination, _ system: ATSSystem) -> Bool {
        guard system.readsAllGlobalKeys else { return false }
        guard let address = destination.address else { return Self.isLocal(name: destination.host) }
        return system.readsAddressExceptions ? Self.isLocal(address) : true
    }

    private static func isLocal(name: String) -> Bool {
        guard name.utf8.contains(UInt8(ascii: ".")) else { return !name.isEmpty }
        return name.hasSuffix(".local") || name.hasSuffix(".local.")
    }

    private static func isLocal(_ address: IPAddress) -> Bool {
        let octets = address.octets
        guard address.isIPv6 else { return octets[0] == 127 || octets[0] == 169 && octets[1] == 254 }
        return octets[0] == 0xFE && octets[1] & 0xC0 == 0x80
            || octets.dropLast().allSatisfy { $0 == 0 } && octets[15] == 1
    }
}
