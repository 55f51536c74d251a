//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import HTTPTypes
import ServerTrust
import Testing

@testable import HTTPSession

@Suite("What a Set-Cookie field says")
struct SetCookieTests {
    @Test(
        "Fields that set no cookie, and why",
        arguments: [
            ("", .missingName), ("foo", .missingName), ("=", .missingName), ("=bar", .missingName),
            (" =bar", .missingName), ("; a=b", .missingName), ("   ", .missingName), ("foo;bar=baz", .missingName),
            ("a=b\u{0}c", .controlCharacter), ("a=b; path=/\u{1F}", .controlCharacter),
            ("a=b\u{7F}", .controlCharacter),
            ("a=b\nc", .controlCharacter), ("a=b\r", .controlCharacter), ("a\u{8}=b", .controlCharacter),
            ("a=b\tc", .tab), ("a\tb=c", .tab), ("a=b; Path=/x\ty", .tab),
            ("a=b; Domain=other.com", .foreignDomain), ("a=b; Domain=sub.www.example.com", .foreignDomain),
            ("a=b; Domain=ample.com", .foreignDomain), ("a=b; Domain=example.com.", .foreignDomain),
            ("a=b; Domain=..example.com", .foreignDomain), ("a=b; Domain=example..com", .foreignDomain),
            ("a=b; Domain=. example.com", .foreignDomain), ("a=b; Domain=example.com:80", .foreignDomain),
            ("a=b; Domain=\"example.com\"", .foreignDomain), ("a=b; Domain=*.example.com", .foreignDomain),
            ("a=b; Domain=.", .foreignDomain), ("a=b; Domain=example.com; Domain=other.com", .foreignDomain),
            ("a=b; Domain=127.0.0.1", .foreignDomain), ("a=b; Domain=com", .publicSuffix),
            ("a=b; Domain=.COM", .publicSuffix), ("a=b; Domain=unlisted", .publicSuffix),
            ("__Secure-a=b", .prefix), ("__secure-a=b; Path=/", .prefix), ("__Host-a=b; Path=/", .prefix),
            ("__Host-a=b; Secure", .prefix), ("__Host-a=b; Secure; Path=/x", .prefix),
            ("__Host-a=b; Secure; Path=/; Path=/x", .prefix),
            ("__HOST-a=b; Secure; Path=/; Domain=www.example.com", .prefix),
        ] as [(String, CookieRefusal.Reason)])
    func refused(field: String, reason: CookieRefusal.Reason) throws {
        var jar = jar()
        #expect(try jar.set("https://www.example.com/", field) == [reason])
        #expect(jar.count == 0)
    }

    @Test("Large cookies are refused, and large attributes are passed over")
    func sizes() throws {
        var jar = jar()
        func text(_ count: Int) -> String { String(repeating: "x", count: count) }
        #expect(try jar.set("https://a.example.com/", "a=\(text(4_096))") == [.tooLarge])
        #expect(try jar.set("https://a.example.com/", "\(text(2_049))=\(text(2_048))") == [.tooLarge])
        #expect(try jar.set("https://a.example.com/", "a=\(text(20_000))") == [.tooLarge])
        #expect(try jar.set("https://a.example.com/", "a=b\(text(0)); x=\(text(20_000))") == [.tooLarge])
        #expect(jar.count == 0)
        #expect(try jar.set("https://a.example.com/", "a=\(text(4_095))").isEmpty)
        #expect(try jar.set("https://a.example.com/", "b=c; Path=/\(text(1_024)); Domain=\(text(1_025))").isEmpty)
        #expect(jar.cookies.last?.path == "/")
        #expect(try jar.set("https://a.example.com/", "d=e; Path=/\(text(1_023))").isEmpty)
        #expect(jar.cookies.last?.path.utf8.count == 1_024)
    }

    @Test(
        "Name and value end at the first semicolon, and are divided by the first equals sign",
        arguments: [
            ("foo=bar", "foo=bar"), ("  A  = BC  ;foo;;;   bar", "A=BC"), ("  A=== BC  ;", "A=== BC"), ("x=", "x="),
            ("a=\"b;c\"", "a=\"b"), ("foo=\"  bar \"", "foo=\"  bar \""), ("z=y, a=b", "z=y, a=b"),
            ("$V=1; a=b", "$V=1"),
            ("foo bar=baz", "foo bar=baz"), ("\ta\t=\tb\t", "a=b"), ("a=b;", "a=b"),
            ("\u{6625}=\u{8282}", "\u{6625}=\u{8282}"),
            ("a=b; =; ;;=c; Secure=no; path", "a=b"), ("\"a=b\"=c", "\"a=b\"=c"), ("a=b; Version=1", "a=b"),
        ])
    func pairs(field: String, expected: String) throws {
        var jar = jar()
        #expect(try jar.set("https://www.example.com/", field).isEmpty)
        #expect(try jar.sent("https://www.example.com/") == expected)
    }

    @Test("Octets of a server come back as they were")
    func octets() throws {
        var jar = jar()
        let origin = try origin("https://www.example.com/")
        var fields = HTTPFields()
        fields.append(HTTPField(name: .setCookie, value: Array("a=".utf8) + [0xE4, 0xFF]))
        let refusals = jar.store(fields, from: origin, at: now)
        #expect(refusals.isEmpty)
        let field = jar.field(for: origin, at: now)
        let sent = field.map { $0.withUnsafeBytesOfValue { Array($0) } }
        #expect(sent == Array("a=".utf8) + [0xE4, 0xFF])
        #expect(field?.name == .cookie)
    }

    @Test(
        "Attributes: the last of a name counts, and what cannot be read is passed over",
        arguments: [
            ("a=b; seCURe; HTTPonly", "secure http"), ("a=b; Secure =x;HttpOnly=0", "secure http"),
            ("a=b; \"Secure\"; Secure qux", ""), ("a=b; SameSite=lax; SameSite=STRICT", "Strict"),
            ("a=b; Secure; SameSite=none", "secure None"), ("a=b; SameSite=Lax; SameSite=what", ""),
            ("a=b; Path=/x; Path=/y", "/y"),
            ("a=b; Path=/x; Path=", ""), ("a=b; Path=; path = /x ", "/x"), ("a=b; Path=x", ""),
            ("a=b; path=\"/x\"", "/x"),
            ("a=b; Path=/x?", "/x?"), ("a=b; Domain=example.com; Domain=", ".example.com"), ("a=b; Domain=", ""),
            ("a=b; Domain=other.com; Domain=.Example.Com", ".example.com"),
            ("a=b; domain=  .example.com ", ".example.com"),
            ("a=b; Domain=www.example.com", ".www.example.com"),
            ("a=b; Max-Age=10", "10"), ("a=b; Max-Age=10; Max-Age=20", "20"), ("a=b; Max-Age=10; Max-Age=x", "10"),
            ("a=b; Max-Age=+10", ""), ("a=b; Max-Age=1.5", ""), ("a=b; Max-Age=", ""), ("a=b; Max-Age=\"10\"", ""),
            ("a=b; Expires=Fri, 01 May 2026 00:01:00 GMT", "60"),
            ("a=b; Expires=Fri, 01 May 2026 00:01:00 GMT; Expires=x", "60"),
            ("a=b; Max-Age=10; Expires=Fri, 01 May 2026 00:01:00 GMT", "10"),
            ("a=b; Expires=Fri, 01 May 2020 00:01:00 GMT; Max-Age=10", "10"),
            ("a=b; Max-Age=99999999999999999999999999", "34560000"),
            ("a=b; Expires=Fri, 01 May 9999 00:01:00 GMT", "34560000"),
        ])
    func attributes(field: String, expected: String) throws {
        var jar = jar()
        #expect(try jar.set("https://www.example.com/", field).isEmpty)
        let cookie = try #require(jar.cookies.first)
        let parts = [
            cookie.isHostOnly ? nil : ".\(cookie.domain)", cookie.path == "/" ? nil : cookie.path,
            cookie.isSecure ? "secure" : nil, cookie.isHTTPOnly ? "http" : nil, cookie.sameSite?.rawValue,
            cookie.expires.map { "\($0.secondsSinceEpoch - now.secondsSinceEpoch)" },
        ]
        #expect(parts.compactMap(\.self).joined(separator: " ") == expected)
    }

    @Test(
        "A cookie that has ended takes the one before it away",
        arguments: [
            "a=; Max-Age=0", "a=x; Max-Age=-1", "a=x; Max-Age=-99999999999999999999999", "a=x; Max-Age=-",
            "a=x; Expires=Thu, 10 Apr 1980 16:33:12 GMT", "a=x; Expires=Fri, 01 May 2026 00:00:00 GMT",
            "a=x; Expires=Fri, 01 May 2030 00:00:00 GMT; Max-Age=0",
        ])
    func ended(field: String) throws {
        var jar = jar()
        try jar.set("https://www.example.com/", "a=b", "c=d")
        #expect(try jar.set("https://www.example.com/", field).isEmpty)
        #expect(try jar.sent("https://www.example.com/") == "c=d")
        #expect(jar.count == 1)
    }

    @Test("Lifetimes are kept as they are where no limit is set")
    func uncapped() throws {
        var jar = jar()
        jar.limits.maximumAge = nil
        try jar.set("https://www.example.com/", "a=b; Max-Age=99999999999999999999999", "c=d; Max-Age=50000000")
        #expect(jar.cookies.map { $0.expires?.secondsSinceEpoch } == [.max, now.secondsSinceEpoch + 50_000_000])
    }

    @Test("Cookies without a name are kept where the caller wants them")
    func nameless() throws {
        var jar = jar()
        jar.acceptsNamelessCookies = true
        let url = "https://www.example.com/"
        #expect(try jar.set(url, "foo", "=bar").isEmpty)
        #expect(try jar.sent(url) == "bar")
        #expect(
            try jar.set(url, "", "=", "  ;x=y", "=__Host-a=b", "__Secure-a") == [
                .missingName, .missingName, .missingName, .prefix, .prefix,
            ])
    }

    @Test("Only so many fields of a response are read")
    func perResponse() throws {
        var (jar, fields) = (jar(), HTTPFields())
        for index in 0..<60 { fields.append(HTTPField(name: .setCookie, value: "c\(index)=1")) }
        let refusals = jar.store(fields, from: try origin("https://www.example.com/"), at: now)
        #expect(refusals.map(\.reason) == [.tooMany])
        #expect(jar.count == 50)
    }

    @Test("No description, dump or refusal holds a value")
    func secrets() throws {
        var jar = jar()
        try jar.set("https://www.example.com/", "name=Xyzzy42")
        var text = "\(jar.cookies[0]) \(String(reflecting: jar.cookies[0]))"
        dump(jar.cookies[0], to: &text)
        text += "\(jar) \(String(reflecting: jar))"
        dump(jar, to: &text)
        let origin = try origin("https://www.example.com/")
        for field in ["name=Xyzzy42\tb", "Xyzzy42", "name=Xyzzy42; Domain=com"] {
            let refusal = jar.store(setCookie: Array(field.utf8), from: origin, at: now)
            text += try #require(refusal).description
        }
        #expect(!text.contains("Xyzzy42"))
    }
}
