//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import HTTPSession
import ServerTrust
import Testing

private let end = now.secondsSinceEpoch + 100

private func line(_ fields: String...) -> String { fields.joined(separator: "\t") }

/// The lines of a text that hold no cookie.
private func read(_ text: String, into jar: inout CookieJar, fieldsFrom origin: CookieOrigin? = nil) -> [Int] {
    NetscapeCookieText.read(Array(text.utf8), into: &jar, at: now, fieldsFrom: origin).map(\.line)
}

@Suite("Files of cookies")
struct NetscapeCookieTextTests {
    @Test(
        "A damaged line is told and passed over",
        arguments: [
            "example.com FALSE / FALSE 0 a b", line("example.com", "FALSE", "/", "FALSE", "0"), "x",
            line("example.com", "FALSE", "/", "FALSE", "0", "a", "b", "c"),
            line("", "FALSE", "/", "FALSE", "0", "a", "b"),
            line("example com", "FALSE", "/", "FALSE", "0", "a", "b"),
            line("example.com", "YES", "/", "FALSE", "0", "a", "b"),
            line("example.com", "FALSE", "x", "FALSE", "0", "a", "b"),
            line("example.com", "FALSE", "", "FALSE", "0", "a", "b"),
            line("example.com", "FALSE", "/", "", "0", "a", "b"),
            line("example.com", "FALSE", "/", "FALSE", "x", "a", "b"),
            line("example.com", "FALSE", "/", "FALSE", "-1", "a", "b"),
            line("example.com", "FALSE", "/", "FALSE", "", "a", "b"),
            line("example.com", "FALSE", "/", "FALSE", "99999999999999999999", "a", "b"),
            line("example.com", "FALSE", "/", "FALSE", "0", "", "b"),
            line("example.com", "FALSE", "/", "FALSE", "0", "a;", "b"),
            line("example.com", "FALSE", "/", "FALSE", "0", "a=", "b"),
            line("example.com", "FALSE", "/", "FALSE", "0", "a", "b;c"),
            line("example.com", "FALSE", "/", "FALSE", "0", "a", "b\u{0}"),
            line("example.com", "FALSE", "/\u{1}", "FALSE", "0", "a", "b"),
            line("example.com", "FALSE", "/", "FALSE", "0", "a", String(repeating: "b", count: 4_096)),
            line(".com", "TRUE", "/", "FALSE", "0", "a", "b"), line(".github.io", "TRUE", "/", "FALSE", "0", "a", "b"),
            line("example.com", "FALSE", "/", "FALSE", "0", "__Secure-a", "b"),
            line(".example.com", "TRUE", "/", "TRUE", "0", "__Host-a", "b"), "Set-Cookie: a=b",
            String(repeating: "x", count: 10_000),
        ])
    func damaged(text: String) throws {
        var jar = jar()
        let good = line("good.example.com", "FALSE", "/", "FALSE", "0", "good", "1")
        #expect(read("# comment\n\(text)\n\n\(good)\n", into: &jar) == [2])
        #expect(try jar.sent("https://good.example.com/") == "good=1")
        #expect(jar.count == 1)
    }

    @Test("Comments, empty lines and what has ended are passed over in silence")
    func comments() {
        var jar = jar()
        let ended = line("example.com", "FALSE", "/", "FALSE", "\(now.secondsSinceEpoch)", "a", "b")
        #expect(read("# x\n#\n\n \t \r\n#HttpOnl_\n\(ended)\n", into: &jar).isEmpty)
        #expect(jar.count == 0)
    }

    @Test(
        "A line is read as it was meant",
        arguments: [
            (line(".example.com", "TRUE", "/", "FALSE", "0", "a", "b"), "https://sub.example.com/", "a=b"),
            (line("example.com", "TRUE", "/", "FALSE", "0", "a", "b"), "https://sub.example.com/", "a=b"),
            (line("example.com", "FALSE", "/", "FALSE", "0", "a", "b"), "https://sub.example.com/", ""),
            (line(".example.com", "FALSE", "/", "FALSE", "0", "a", "b"), "https://example.com/", "a=b"),
            (line("EXAMPLE.com", "false", "/x", "true", "\(end)", "a", "b=c"), "https://example.com/x/y", "a=b=c"),
            (line("example.com", "FALSE", "/", "TRUE", "0", "a", "b"), "http://example.com/", ""),
            (line("#HttpOnly_example.com", "FALSE", "/", "FALSE", "0", "a", "b"), "http://example.com/", "a=b"),
            (line("example.com", "FALSE", "/", "FALSE", "0", "a"), "http://example.com/", "a="),
            (line("example.com", "FALSE", "/", "FALSE", "0", "a", "\r"), "http://example.com/", "a="),
            (line("127.0.0.1", "TRUE", "/", "FALSE", "0", "a", "b"), "http://127.0.0.1/", "a=b"),
            (line("com", "FALSE", "/", "FALSE", "0", "a", "b"), "http://com/", "a=b"),
            (line("example.com", "FALSE", "/", "FALSE", "0", " a ", " b "), "http://example.com/", "a=b"),
            (line("example.com", "FALSE", "FALSE", "0", "a", "b"), "http://example.com/x", "a=b"),
            (line("example.com", "FALSE", "TRUE", "0", "a", "b"), "http://example.com/x", ""),
            (line("example.com", "FALSE", "\"/x\"", "FALSE", "0", "a", "b"), "http://example.com/x", "a=b"),
        ])
    func lines(text: String, url: String, expected: String) throws {
        var jar = jar()
        #expect(read(text, into: &jar).isEmpty)
        #expect(try jar.sent(url) == expected)
    }

    @Test("Dumped fields of a response are read as from the request that is named")
    func fields() throws {
        var jar = jar()
        let text = """
            HTTP/1.1 200 OK\r
            Date: Fri, 01 May 2026 00:00:00 GMT\r
            set-COOKIE: a=b; Path=/x\r
            Set-Cookie: c=d; Domain=other.com\r
            Set-Cookie:e=f\r
            """
        #expect(read(text, into: &jar, fieldsFrom: try origin("https://example.com/")) == [4])
        #expect(try jar.sent("https://example.com/x") == "a=b; e=f")
        #expect(try jar.sent("https://other.com/") == "")
    }

    @Test("What is written is read as the same")
    func roundTrip() throws {
        var jar = jar()
        try jar.set(
            "https://www.example.com/a/b", "one=1; Secure; HttpOnly", "two=2; Domain=example.com; Path=/; Max-Age=100",
            "three=; Path=/x", "ended=1; Max-Age=5")
        try jar.set("https://10.0.0.1/", "four=4; Domain=10.0.0.1")
        let text = NetscapeCookieText.write(jar, at: now + 10)
        #expect(
            String(decoding: text, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("# ") } == [
                "#HttpOnly_www.example.com\tFALSE\t/a\tTRUE\t0\tone\t1",
                ".example.com\tTRUE\t/\tFALSE\t\(end)\ttwo\t2", "www.example.com\tFALSE\t/x\tFALSE\t0\tthree\t",
                "10.0.0.1\tFALSE\t/\tFALSE\t0\tfour\t4",
            ])
        #expect(text.starts(with: "# Netscape HTTP Cookie File\n".utf8))
        var other = CookieJar(publicSuffixes: suffixes)
        #expect(NetscapeCookieText.read(text, into: &other, at: now).isEmpty)
        #expect(NetscapeCookieText.write(other, at: now) == text)
    }

    @Test("A path with quotes around it is read as the same", arguments: [#""/x""#, #"/x""#, #""/x"""#, #"/x"y"""#])
    func quotedPath(path: String) throws {
        var (jar, other) = (jar(), jar())
        try jar.set("https://www.example.com/", "one=1; Path=\(path)")
        let text = NetscapeCookieText.write(jar, at: now)
        #expect(NetscapeCookieText.read(text, into: &other, at: now).isEmpty)
        #expect(NetscapeCookieText.write(other, at: now) == text && other.count == 1)
    }

    @Test("Only so many damaged lines are told")
    func notes() {
        var jar = jar()
        let notes = NetscapeCookieText.read(Array(String(repeating: "x\n", count: 1_000).utf8), into: &jar, at: now)
        #expect(notes.count == 100)
        #expect(!notes.map(\.description).contains { $0.isEmpty })
    }
}
