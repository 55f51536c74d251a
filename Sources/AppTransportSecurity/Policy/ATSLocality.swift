//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The default rule for local destinations, for callers that do not decide it themselves.
///
/// On Apple's systems the network stack decides, and its source is not public. In the tests of its engine, names without a dot,
/// names in `.local`, and the addresses of this machine and this link are local. Private networks (RFC 1918) are not local here. If
/// that is wrong, it is too strict.
enum ATSLocality {
    static func isLocal(_ destination: ATSDestination, _ system: ATSSystem) -> Bool {
        guard system.readsAllGlobalKeys else { return false }
        guard let address = destination.address else {
            return !destination.isAddress && Self.isLocal(name: destination.host)
        }
        return system.readsAddressExceptions ? Self.isLocal(address) : true
    }

    private static func isLocal(name: String) -> Bool {
        guard name.utf8.contains(UInt8(ascii: ".")) else { return Self.isUnqualified(name) }
        return [".local", ".local."].contains { name.utf8.reversed().starts(with: $0.utf8.reversed()) }
    }

    /// Returns `true` if a name without a dot is a single label.
    ///
    /// It returns `false` for an address in disguise: `3405803777` and `0xcb007101` are 203.0.113.1 to inet_aton(3). It also
    /// returns `false` for other dots, as in `example。com`, which IDNA turns into several labels (RFC 5895 §2).
    private static func isUnqualified(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isHostCharacter) && !HostText.endsInNumber(name)
    }

    private static func isLocal(_ address: IPAddress) -> Bool {
        let octets = address.octets
        guard address.isIPv6 else { return octets[0] == 127 || octets[0] == 169 && octets[1] == 254 }
        return octets[0] == 0xFE && octets[1] & 0xC0 == 0x80
            || octets.dropLast().allSatisfy { $0 == 0 } && octets[15] == 1
    }
}
