//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import ServerTrustNIO

@Suite("URLs of requests")
struct HTTPURLTests {
    @Test(
        "Text that readers of URLs take in different ways is refused",
        arguments: [
            "", "example.com", "https://", "https:///path", "https:////path", "https:/example.com", "https:example.com",
            "ftp://example.com/", "https://a b/", "https://example.com/a b", "https://example.com/\t",
            "https://example.com\\@b/",
            "https://a@b@c/", "https://example.com:0/", "https://example.com:99999/", "https://example.com:x/",
            "https://[::1/",
            "https://::1/", "https://0x7f.1/", "https://user%00@example.com/", "https://user%zz@example.com/",
            "https://user%C2%85@example.com/",
            "https://exa\u{0}mple.com/",
        ])
    func refused(text: String) { #expect(throws: HTTPURLError.self) { try HTTPURL(text) } }

    @Test(
        "What is sent has a path in ASCII without dots and fragments",
        arguments: [
            ("https://example.com", "/"), ("https://example.com?", "/?"), ("https://example.com?a=b", "/?a=b"),
            ("https://example.com#f", "/"), ("https://example.com/a#f?x", "/a"), ("https://example.com/a/../b", "/b"),
            ("https://example.com/a/./b/.", "/a/b/"), ("https://example.com/../../a", "/a"),
            ("https://example.com/a/..", "/"),
            ("https://example.com/a/%2E%2e/b", "/b"), ("https://example.com/a//b", "/a//b"),
            ("https://example.com/ä", "/%C3%A4"),
            ("https://example.com/a?b/../c", "/a?b/../c"), ("https://example.com/...", "/..."),
            ("https://example.com/{a}[b]|c", "/{a}[b]|c"),
        ])
    func targets(text: String, target: String) throws { #expect(try HTTPURL(text).target == target) }

    @Test(
        "References lead where RFC 3986 section 5.4 says",
        arguments: [
            ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"),
            ("g?y", "/b/c/g?y"),
            ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), (";x", "/b/c/;x"), ("", "/b/c/d;p?q"), (".", "/b/c/"),
            ("./", "/b/c/"),
            ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"), ("../..", "/"), ("../../g", "/g"), ("../../../g", "/g"),
            ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), ("..g", "/b/c/..g"), ("./../g", "/b/g"),
            ("g/./h", "/b/c/g/h"),
            ("g;x=1/../y", "/b/c/y"), ("g?y/../x", "/b/c/g?y/../x"), ("a b?c d", "/b/c/a%20b?c+d"),
        ])
    func references(reference: String, target: String) throws {
        let base = try HTTPURL("http://a/b/c/d;p?q")
        #expect(try base.resolving(reference.utf8) == HTTPURL("http://a\(target)"))
    }

    @Test("References may name another server")
    func otherServers() throws {
        let base = try HTTPURL("https://user:secret@a.example:8443/b")
        #expect(try base.resolving("//c.example/d".utf8).description == "https://c.example/d")
        #expect(try base.resolving("http://c.example".utf8).description == "http://c.example/")
        #expect(try base.resolving("/d".utf8).description == "https://a.example:8443/d")
        // What a server redirects to does not inherit who asks.
        #expect(try base.resolving("/d".utf8).userInformation == nil)
        #expect(try base.resolving([0x2F, 0xE4, 0xFF]).target == "/%E4%FF")
        for reference in [
            "ftp://c/", "https:d", "mailto:a@b", "https://", "//", "/a\u{1}b", "https://c:0/", "javascript:x",
        ] {
            #expect(throws: HTTPURLError.self, "\(reference)") { try base.resolving(reference.utf8) }
        }
    }

    @Test("A password is in no text about the URL")
    func secrets() throws {
        let url = try HTTPURL("https://us%3Aer:se%40cret@example.com/a")
        #expect(url.userInformation?.user == "us:er" && url.userInformation?.password == "se@cret")
        var dumped = ""
        dump(url, to: &dumped)
        for text in ["\(url)", url.debugDescription, dumped, "\(url.origin)"] {
            #expect(!text.contains("cret"), "\(text)")
        }
        for text in [
            "https://user:secret@example.com:0/", "https://user:secret@exa mple.com/", "ftp://user:secret@example.com/",
        ] {
            let error = #expect(throws: HTTPURLError.self) { try HTTPURL(text) }
            #expect(error.map { "\($0)" }?.contains("secret") == false)
        }
    }

    @Test(
        "What is shown of a text has its host, and nothing that may be a password",
        arguments: [
            ("ftp://host.test/a#b@c", "ftp://host.test/a"), ("ftp://host.test#b@c", "ftp://host.test"),
            ("ftp://u:p@host.test/#b@c", "host.test/"), ("ftp://u:pa#ss@host.test", "host.test"),
            ("ftp://u:1234#5@host.test:x", "host.test:x"), ("ftp://host.test/#b", "ftp://host.test/#b"),
        ])
    func shown(text: String, beginning: String) {
        let error = #expect(throws: HTTPURLError.self) { try HTTPURL(text) }
        #expect(error?.text == beginning)
    }
}
