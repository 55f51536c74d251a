//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import NIOCore
import ServerTrust
import Testing

@testable import InterceptingProxy

@Suite("Addresses of this machine")
struct MachineAddressTests {
    @Test(
        "Loopback, link-local and unspecified addresses are of this machine, in every form",
        arguments: [
            "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "169.254.169.254", "::1", "::", "fe80::1", "febf::1",
            "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:0.0.0.0",
        ])
    func local(text: String) throws { #expect(MachineAddress.isLocal(try #require(IPAddress(text)))) }

    @Test(
        "Other addresses are not",
        arguments: ["192.0.2.1", "10.255.255.1", "128.0.0.1", "169.253.1.1", "2001:db8::1", "fec0::1"])
    func remote(text: String) throws { #expect(!MachineAddress.isLocal(try #require(IPAddress(text)))) }

    @Test("The addresses of all interfaces are of this machine")
    func interfaces() throws {
        let addresses = try System.enumerateDevices().compactMap { $0.address?.host }
        #expect(!addresses.isEmpty)
        for address in addresses { #expect(MachineAddress.isLocal(address), "\(address)") }
    }
}
