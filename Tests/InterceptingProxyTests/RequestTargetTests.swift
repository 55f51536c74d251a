//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPSession
import NIOCore
import ServerReports
import ServerTrust
import ServerTrustNIO
import Testing

@testable import InterceptingProxy

@Suite("Where a request is to go")
struct RequestTargetTests {
    private static func target(_ text: String, inTunnel: Bool = false) throws -> String {
        var reader = RequestReader()
        reader.begin()
        reader.receive(ByteBuffer(string: text.replacing("\n", with: "\r\n") + "\r\n\r\n"))
        guard case .head(let head, _)? = try reader.next() else { return "" }
        let origin = HTTPURL.Origin(scheme: .https, host: try Host("a.test"), port: 443)
        switch try RequestTarget(head, in: inTunnel ? origin : nil) {
        case .tunnel(let host, let port): return "tunnel \(host):\(port)"
        case .request(let url): return "\(url)"
        }
    }

    private static let refusals: [(text: String, inTunnel: Bool, status: Int)] = [
        ("CONNECT a.test HTTP/1.1\nHost: a.test", false, 400),
        ("CONNECT a.test: HTTP/1.1\nHost: a.test", false, 400),
        ("CONNECT a.test:0 HTTP/1.1\nHost: a.test", false, 400),
        ("CONNECT a.test:65536 HTTP/1.1\nHost: a.test", false, 400),
        ("CONNECT https://a.test:443 HTTP/1.1\nHost: a.test", false, 400),
        ("CONNECT user@a.test:443 HTTP/1.1\nHost: a.test", false, 400),
        ("CONNECT a.test:443/ HTTP/1.1\nHost: a.test", false, 400),
        ("CONNECT 127.1:443 HTTP/1.1\nHost: 127.1", false, 400),
        ("CONNECT 0x7f.0.0.1:443 HTTP/1.1\nHost: a.test", false, 400),
        ("CONNECT a.test:443 HTTP/1.1\nHost: b.test", false, 400),
        ("CONNECT a.test:443 HTTP/1.1\nHost: a.test:444", false, 400),
        ("CONNECT a.test:443 HTTP/1.1\nHost: a.test", true, 400),
        ("GET / HTTP/1.1\nHost: a.test", false, 400),
        ("OPTIONS * HTTP/1.1\nHost: a.test", false, 400),
        ("GET * HTTP/1.1\nHost: a.test", true, 400),
        ("GET https://a.test/ HTTP/1.1\nHost: a.test", false, 400),
        ("GET ftp://a.test/ HTTP/1.1\nHost: a.test", false, 400),
        ("GET http://user:pw@a.test/ HTTP/1.1\nHost: a.test", false, 400),
        ("GET http://a.test\\@b.test/ HTTP/1.1\nHost: a.test", false, 400),
        ("GET http://a.test/ HTTP/1.1\nHost: b.test", false, 400),
        ("GET http://a.test/ HTTP/1.1\nHost: a.test:81", false, 400),
        ("GET http://a.test/ HTTP/1.1\nHost:", false, 400),
        ("GET http:/a.test/ HTTP/1.1\nHost: a.test", false, 400),
        ("GET //a.test/ HTTP/1.1\nHost: b.test", true, 421),
        ("GET / HTTP/1.1\nHost: b.test", true, 421),
        ("GET / HTTP/1.1\nHost: a.test:444", true, 421),
        ("GET / HTTP/1.1\nHost: a.test, b.test", true, 400),
        ("GET https://b.test/ HTTP/1.1\nHost: a.test", true, 421),
        ("GET http://a.test/ HTTP/1.1\nHost: a.test", true, 421),
    ]

    @Test("A target that is unclear, or names another server, is refused", arguments: Self.refusals)
    func refused(text: String, inTunnel: Bool, status: Int) {
        do {
            Issue.record("\(text): \(try Self.target(text, inTunnel: inTunnel))")
        } catch {
            #expect((error as? Refusal)?.answer.status == status, "\(text): \(error)")
        }
    }

    private static let targets: [(text: String, inTunnel: Bool, expected: String)] = [
        ("CONNECT a.test:443 HTTP/1.1\nHost: a.test:443", false, "tunnel a.test:443"),
        ("CONNECT A.TEST.:8443 HTTP/1.1\nHost: a.test", false, "tunnel a.test:8443"),
        ("CONNECT a.test:443 HTTP/1.0", false, "tunnel a.test:443"),
        ("CONNECT [2001:DB8::1]:443 HTTP/1.1\nHost: [2001:db8::1]:443", false, "tunnel 2001:db8::1:443"),
        ("GET http://a.test/b/../c?d HTTP/1.1\nHost: a.test", false, "http://a.test/b/../c?d"),
        ("GET HTTP://a.test HTTP/1.1\nHost: A.test:80", false, "http://a.test/"),
        ("GET http://a.test:8080?x HTTP/1.1\nHost: a.test:8080", false, "http://a.test:8080/?x"),
        ("OPTIONS http://a.test HTTP/1.1\nHost: a.test", false, "http://a.test*"),
        ("GET /b//%2e%2e/c HTTP/1.1\nHost: a.test", true, "https://a.test/b//%2e%2e/c"),
        ("OPTIONS * HTTP/1.1\nHost: a.test:443", true, "https://a.test*"),
        ("GET https://a.test/b HTTP/1.1\nHost: a.test", true, "https://a.test/b"),
        ("GET //b.test/ HTTP/1.1\nHost: a.test", true, "https://a.test//b.test/"),
    ]

    @Test("A target is handed on as it is written", arguments: Self.targets)
    func read(text: String, inTunnel: Bool, expected: String) throws {
        #expect(try Self.target(text, inTunnel: inTunnel) == expected)
    }
}
