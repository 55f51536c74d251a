//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import NIOCore
import ServerTrust
import ServerTrustNIO

/// The addresses of this machine. A proxy that connects to them exposes services that are meant for this machine only.
enum MachineAddress {
    /// Returns `true` if an address belongs to this machine, or reaches only directly attached machines.
    ///
    /// These are loopback, link-local and unspecified addresses and those of the interfaces, also if they are embedded in
    /// an IPv6 address.
    static func isLocal(_ address: IPAddress) -> Bool {
        guard !address.isOfMachineOrLink else { return true }
        return !Self.interfaces.isDisjoint(with: [address] + address.carriedAddresses)
    }

    /// The addresses of all interfaces. They are read for each connection, because interfaces change.
    private static var interfaces: Set<IPAddress> {
        let addresses = ((try? System.enumerateDevices()) ?? []).compactMap { $0.address?.ipAddress }
        return Set(addresses.compactMap { IPAddress(String($0.prefix { $0 != "%" })) })
    }
}

extension IPAddress {
    /// `true` if the address belongs to the loopback interface (RFC 6890).
    var isLoopback: Bool {
        let octets = (self.mappedIPv4 ?? self).octets
        return octets.count == 4 ? octets[0] == 127 : octets.dropLast().allSatisfy { $0 == 0 } && octets.last == 1
    }
}

extension SocketAddress {
    /// The address without its port and zone, or `nil` for a Unix domain socket.
    var host: IPAddress? { self.ipAddress.flatMap { IPAddress(String($0.prefix { $0 != "%" })) } }
}
