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
            // IPv4-compatible and IPv4-translated.
            "::127.0.0.1", "::169.254.169.254", "::ffff:0:127.0.0.1",
            // NAT64, also with prefixes of other lengths.
            "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b::", "64:ff9b:1::127.0.0.1", "64:ff9b:1:7f00:0:100::",
            "64:ff9b:1:7f:0:1::", "64:ff9b:1:0:7f:0:100:0", "64:ff9b:1:2:a9:fea9:fe00:0", "64:ff9b:1::",
            // 6to4, and Teredo: the server, and the client, which is inverted.
            "2002:7f00:1::1", "2002:a9fe:a9fe::", "2002::", "2001:0:7f00:1::f7f7:f7f7", "2001:0:808:808::80ff:fffe",
            "2001:0:808:808::5601:5601",
        ])
    func local(text: String) throws { #expect(MachineAddress.isLocal(try #require(IPAddress(text)))) }

    @Test(
        "Other addresses are not",
        arguments: [
            "192.0.2.1", "10.255.255.1", "128.0.0.1", "169.253.1.1", "2001:db8::1", "fec0::1", "::ffff:8.8.8.8",
            "::8.8.8.8", "64:ff9b::8.8.8.8", "64:ff9b:1::8.8.8.8", "64:ff9b:1:808:8:800::", "64:ff9b:1:8:8:808::",
            "64:ff9b:1:2:8:808:800:0", "2002:808:808::1", "2001:0:808:808::f7f7:f7f7", "64:ff9b:2::127.0.0.1",
            "2003:7f00:1::1", "2001:1:7f00:1::1",
        ])
    func remote(text: String) throws { #expect(!MachineAddress.isLocal(try #require(IPAddress(text)))) }

    @Test("The addresses of all interfaces are of this machine, also where others carry them")
    func interfaces() throws {
        let addresses = try System.enumerateDevices().compactMap { $0.address?.host }
        #expect(!addresses.isEmpty)
        for address in addresses {
            #expect(MachineAddress.isLocal(address), "\(address)")
            guard !address.isIPv6 else { continue }
            for text in ["::ffff:\(address)", "64:ff9b::\(address)", "64:ff9b:1::\(address)", "::\(address)"] {
                #expect(MachineAddress.isLocal(try #require(IPAddress(text))), "\(text)")
            }
        }
    }
}
