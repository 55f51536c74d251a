//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Testing

@testable import ServerTrust

@Suite("Hosts")
struct HostTests {
    @Test(
        "Text that readers take for different hosts, or for none, is refused",
        arguments: [
            "", ".", "..", "a..b", ".a", "a.b..", "127.1", "0x7f.0.0.1", "0x7f.1", "10.1", "2130706433", "0x7f000001",
            "017700000001", "192.0.2.256", "192.0.2.1.1", "192.0.2.01", "a.0x7f", "example.1", "192.0.2.1.",
            "fe80::1%eth0",
            "[fe80::1%25eth0]", "[::1", "::1]", "[192.0.2.1]", "[example.com]", "example.com:443", "a b", "a\tb",
            "a\nb",
            "a\0b", "a\\b", "a/b", "a?b", "a#b", "a@b", "a%2eb", "%65xample.com", "*.example.com", "*", "-a.com",
            "a-.com",
            "::1::", ":::", "1::2::3", "::ffff:192.0.2.256", "::1.2.3", "12345::",
        ])
    func refused(text: String) {
        #expect(throws: InvalidReferenceIdentity.self) { try Host(text) }
    }

    @Test(
        "A name or address has one text, however it is written",
        arguments: [
            ("EXAMPLE.com.", "example.com"), ("xn--BCHER-kva.example", "xn--bcher-kva.example"),
            ("B\u{DC}CHER.example", "xn--bcher-kva.example"), ("b\u{FC}cher\u{3002}example", "xn--bcher-kva.example"),
            ("stra\u{DF}e.de", "xn--strae-oqa.de"), ("\u{3B2}\u{3CC}\u{3BB}\u{3BF}\u{3C2}.com", "xn--nxasmm1c.com"),
            ("\u{4F8B}\u{3048}.\u{30C6}\u{30B9}\u{30C8}", "xn--r8jz45g.xn--zckzah"),
            ("192.0.2.1", "192.0.2.1"), ("[2001:DB8:0:0::1]", "2001:db8::1"),
            ("2001:db8::192.0.2.1", "2001:db8::c000:201"),
            ("localhost", "localhost"), ("\u{212A}elvin.example", "kelvin.example"),
            ("_acme.example.com", "_acme.example.com"),
        ])
    func canonical(written: String, text: String) throws {
        let host = try Host(written)
        #expect(host.text == text)
        #expect(try host == Host(text))
        #expect(host.hashValue == (try Host(text)).hashValue)
        #expect(host.written == written.filter { $0 != "[" && $0 != "]" })
        #expect(host.serverNameIndication == (host.isAddress ? nil : text))
        #expect(host.textInURL == (text.contains(":") ? "[\(text)]" : text))
    }

    @Test(
        "Letters that Unicode's mapping for names changes, and marks that it joins, are refused",
        arguments: [
            "\u{17F}hop.example", "\u{FF45}xample.com", "\u{FB01}sh.example", "bu\u{308}cher.example",
            "\u{130}stanbul.example", "a\u{200D}b.example", "a\u{200B}b.example", "a\u{AD}b.example",
            "\u{301}a.example",
            "\u{2488}com", "\u{1D41A}.example", "\u{1112}\u{1161}\u{11AB}.example", "\u{9C7}\u{9BE}.example",
            "a\u{303}\u{31B}.example", "\u{2260}.example", "\u{00BC}.example", "\u{2024}com", "a\u{0340}.example",
        ])
    func unstable(text: String) {
        #expect(throws: InvalidReferenceIdentity.self) { try Host(text) }
        #expect(throws: HostPatternError.self) { try HostPattern(text) }
    }

    @Test(
        "A label that begins as A-labels do and has other characters is refused",
        arguments: [
            "xn--b\u{FC}cher.example", "XN--\u{E4}.example", "www.xn--\u{4F8B}", "xn--caf\u{E9}-dma.example",
            "\u{FF58}n--bcher-kva.example",
        ])
    func disguised(text: String) {
        #expect(throws: InvalidReferenceIdentity.self) { try Host(text) }
        #expect(throws: HostPatternError.self) { try HostPattern(text) }
    }

    @Test("Rules for an IPv4 address hold for the IPv6 address that maps it, and certificates tell the two apart")
    func mapped() throws {
        let (mapped, plain) = (try Host("::ffff:192.0.2.1"), try Host("192.0.2.1"))
        #expect(mapped != plain)
        #expect(mapped.identity != plain.identity)
        var table = HostTable<Int>()
        try table.insert(1, for: try HostPattern("192.0.2.1"))
        #expect(table.entry(for: mapped, port: nil)?.value == 1)
        #expect(throws: HostPatternError.self) { try table.insert(2, for: try HostPattern("[::FFFF:c000:201]")) }
        #expect(try HostPattern("::ffff:192.0.2.1").matches("192.0.2.1"))
    }
}

@Suite("Authorities and URLs")
struct AuthorityTests {
    @Test(
        "An authority that readers take apart in different ways is refused",
        arguments: [
            ("a@b@c", Authority.Fault.severalUsers), ("", .missingHost), ("user@", .missingHost),
            (":443", .missingHost),
            ("[::1", .brackets), ("[::1]x", .brackets), ("[a]", .brackets), ("a:0", .port), ("a:65536", .port),
            ("a:+1", .port), ("a:1 ", .forbiddenCharacter), ("a\\b", .forbiddenCharacter),
            ("a\u{7F}", .forbiddenCharacter),
            ("a:00000080", .port), ("a:\u{661}", .port), ("a:", .port),
        ])
    func refused(text: String, fault: Authority.Fault) {
        #expect(throws: fault) { try Authority(text[...]) }
    }

    @Test("A mark behind a sign does not hide the sign")
    func combiningMarks() throws {
        let url = try AuthorityURL("https://good.example/\u{301}@evil.example")
        #expect(url.authority.host.text == "good.example")
        #expect(throws: Authority.Fault.severalUsers) { try Authority("a@\u{301}b@\u{301}c") }
    }

    @Test(
        "The parts of an authority",
        arguments: [
            ("example.com", nil, "example.com", nil), ("example.com:8443", nil, "example.com", 8_443),
            ("[::1]:1", nil, "::1", 1), ("[::1]", nil, "::1", nil), ("::1", nil, "::1", nil),
            ("u:p%40@Example.com:65535", "u:p%40", "example.com", 65_535), ("@a", "", "a", nil),
        ] as [(String, String?, String, Int?)])
    func parts(text: String, user: String?, host: String, port: Int?) throws {
        let authority = try Authority(text[...])
        #expect(authority.userInformation.map(String.init) == user)
        #expect(authority.host.text == host)
        #expect(authority.port == port)
    }

    @Test("The parts of a URL")
    func url() throws {
        let url = try AuthorityURL("HTTPS://u@Example.com:/p/a?q#f")
        #expect(url.scheme == "https")
        #expect(url.authority.host.text == "example.com")
        #expect(url.authority.port == nil)
        #expect(url.rest == "/p/a?q#f")
        #expect(throws: AuthorityURL.Fault.authority(.brackets)) { try AuthorityURL("https://2001::1") }
        for text in ["example.com", "//example.com", "https:example.com", "https:/example.com", "1s://a", "ht tp://a"] {
            #expect(throws: AuthorityURL.Fault.missingScheme) { try AuthorityURL(text) }
        }
    }
}
