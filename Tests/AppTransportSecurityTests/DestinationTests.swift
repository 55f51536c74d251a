//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Testing

/// What readers of URLs take in different ways, and Apple's may load from elsewhere or not at all.
private let refused: [(String, String)] = [
    ("", "no host"), ("https://", "no host"), ("https:///path", "no host"), ("https://[::1", "brackets"),
    ("https://[fe80::1%25e\u{CB}n0]", "brackets"), ("https://[fe80::1%25]", "brackets"),
    ("ftp://example.com", "http and https only"), ("file:///etc/passwd", "http and https only"),
    ("javascript://example.com", "http and https only"),
    // Ports.
    ("https://example.com:0", "port"), ("https://example.com:70000", "port"), ("https://a:b:c/", "colon"),
    ("http://[::1]:99999999999999999999", "port"), ("http://example.com:+80", "port"),
    // Where browsers and RFC 3986 disagree on where the host ends.
    ("http:\\\\example.com", "not a URL"), ("http://example.com\\@example.org/", "backslash"),
    ("http://a@example.org@example.com", "more than one '@'"), ("http:example.com", "not a URL"),
    ("http:/example.com", "not a URL"),
    ("https:443", "not a URL"),
    // What some strip, some decode and some map.
    ("http://exa\tmple.com", "not a URL"), ("http://example.com\n", "not a URL"), (" http://example.com", "not a URL"),
    ("https://exa mple.com", "not a URL"), ("http://a%00b.com", "character no host name has"),
    ("http://ex%61mple.com", "character no host name has"),
    ("http://printer%2Eexample", "character no host name has"), ("http://%5B::1%5D/", ""),
    ("http://printer%41", "character no host name has"),
    ("http://%20", "character no host name has"), ("http://a,b", "character no host name has"),
    ("http://a\u{0}b.com", "not a URL"),
    ("http://\u{FF45}xample", "xn--"), ("http://bu\u{308}cher.example", "xn--"), ("http://\u{301}example.com", "xn--"),
    // Addresses in disguise: 127.0.0.1 and 203.0.113.1 to inet_aton(3), and names without a dot to everyone else.
    ("http://127.1", "four decimal numbers"), ("http://0x7f.1", "four decimal numbers"),
    ("http://0177.0.0.1", "four decimal numbers"),
    ("http://3405803777", "four decimal numbers"), ("http://0xCB007101", "four decimal numbers"),
    ("http://1.2.3.4.", "four decimal numbers"),
    ("http://1.2.3.256", "four decimal numbers"), ("http://a.0x", "four decimal numbers"),
    ("1", "four decimal numbers"),
    ("http://[v1.a]", "brackets"), ("http://[]", "brackets"), ("http://[127.0.0.1]", "brackets"),
    ("http://[::1%]", ""),
]

@Suite("Destinations")
struct DestinationTests {
    @Test("Text that readers could take for another host is refused with what to write", arguments: refused)
    func noURLs(text: String, word: String) throws {
        let error = try #require(throws: ATSDestinationError.self) { try ATSDestination(url: text) }
        #expect(error.description.contains("Write https://HOST"))
        #expect(error.description.contains(word), "\(error)")
    }

    @Test("A text as long as a file is refused")
    func long() {
        #expect(throws: ATSDestinationError.self) {
            try ATSDestination(url: "https://a.test/" + String(repeating: "a", count: 10_000))
        }
    }

    @Test(
        "A URL gives its host, scheme and port",
        arguments: [
            ("https://example.com", "example.com", 443), ("http://example.com/a?b#c", "example.com", 80),
            ("example.com", "example.com", 443), ("example.com:8443", "example.com", 8443),
            ("https://user:password@example.com:1234/", "example.com", 1234),
            ("HTTPS://Example.com", "Example.com", 443), ("https://example.com:/", "example.com", 443),
            ("https://[2001:db8::1]:8443/", "2001:db8::1", 8443), ("https://192.0.2.1", "192.0.2.1", 443),
            ("https://[2001:db8::1]", "2001:db8::1", 443), ("http://[fe80::1%25en0]/", "fe80::1%en0", 80),
            ("https://[::ffff:192.0.2.1]", "::ffff:192.0.2.1", 443), ("https://example.com./", "example.com.", 443),
            ("https://a_b.example", "a_b.example", 443), ("https://1a.2b", "1a.2b", 443),
            ("https://a.test/http://b.test", "a.test", 443), ("a.test/?u=http://b.test", "a.test", 443),
            ("https://a.test?@b.test", "a.test", 443), ("https://a.test#@b.test", "a.test", 443),
            ("https://a.test/b\u{FC}cher/@x", "a.test", 443),
            ("https://xn--bcher-kva.example", "xn--bcher-kva.example", 443),
            ("https://b\u{FC}cher.example", "xn--bcher-kva.example", 443),
            ("http://example\u{3002}com", "example.com", 80), ("http://\u{212A}elvin", "kelvin", 80),
        ])
    func urls(text: String, host: String, port: Int) throws {
        let destination = try ATSDestination(url: text)
        #expect(destination.host == host && destination.port == port)
        #expect(destination.scheme == (text.hasPrefix("http:") ? .http : .https))
    }

    @Test(
        "A name without a dot is not local when it may be an address, or have other dots",
        arguments: [
            "3405803777", "0xcb007101", "0X7F000001", "017700000001", "example\u{3002}com", "example\u{FF0E}com",
            "example\u{FF61}com", "b\u{FC}cher", "2001:db8::g", "exam ple", "a%2Ecom", "a\u{0}b", "[2001:db8::1",
        ])
    func disguises(host: String) throws {
        let requirements = ATSPolicy(ATSDictionary()).requirements(for: ATSDestination(host: host))
        #expect(requirements.requiresTLS)
    }

    @Test(
        "Brackets and zones are no part of an address's number, and only of an address",
        arguments: [
            ("[2001:db8::1]", true), ("fe80::1%en0", true), ("[fe80::1%en0]", true), ("[[::1]]", false), ("[]", false),
            ("10.0.0.1%en0", false), ("[10.0.0.1]", true), ("010.0.0.1", false), ("%", false), ("", false),
        ])
    func addresses(host: String, isAddress: Bool) {
        #expect((ATSDestination(host: host).address != nil) == isAddress)
    }
}
