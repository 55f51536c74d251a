//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import CertificatePath

@Suite("IP addresses")
struct IPAddressTests {
    @Test(
        "Text that some reader takes for another address is no address",
        arguments: [
            "", " ", "1", "1.2", "1.2.3", "1.2.3.4.5", "1.2.3.", ".1.2.3", "1..2.3", "1.2.3.4.", "01.2.3.4", "1.2.3.04",
            "00.0.0.0", "256.1.1.1", "1.1.1.256", "1.1.1.999", "0x7f.0.0.1", "0x7f000001", "2130706433", "127.1",
            "017700000001", "+1.2.3.4", "-1.2.3.4", " 1.2.3.4", "1.2.3.4 ", "1.2.3.4\0", "1.2.3.a", "１.2.3.4",
            "[1.2.3.4]", "1.2.3.4/8", "1.2.3.4:80", "1111111111111111111.1.1.1",
        ])
    func refusesIPv4(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        "Text that RFC 4291 does not write is no IPv6 address",
        arguments: [
            ":", ":::", "::1::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4::5:6:7:8", "1::2:3:4:5:6:7:8", ":1",
            "1:",
            ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "12345::", "g::", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3", "::1.2.3.256",
            "::01.2.3.4", "1.2.3.4::", "::1.2.3.4:5", "1.2.3.4:1::", "[::1", "::1]", "[[::1]]", "[]", "[::1]:80",
            "::1%eth0",
            "fe80::1%25eth0", "[fe80::1%25eth0]", "::1/128", "::1 ", " ::1", "::1\0", "0x1::", "-1::", "+1::",
            "00000::", "1:::2",
        ])
    func refusesIPv6(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        "An address is read, and written as RFC 5952 says",
        arguments: [
            ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("192.0.2.10", "192.0.2.10"),
            ("::", "::"), ("::1", "::1"), ("[::1]", "::1"), ("1::", "1::"), ("2001:DB8::ABCD", "2001:db8::abcd"),
            ("2001:0db8:0000:0000:0000:0000:0002:0001", "2001:db8::2:1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
            ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
            ("::192.0.2.1", "::c000:201"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
            ("1:2:3:4:5:6:192.0.2.1", "1:2:3:4:5:6:c000:201"), ("0:0:0:0:0:0:0:0", "::"), ("fe80::", "fe80::"),
        ])
    func readsAndWrites(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
        #expect(IPAddress(octets: address.octets) == address)
        #expect(address.octets.count == (address.isIPv6 ? 16 : 4))
    }

    @Test("A zone identifier is told from other text that is no address")
    func zones() {
        for text in ["fe80::1%eth0", "fe80::1%25eth0", "[fe80::1%25eth0]", "fe80::1%"] {
            #expect(IPAddress.hasZoneIdentifier(text), "\(text)")
        }
        for text in ["", "%", "%eth0", "[%eth0]", "example.com%1", "1.2.3.4%eth0", "fe80::1", "fe80:1%eth0"] {
            #expect(!IPAddress.hasZoneIdentifier(text), "\(text)")
        }
    }

    @Test("Only 4 and 16 octets are an address", arguments: 0...40)
    func sizes(count: Int) {
        #expect((IPAddress(octets: Array(repeating: 7, count: count)) != nil) == (count == 4 || count == 16))
    }

    @Test("An IPv4-mapped address is not the address it maps")
    func mapped() throws {
        let mapped = try #require(IPAddress("::ffff:192.0.2.1"))
        #expect(mapped != IPAddress("192.0.2.1"))
        #expect(IPAddress("::") != IPAddress("0.0.0.0"))
    }

    @Test("No single octet put into an address is read as part of it unless it is a digit")
    func everyOctet() {
        for octet in UInt8.min...UInt8.max {
            let text = String(decoding: Array("1.2.3.".utf8) + [octet], as: UTF8.self)
            #expect((IPAddress(text) != nil) == octet.isASCIIDigit)
        }
    }

    @Test("Long text is refused at once")
    func long() {
        #expect(IPAddress(String(repeating: ":", count: 1_000_000)) == nil)
        #expect(IPAddress(String(repeating: "1.", count: 1_000_000)) == nil)
    }
}
