//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import NIOCore
import ServerTrust
import ServerTrustNIO

/// Which addresses are those of this machine: a proxy that connects to them opens what listens there for this machine alone.
enum MachineAddress {
    /// Whether an address is one of this machine, or reaches only what is attached to it: loopback, link-local, unspecified, and
    /// those of its interfaces, also where an IPv6 address carries them.
    static func isLocal(_ address: IPAddress) -> Bool {
        guard !address.isOfMachineOrLink else { return true }
        return !Self.interfaces.isDisjoint(with: [address] + address.carriedAddresses)
    }

    /// Asked for each connection: interfaces come and go.
    private static var interfaces: Set<IPAddress> {
        let addresses = ((try? System.enumerateDevices()) ?? []).compactMap { $0.address?.ipAddress }
        return Set(addresses.compactMap { IPAddress(String($0.prefix { $0 != "%" })) })
    }
}

extension IPAddress {
    /// Whether it is an address of the loopback interface (RFC 6890).
    var isLoopback: Bool {
        let octets = (self.mappedIPv4 ?? self).octets
        return octets.count == 4 ? octets[0] == 127 : octets.dropLast().allSatisfy { $0 == 0 } && octets.last == 1
    }
}

extension SocketAddress {
    /// The address without its port and zone; `nil` for those of the file system.
    var host: IPAddress? { self.ipAddress.flatMap { IPAddress(String($0.prefix { $0 != "%" })) } }
}
