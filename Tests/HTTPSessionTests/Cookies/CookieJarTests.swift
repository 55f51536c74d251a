//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust
import TestSupport
import Testing

@testable import HTTPSession

@Suite("Which cookies are sent")
struct CookieJarTests {
    @Test(
        "Only hosts that a cookie is for get it",
        arguments: [
            ("a=b", "www.example.com", true), ("a=b", "WWW.Example.COM", true), ("a=b", "www.example.com.", true),
            ("a=b", "example.com", false), ("a=b", "sub.www.example.com", false), ("a=b", "xwww.example.com", false),
            ("a=b; Domain=example.com", "example.com", true), ("a=b; Domain=example.com", "a.b.example.com", true),
            ("a=b; Domain=example.com", "badexample.com", false),
            ("a=b; Domain=example.com", "example.com.evil.org", false),
            ("a=b; Domain=example.com", "com", false), ("a=b; Domain=www.example.com", "example.com", false),
        ])
    func hosts(field: String, host: String, isSent: Bool) throws {
        var jar = jar()
        try jar.set("https://www.example.com/", field)
        #expect(try jar.sent("https://\(host)/") == (isSent ? "a=b" : ""))
    }

    @Test("An address has no domain above it")
    func addresses() throws {
        var jar = jar()
        #expect(try jar.set("https://10.0.0.1/", "a=b; Domain=0.0.1") == [.foreignDomain])
        #expect(try jar.set("https://10.0.0.1/", "a=b; Domain=.0.0.1") == [.foreignDomain])
        #expect(try jar.set("https://10.0.0.1/", "a=b; Domain=10.0.0.1").isEmpty)
        #expect(try jar.set("https://[2001:db8::1]/", "c=d").isEmpty)
        #expect(try jar.sent("https://10.0.0.1/") == "a=b")
        #expect(try jar.sent("https://110.0.0.1/") == "")
        #expect(try jar.sent("https://[2001:DB8:0::1]/") == "c=d")
        #expect(!jar.cookies.map(\.isHostOnly).contains(false))
    }

    @Test(
        "Nothing is set for public suffixes but by themselves, for themselves",
        arguments: [
            ("www.github.io", "github.io", nil), ("github.io", "github.io", true), ("one.two.ck", "two.ck", nil),
            ("two.ck", "two.ck", true), ("a.www.ck", "www.ck", false), ("localhost", "localhost", true),
            ("a.intranet", "intranet", nil), ("a.github.io", "a.github.io", false), ("example.com", "com", nil),
        ])
    func publicSuffixes(host: String, domain: String, isHostOnly: Bool?) throws {
        var jar = jar()
        let reasons = try jar.set("https://\(host)/", "a=b; Domain=\(domain)")
        #expect(reasons == (isHostOnly == nil ? [.publicSuffix] : []))
        #expect(jar.cookies.first?.isHostOnly == isHostOnly)
    }

    @Test(
        "The path of a request decides where a cookie without one is for",
        arguments: [
            ("", "/"), ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/?x=/y/z", "/a/b"),
            ("/a/b#/c", "/a"),
            ("//", "/"), ("*", "/"),
        ])
    func defaultPath(path: String, expected: String) throws {
        let origin = CookieOrigin(scheme: "https", host: try Host("example.com"), path: path)
        #expect(origin.defaultPath == expected)
    }

    @Test(
        "Only paths that a cookie is for get it",
        arguments: [
            ("/", "/", true), ("/", "", true), ("/", "/a", true), ("/a", "/a", true), ("/a", "/a/", true),
            ("/a", "/a/b", true), ("/a", "/a?b", true), ("/a/", "/a/b", true), ("/a", "/ab", false),
            ("/a/", "/a", false),
            ("/a", "/A", false), ("/a", "/", false), ("/a%2Fb", "/a/b", false), ("/a/b", "/a", false),
        ])
    func paths(cookie: String, request: String, isSent: Bool) throws {
        var jar = jar()
        try jar.set("https://example.com/", "a=b; Path=\(cookie)")
        #expect(try jar.sent("https://example.com\(request)") == (isSent ? "a=b" : ""))
    }

    @Test("Cookies for TLS alone are neither set nor sent without it, except on this machine")
    func secure() throws {
        var jar = jar()
        #expect(try jar.set("http://example.com/", "a=b; Secure") == [.secureWithoutTLS])
        try jar.set("https://example.com/", "a=b; Secure", "c=d")
        #expect(try jar.sent("http://example.com/") == "c=d")
        #expect(try jar.sent("HTTPS://example.com/") == "a=b; c=d")
        #expect(try jar.sent("ws://example.com/") == "c=d")
        #expect(try jar.sent("wss://example.com/") == "a=b; c=d")
        for host in ["localhost", "127.0.0.1", "[::1]"] {
            #expect(try jar.set("http://\(host)/", "a=b; Secure").isEmpty)
            #expect(try jar.sent("http://\(host)/") == "a=b")
        }
        #expect(try jar.set("http://localhost.example.com/", "a=b; Secure") == [.secureWithoutTLS])
    }

    @Test(
        "Without TLS, no cookie takes the place of one that is for TLS alone",
        arguments: [
            ("http://example.com/", "a=x; Path=/p", true), ("http://example.com/", "a=x; Path=/p/q", true),
            ("http://sub.example.com/", "a=x; Path=/p", true),
            ("http://sub.example.com/", "a=x; Domain=example.com; Path=/p", true),
            ("http://example.com/", "a=; Max-Age=0; Path=/p", true),
            ("http://example.com/", "b=x; Path=/p", false), ("http://other.com/", "a=x; Path=/p", false),
            ("http://example.com/", "a=x; Path=/", false), ("https://example.com/", "a=x; Path=/p", false),
        ])
    func overlay(url: String, field: String, isRefused: Bool) throws {
        var jar = jar()
        try jar.set("https://example.com/", "a=b; Secure; Domain=example.com; Path=/p")
        #expect(try jar.set(url, field) == (isRefused ? [.overlaysSecure] : []))
        #expect(jar.count == (isRefused ? 1 : 2))
    }

    @Test("A cookie of a path above the one for TLS alone may be set without TLS")
    func overlayAbove() throws {
        var jar = jar()
        try jar.set("https://example.com/", "a=b; Secure; Path=/p")
        #expect(try jar.set("http://example.com/", "a=x; Path=/").isEmpty)
        #expect(try jar.sent("https://example.com/p") == "a=b; a=x")
    }

    @Test(
        "A cookie for other sites is refused unless it is for TLS alone",
        arguments: [
            ("https://example.com/", "a=b; SameSite=None", true), ("http://example.com/", "a=b; samesite=NONE", true),
            ("https://example.com/", "a=b; SameSite=Lax; SameSite=none", true),
            ("https://example.com/", "a=b; SameSite=None; Secure", false),
            ("https://example.com/", "a=b; SameSite=None; SameSite=Strict", false),
            ("https://example.com/", "a=b; SameSite=what", false), ("http://example.com/", "a=b; SameSite=Lax", false),
        ])
    func crossSite(url: String, field: String, isRefused: Bool) throws {
        var jar = jar()
        #expect(try jar.set(url, field) == (isRefused ? [.crossSiteWithoutSecure] : []))
        #expect(jar.count == (isRefused ? 0 : 1))
    }

    @Test("Prefixes of names keep what they promise")
    func prefixes() throws {
        var jar = jar()
        let url = "https://example.com/"
        #expect(try jar.set(url, "__Secure-a=b; Secure; Domain=example.com", "__Host-a=b; Secure; Path=/").isEmpty)
        #expect(try jar.set(url, "__Hosta=b", "_Host-a=b", "__SecureX=b").isEmpty)
        #expect(try jar.set("http://example.com/", "__Secure-b=c; Secure") == [.secureWithoutTLS])
    }

    @Test("The longest paths come first, and then the oldest cookies")
    func order() throws {
        var jar = jar()
        try jar.set(
            "https://home.example.org/a/b", "k=0;", "k=1; Path=/a", "k=2; Path=/", "k=3; Path=/bar",
            "k=4; Domain=.example.org", "k=5; Domain=.example.org; Path=/a/foo")
        #expect(try jar.sent("https://home.example.org/a/foo/baz") == "k=5; k=1; k=4; k=2")
        try jar.set("https://home.example.org/", "z=1", "a=2", "z=3")
        #expect(try jar.sent("https://home.example.org/") == "k=2; z=3; a=2", "a new value keeps its place")
    }

    @Test("A cookie ends when its time has come")
    func expiry() throws {
        var jar = jar()
        try jar.set("https://example.com/", "a=b; Max-Age=10", "c=d")
        #expect(try jar.sent("https://example.com/", at: now + 9) == "a=b; c=d")
        #expect(try jar.sent("https://example.com/", at: now + 10) == "c=d")
        jar.removeExpired(at: now + 10)
        #expect(jar.count == 1)
        jar.removeSessionCookies()
        #expect(jar.count == 0)
    }

    @Test("A domain holds so many cookies, and those for TLS alone stay longest")
    func perDomain() throws {
        var jar = jar()
        try jar.set("https://example.com/", "first=1; Secure", "ended=1; Max-Age=1")
        for index in 0..<178 { try jar.set("https://example.com/", "c\(index)=1") }
        #expect(jar.count == 180)
        try jar.set("https://example.com/", "more=1", at: now + 5)
        #expect(jar.count == 180)
        #expect(!jar.cookies.contains { $0.name == Array("ended".utf8) })
        try jar.set("https://example.com/", "most=1", at: now + 5)
        #expect(jar.cookies.prefix(2).map { String(decoding: $0.name, as: UTF8.self) } == ["first", "c1"])
        try jar.set("https://example.org/", "other=1")
        #expect(jar.count == 181)
    }

    @Test("A jar holds so many cookies, and those not sent for long go first")
    func total() throws {
        var jar = jar()
        jar.limits.total = 10
        for index in 0..<10 { try jar.set("https://a\(index).example.com/", "c=1") }
        #expect(try jar.sent("https://a0.example.com/") == "c=1")
        try jar.set("https://new.example.com/", "c=1")
        #expect(jar.count == 10)
        #expect(try jar.sent("https://a0.example.com/") == "c=1")
        #expect(try jar.sent("https://a1.example.com/") == "")
        jar.limits.total = -1
        jar.limits.perDomain = -1
        try jar.set("https://new.example.com/", "d=1")
        #expect(jar.count == 0)
    }

    @Test("A request has so many cookies, and so many octets of them")
    func perRequest() throws {
        var jar = jar()
        for index in 0..<170 { try jar.set("https://example.com/", "c\(index)=1") }
        #expect(try jar.sent("https://example.com/").split(separator: ";").count == 150)
        var other = self.makeLarge()
        #expect(try other.sent("https://example.com/").utf8.count == 2 * 4_002 + 2)
        other.limits.requestOctets = 8 + 4_002
        #expect(try other.sent("https://example.com/") == "")
        other.limits.requestOctets += 1
        #expect(try other.sent("https://example.com/").utf8.count == 4_002)
    }

    private func makeLarge() -> CookieJar {
        var jar = jar()
        let value = String(repeating: "x", count: 4_000)
        for name in ["a", "b", "c"] { _ = try? jar.set("https://example.com/", "\(name)=\(value)") }
        return jar
    }

    @Test("A full jar answers in a moment")
    func cost() throws {
        var jar = jar()
        for domain in 0..<100 {
            for index in 0..<30 { try jar.set("http://d\(domain).example.com/", "c\(index)=1; Path=/\(index)") }
        }
        #expect(jar.count == 3_000)
        let time = try ProcessorTime.measure {
            for index in 0..<200 { try jar.set("http://x.example.com/", "n\(index)=1") }
            for _ in 0..<200 { _ = try jar.sent("http://d7.example.com/7") }
        }
        #expect(time < .seconds(5))
    }
}
