//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrustNIO
import TLSWire
import Testing

private let proxies: [(String, String)] = [
    ("http://p.test:3128", "http://p.test:3128"), ("HTTP://u:s%40@p:1/", "http://p:1"),
    ("socks5://p", "socks5://p:1080"), ("socks5h://[::1]", "socks5h://[::1]:1080"),
    ("socks5://u:a:b@192.0.2.1:9", "socks5://192.0.2.1:9"), ("socks5://a%3Ab:@p:65535", "socks5://p:65535"),
    ("p:3128", "http://p:3128"), ("p", "http://p:1080"), ("[::1]", "http://[::1]:1080"), ("[::1]:1", "http://[::1]:1"),
    ("u:p@p:1", "http://p:1"), ("p:1/path", "http://p:1"), ("http://p", "http://p:1080"),
    ("http://p:", "http://p:1080"),
    ("http://[::1]", "http://[::1]:1080"), ("https://p", "https://p:443"), ("https://p:1", "https://p:1"),
    ("socks4://p", "socks4://p:1080"), ("socks4a://p:1", "socks4a://p:1"), ("socks://p", "socks4://p:1080"),
    ("http://p:1/x", "http://p:1"), ("http://p:1?x", "http://p:1"), ("http://p:1#x", "http://p:1"),
    ("http://p:1//", "http://p:1"), ("http://@p:1", "http://p:1"), ("http://:@p:1", "http://p:1"),
    ("http://:x@p:1", "http://p:1"), ("http://u%3Au:p@p:1", "http://p:1"), ("http://p:01", "http://p:1"),
    ("socks5h://localhost/", "socks5h://localhost:1080"),
]

private let wrong: [(String, ProxyError)] = [
    ("", .host), ("ſocks5://p", .scheme), ("ftp://p", .scheme), ("socks6://p", .scheme), ("http:/p:1", .port),
    ("//p:1", .host), ("://p:1", .scheme), (":1", .host), ("p:", .port), ("http:p", .port), ("::1", .host),
    ("::1:1", .host),
    ("http://", .host), ("http://:1", .host), ("http://a b:1", .host), ("http://::1:1", .host), ("http://[p]:1", .host),
    ("http://[::1:1", .host), ("http://[::1]1", .host), ("http://[::1%25eth0]:1", .host), ("http://256.1.1.1:1", .host),
    ("http://[1:2:3:4:5:6:7:8:9]:1", .host), ("http://[1::2::3]:1", .host), ("http://[:::]:1", .host),
    ("http://[1:2:3:4:5:6:7::8]:1", .host), ("http://a\r\nb:1", .host), ("http://ｕ:1", .host),
    ("http://127.1:1", .host), ("http://local%68ost:1", .host), ("http://p\\x:1", .host), ("http://p:1\\x", .host),
    (" p:1", .host), ("p:1 ", .host), ("http://p:1\t", .host),
    ("socks5://010.0.0.1", .host), ("http://u:p@", .host), ("http://p:0", .port), ("http://p:65536", .port),
    ("http://p:+1", .port), ("http://p:1a", .port), ("http://p:١", .port),
    ("http://u:p@q@p:1", .host), ("http://u%4@p:1", .credentials), ("http://u%+1:x@p:1", .credentials),
    ("http://u%FF@p:1", .credentials), ("http://u%0D%0A:p@p:1", .credentials), ("http://u%00@p:1", .credentials),
    ("http://u%C2%85@p:1", .credentials), ("socks5://:p@p", .credentials),
    ("socks5://\(String(repeating: "u", count: 256))@p", .credentials),
    ("socks5://u:\(String(repeating: "p", count: 256))@p", .credentials),
    ("http://p:1/a b", .path), ("http://p:1/\n", .path), ("socks5h://localhost/run/proxy", .path),
]

@Suite("The grammar of proxies")
struct ProxyReadingTests {
    @Test("A proxy is read as curl reads it, and written without user and password", arguments: proxies)
    func reading(text: String, description: String) throws {
        let proxy = try Proxy(text)
        #expect("\(proxy)" == description && String(reflecting: proxy) == description)
        var nameless = proxy
        nameless.credentials = nil
        #expect(try Proxy(description) == nameless)
        #expect(Mirror(reflecting: proxy).children.isEmpty)
        if let credentials = proxy.credentials {
            #expect("\(credentials)" == "(hidden)" && Mirror(reflecting: credentials).children.isEmpty)
        }
    }

    @Test(
        "Escapes in a user and a password are read, and empty ones are none",
        arguments: [
            ("http://u:s%40%C3%BC@p:1", Proxy.Credentials(user: "u", password: "s@ü")),
            ("socks5://a%3Ab@p", .init(user: "a:b", password: "")),
            ("socks5://u:a:b@p", .init(user: "u", password: "a:b")), ("u:p@p", .init(user: "u", password: "p")),
            ("http://:x@p:1", .init(user: "", password: "x")), ("http://@p:1", nil), ("http://:@p:1", nil), ("p", nil),
        ])
    func credentials(text: String, credentials: Proxy.Credentials?) throws {
        #expect(try Proxy(text).credentials == credentials)
    }

    @Test("A wrong text says what is wrong and what to write, and shows no part of the text", arguments: wrong)
    func wrongTexts(text: String, error: ProxyError) {
        #expect(throws: error) { _ = try Proxy(text) }
        #expect(error.description.contains("Write http://host:port"))
    }
}
