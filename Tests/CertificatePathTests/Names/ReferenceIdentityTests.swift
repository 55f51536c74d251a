//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import CertificatePath

@Suite("Reference identities")
struct ReferenceIdentityTests {
    typealias Reason = InvalidReferenceIdentity.Reason

    static let refused: [(String, Reason)] = [
        ("", .empty), (".", .empty), ("..", .leadingDot), (".example.com", .leadingDot), ("example.com..", .emptyLabel),
        ("a..b", .emptyLabel), ("-a.com", .hyphenAtLabelEnd), ("a-.com", .hyphenAtLabelEnd),
        ("bücher.example", .notASCII), ("ex\u{430}mple.com", .notASCII), ("example。com", .notASCII),
        ("*.example.com", .wildcard), ("*", .wildcard), ("a*.example.com", .wildcard),
        ("example.com:443", .forbiddenCharacter(0x3A)), ("https://example.com", .forbiddenCharacter(0x3A)),
        ("example.com/", .forbiddenCharacter(0x2F)), ("user@example.com", .forbiddenCharacter(0x40)),
        ("example.com\0.evil.example", .forbiddenCharacter(0)), ("exa mple.com", .forbiddenCharacter(0x20)),
        ("example.com\n", .forbiddenCharacter(0x0A)), ("example%2ecom", .forbiddenCharacter(0x25)),
        ("fe80::1%eth0", .zoneIdentifier), ("[fe80::1%25en0]", .zoneIdentifier),
        ("[192.0.2.1]", .forbiddenCharacter(0x5B)), ("1.2.3", .notAnIPAddress), ("256.1.1.1", .notAnIPAddress),
        ("01.2.3.4", .notAnIPAddress), ("2130706433", .notAnIPAddress), ("0x7f.1", .notAnIPAddress),
        ("1.2.3.0x4", .notAnIPAddress), ("a.0x", .notAnIPAddress), ("a.1", .notAnIPAddress),
        ("1.2.3.4.5", .notAnIPAddress), ("a.1_2", .numericLastLabel), ("a._", .numericLastLabel),
        (String(repeating: "a", count: 64) + ".com", .labelTooLong),
        (String(repeating: "a.", count: 127) + "aa", .tooLong), (String(repeating: "\0", count: 1_000_000), .tooLong),
    ]

    @Test("Text that is no host is refused with what to write instead", arguments: Self.refused)
    func refuses(host: String, reason: Reason) {
        let error = #expect(throws: InvalidReferenceIdentity.self) { try ReferenceIdentity(host: host) }
        #expect(error?.reason == reason)
        let text = error?.description ?? ""
        #expect(text.contains(". Write ") || text.contains("and no DNS "))
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    static let hosts: [(String, String)] = [
        ("localhost", "localhost"), ("Example.COM", "example.com"), ("example.com.", "example.com"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("_dmarc.a_b.example", "_dmarc.a_b.example"),
        ("1.example", "1.example"), ("3com.3com", "3com.3com"), (longestLabel, longestLabel), (longest, longest),
    ]

    private static let longestLabel = String(repeating: "a", count: 63) + ".com"
    private static let longest = String(repeating: "a.", count: 127) + "b"

    @Test("A host is read as it was typed", arguments: Self.hosts)
    func readsNames(host: String, expected: String) throws {
        #expect(try ReferenceIdentity(host: host) == .dnsName(expected))
    }

    @Test("IP addresses are told from names", arguments: ["192.0.2.1", "::1", "[2001:db8::1]", "::ffff:192.0.2.1"])
    func readsAddresses(host: String) throws {
        let address = try #require(IPAddress(host))
        #expect(try ReferenceIdentity(host: host) == .ipAddress(address))
    }

    @Test("Of all octets, letters, digits, hyphens and underscores make names")
    func everyOctet() {
        for octet in UInt8.min..<0x80 {
            let host = "a" + String(decoding: [octet], as: UTF8.self) + "b.example"
            let isAllowed = octet.isASCIILetter || octet.isASCIIDigit || "-_.".utf8.contains(octet)
            var isRead = true
            do { _ = try ReferenceIdentity(host: host) } catch { isRead = false }
            #expect(isRead == isAllowed, "\(octet)")
        }
    }

    @Test("An identity is written as a person would read it")
    func descriptions() throws {
        #expect(try ReferenceIdentity(host: "Example.com.").description == "example.com")
        #expect(try ReferenceIdentity(host: "[::1]").description == "::1")
        #expect(ReferenceIdentity.dnsName("a\u{1B}").description == "a\\x1b")
    }
}
