//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Testing

private let secure = "tls TLSv1.2 ats checks"

private func entries(_ names: String...) -> String {
    let entries = names.map { #""\#($0)": {"NSExceptionAllowsInsecureHTTPLoads": true}"# }
    return #"{"NSExceptionDomains": {\#(entries.joined(separator: ", "))}}"#
}

private func match(_ key: String, _ address: String, _ engine: Bool, _ documented: Bool) -> PolicyCase {
    let found = "http TLSv1.2 ats by \(key)"
    return PolicyCase(entries(key), address, engine ? found : secure, documented: documented ? found : secure)
}

private let cases: [PolicyCase] = [
    // Single addresses: the engine compares text, the documentation speaks of addresses.
    match("203.0.113.1", "203.0.113.1", true, true),
    match("203.0.113.1", "203.0.113.2", false, false),
    match("2001:db8::1", "2001:db8::1", true, true),
    match("2001:DB8::1", "2001:db8::1", false, true),
    match("2001:db8:0::1", "2001:db8::1", false, true),
    match("[2001:db8::1]", "2001:db8::1", false, true),
    // Blocks.
    match("203.0.113.0/24", "203.0.113.77", true, true),
    match("203.0.113.0/24", "203.0.114.1", false, false),
    match("203.0.113.9/24", "203.0.113.77", true, true),
    match("0.0.0.0/0", "203.0.113.77", true, true),
    match("203.0.113.7/32", "203.0.113.7", true, true),
    match("203.0.113.7/32", "203.0.113.6", false, false),
    match("2001:db8::/32", "2001:db8:1::7", true, true),
    match("2001:db8::/32", "2001:db9::7", false, false),
    match("2001:db8:0:0:0:0:0:0/32", "2001:db8:1::7", true, true),
    match("2001:db8:0:0:0:0:0/32", "2001:db8::7", true, false),
    match("2001:db8::1/128", "2001:db8::1", true, true),
    match("::/0", "2001:db8::1", true, true),
    // Families are apart.
    match("::/0", "203.0.113.7", false, false),
    match("0.0.0.0/0", "2001:db8::1", false, false),
    match("0.0.0.0/0", "::ffff:203.0.113.7", false, false),
    match("::ffff:0:0/96", "::ffff:203.0.113.7", true, true),
    match("::ffff:203.0.113.0/120", "::ffff:203.0.113.7", false, true),
    // Shorthand and its reader's quirks.
    match("10/8", "10.1.2.3", true, false),
    match("172.16/12", "172.31.0.1", true, false),
    match("172.16/12", "172.32.0.1", false, false),
    match("192.168.100/24", "192.168.100.9", true, false),
    match("192.168.100.64/26", "192.168.100.65", false, true),
    match("192.168.10.64/26", "192.168.10.65", true, true),
    match("10.0.0.0/010", "10.1.2.3", true, false),
    match("10.0.0.0/010", "10.255.2.3", true, false),
    match("10.0.0.0/08", "203.0.113.7", true, false),
    match("10.0.0.0/09", "203.0.113.7", true, false),
    match("10.0.0.0/8", "203.0.113.7", false, false),
    match("10.0.0.0/0x8", "10.1.2.3", false, false),
    match("10.0.0.0/", "10.1.2.3", false, false),
    match("10.0.0.0/255.0.0.0", "10.1.2.3", false, false),
    match("10.0.0.0/33", "10.0.0.0", false, false),
    match("10.0.0.0/99999999999999999999", "10.0.0.0", false, false),
    match("10.0.0.0/+8", "10.1.2.3", false, false),
    match("10.0.0.0/8/8", "10.1.2.3", false, false),
    match("10.0.0.0.0/8", "10.1.2.3", false, false),
    match("10./8", "10.1.2.3", false, false),
    match("/8", "0.1.2.3", false, false),
    match("https://203.0.113.7/", "203.0.113.7", false, false),
    match("203.0.113.7/32/", "203.0.113.7", false, false),
    match("2001:db8/32", "2001:db8::7", true, false),
    match("fd00/8", "fd12::1", true, false),
    match("2001/16", "2001::1", false, false),
    match("FD00/8", "fd12::1", true, false),
    match("fe80::%lo0/10", "fe80::1", false, false),
    match("2001:db8:0:0:0:0:0:1/128", "2001:db8::1", true, true),
    match("2001:db8:aaaa:bbbb:cccc:dddd:eeee::/112", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:1", true, true),
    match("2001:db8::/129", "2001:db8::", false, false),
    match("0/0", "203.0.113.7", true, false),
    match("010.0.0.0/8", "8.1.2.3", false, false),
    match(" 10.0.0.0/8", "10.1.2.3", false, false),
    match("10.0.0.0/8 ", "10.1.2.3", false, false),
    match("10.0.0.0/\u{668}", "10.1.2.3", false, false),
    match("::/0128", "::1", true, false),
    match("::/0128", "2001:db8::1", false, false),
    match("::/08", "2001:db8::1", true, false),
    match("2001:db8:0:0:0:0:0/112", "2001:db8::7", true, false),
    match("2001:0db8:0000:0000:0000:0000:0000:0001/128", "2001:db8::1", false, true),
    // The longest prefix, an address of its own before all.
    PolicyCase(entries("10.0.0.0/8", "10.1.0.0/16"), "10.1.2.3", "http TLSv1.2 ats by 10.1.0.0/16"),
    PolicyCase(entries("10.1.0.0/16", "10.0.0.0/8"), "10.2.2.3", "http TLSv1.2 ats by 10.0.0.0/8"),
    PolicyCase(entries("10.1.2.3/32", "10.1.2.3"), "10.1.2.3", "http TLSv1.2 ats by 10.1.2.3"),
    PolicyCase(entries("10.0.0.0/8", "10.9.9.9/8"), "10.1.2.3", "http TLSv1.2 ats by 10.9.9.9/8"),
    // Names are no addresses, and addresses have no sub-domains.
    PolicyCase(
        #"{"NSExceptionDomains": {"113.7": {"NSIncludesSubdomains": true}}}"#, "203.0.113.7", secure),
    PolicyCase(entries("203.0.113.0/24"), "203.0.113.example", secure),
]

@Suite("Exceptions for addresses")
struct AddressTests {
    @Test("As Apple's engine reads them, quirks and all", arguments: cases)
    func engine(example: PolicyCase) throws {
        try example.check(.engine)
    }

    @Test("As Apple documents them", arguments: cases)
    func documentation(example: PolicyCase) throws {
        try example.check(.documentation)
    }

    @Test("Zones are left out of the comparison with blocks")
    func zones() throws {
        let policy = try PolicyCase.policy(entries("fe80::/10"))
        let requirements = policy.requirements(for: ATSDestination(host: "fe80::1%en0", isLocal: false))
        #expect(requirements.exception?.name == "fe80::/10")
        let name = ATSDestination(host: "example.com%en0")
        #expect(name.address == nil && ATSDestination(host: "10.0.0.1%en0").address == nil)
    }

    @Test("Brackets are no part of an address")
    func brackets() {
        let destination = ATSDestination(host: "[2001:db8::1]")
        #expect(destination.host == "2001:db8::1" && destination.address != nil)
    }
}
