//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Testing

@testable import ServerTrustNIO

@Suite("Addresses a stranger may have requests sent to")
struct PublicAddressTests {
    @Test(
        "Special addresses are not public",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
            "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.9", "224.0.0.1",
            "239.255.255.255", "240.0.0.1", "255.255.255.255",
            "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b::7f00:1",
            "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:4136:e378::1", "2001:1ff::1",
            "2001:db8::1", "2002:7f00:1::1", "2002:808:808::1", "3fff::1", "3fff:fff::1", "5f00::1", "fc00::1",
            "fd12:3456::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "4000::1",
        ])
    func special(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isPublic == false)
    }

    @Test(
        "Their neighbours are",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.0.3.0",
            "192.88.98.255", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
            "2000::1", "2001:200::1", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2606:4700::1111", "3ffe::1",
            "3fff:1000::1",
        ])
    func ordinary(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isPublic)
    }
}

@Suite("URLs to fetch from")
struct NamedURLTests {
    @Test(
        "What is not a plain http URL is refused",
        arguments: [
            "", "http://", "http:///x", "https://ca.test/", "ftp://ca.test/", "ca.test", "//ca.test/", "http:ca.test",
            "http://user@ca.test/", "http://user:secret@ca.test/", "http://ca.test:0/", "http://ca.test:65536/",
            "http://ca.test:80:80/", "http://ca.test:+80/", "http://[::1/", "http://[127.0.0.1]/",
            "http://[fe80::1%25eth0]/",
            "http://ca test/", "http://ca.test/ x", "http://ca.test/\r\nX: y", "http://ca.test/\u{0}",
            "http://cä.test/",
            "http://ca..test/", "http://-ca.test/", "http://10.1/", "http://0x7f.1/", "http://%31%32%37.0.0.1/",
            "http://ca.test\\@127.0.0.1/", "http://ca.test/" + String(repeating: "x", count: 2_048),
        ])
    func unusable(url: String) {
        #expect(throws: ResourceError.self) { try HTTPURL(named: url, schemes: [.http]) }
    }

    @Test(
        "A URL is taken apart as RFC 3986 has it",
        arguments: [
            ("http://ca.test", "ca.test", 80, "/", "ca.test"), ("HTTP://CA.test:/a", "ca.test", 80, "/a", "ca.test"),
            ("http://ca.test:8080/a/b?c=/d#e", "ca.test", 8080, "/a/b?c=/d", "ca.test:8080"),
            ("http://ca.test?q", "ca.test", 80, "/?q", "ca.test"),
            ("http://[2001:DB8::1]:81/", "2001:db8::1", 81, "/", "[2001:db8::1]:81"),
            ("http://ca.test/@b:c", "ca.test", 80, "/@b:c", "ca.test"),
            ("http://192.0.2.1#f", "192.0.2.1", 80, "/", "192.0.2.1"),
        ] as [(String, String, Int, String, String)])
    func parts(url: String, host: String, port: Int, target: String, authority: String) throws {
        let location = try HTTPURL(named: url, schemes: [.http])
        #expect((location.host.text, location.port, location.target) == (host, port, target))
        #expect(location.authority == authority)
    }

    @Test("A redirect leads to another URL or another path, and to nothing else")
    func redirects() throws {
        let location = try HTTPURL("http://ca.test:8080/a/b")
        #expect(try location.resolving(named: "/c?d".utf8).authority == "ca.test:8080")
        #expect(try location.resolving(named: "/c?d".utf8).target == "/c?d")
        #expect(try location.resolving(named: "//other.test/x".utf8).host.text == "other.test")
        #expect(try location.resolving(named: "http://other.test/x".utf8).port == 80)
        for reference in [
            "c", "../c", "", "?x", "https://ca.test/", "file:///etc/passwd", "gopher://x/", "/a b", "/a\r\nb",
            "http://user@other.test/", "//user@other.test/", "//@other.test/", "http://ca.test:8080:1/", "/\u{E4}",
            "c/d:e",
            "/" + String(repeating: "x", count: 2_029),
        ] {
            #expect(throws: ResourceError.self) { try location.resolving(named: reference.utf8) }
        }
    }

    @Test(
        "A redirect of a page leads wherever it says, relative to the page",
        arguments: [
            ("https://b.test/x", "https://b.test/x"), ("//b.test:1/x", "https://b.test:1/x"),
            ("/c?d", "https://a.test/c?d"),
            ("c", "https://a.test/p/c"), ("?x=1", "https://a.test/p/q?x=1"), ("", "https://a.test/p/q?r"),
            ("#f", "https://a.test/p/q?r"), ("http://b.test", "http://b.test/"),
        ])
    func following(reference: String, url: String) throws {
        let page = try HTTPURL("https://a.test/p/q?r")
        #expect(try page.resolving(reference.utf8).description == url)
    }

    @Test(
        "A redirect to what cannot be loaded is refused",
        arguments: ["gopher://a/", "mailto:a@b", "/a\u{1}b"])
    func nowhere(reference: String) throws {
        let page = try HTTPURL("https://a.test/")
        #expect(throws: HTTPURLError.self) { try page.resolving(reference.utf8) }
    }
}
