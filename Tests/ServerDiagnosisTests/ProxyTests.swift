//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import ServerTrustNIO
import TLSProbe
import TLSWire
import Testing

@testable import ServerDiagnosis

/// What a host becomes that a proxy is asked for.
private func target(_ host: String, _ port: Int = 443) throws -> ProxyTarget {
    let host = try Host(host)
    return try #require(ProxyTarget(host.textInURL, address: host.address?.octets, port: port))
}

private struct Exchange: Sendable, CustomTestStringConvertible {
    let proxy: String
    let host: String
    let server: [[UInt8]]
    let client: [UInt8]
    let reason: ProxyRefusal.Reason?
    let testDescription: String

    init(
        _ proxy: String, _ title: String, to host: String = "a.test", server: [[UInt8]], client: [UInt8],
        _ reason: ProxyRefusal.Reason? = nil
    ) {
        self.proxy = proxy
        self.host = host
        self.server = server
        self.client = client
        self.reason = reason
        self.testDescription = "\(proxy): \(title)"
    }

    init(http title: String, _ answer: String, as user: String? = nil, _ reason: ProxyRefusal.Reason? = nil) {
        let head = "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n"
        let authorization = user == nil ? "" : "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"
        self.init(
            "http://\(user ?? "")p.test:3128", title, server: [Array(answer.utf8)],
            client: Array((head + authorization + "\r\n").utf8), reason)
    }

    /// What comes of it with the proxy's words cut in pieces.
    func play(_ cut: ([UInt8]) -> [[UInt8]]) throws -> (client: [UInt8], steps: [ProxyConversation.Step]) {
        var conversation = try ProxyConversation(try Proxy(self.proxy), to: try target(self.host))
        var client = conversation.start()
        var steps: [ProxyConversation.Step] = []
        for piece in self.server.flatMap(cut) {
            steps.append(conversation.receive(piece))
            if case .send(let bytes)? = steps.last { client += bytes }
        }
        return (client, steps)
    }
}

private let aladdin = "Aladdin:open%20sesame@"
private let name: [UInt8] = [3, 6] + Array("a.test".utf8) + [1, 0xBB]
private let bound: [UInt8] = [5, 0, 0, 1, 10, 0, 0, 1, 4, 56]

private let exchanges: [Exchange] = [
    .init(http: "forbidden", "HTTP/1.1 403 Forbidden\r\n\r\n", .rejected(reply: "403 Forbidden")),
    .init(http: "a redirect", "HTTP/1.1 302 \r\nLocation: x\r\n\r\n", .rejected(reply: "302 ")),
    .init(http: "who asks", "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic\r\n\r\n", .needsAuthentication),
    .init(http: "not you", "HTTP/1.1 407 Who\r\n\r\n", as: aladdin, .failedAuthentication),
    .init(http: "SSH", "SSH-2.0-x\r\n", .unexpectedAnswer(beginning: "SSH-2.0-x")),
    .init(http: "HTTP/2", "HTTP/2 200\r\n", .unexpectedAnswer(beginning: "HTTP/2 200")),
    .init(http: "no status", "HTTP/1.1 +20\r\n", .unexpectedAnswer(beginning: "HTTP/1.1 +20")),
    .init(http: "no such status", "HTTP/1.1 999 x\r\n", .unexpectedAnswer(beginning: "HTTP/1.1 999 x")),
    .init(http: "TLS", "\u{15}\u{3}\u{3}", .unexpectedAnswer(beginning: "a record of TLS")),
    .init(http: "a body", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", .extraBytes),
    .init(http: "through", "HTTP/1.1 200 Connection established\r\nContent-Length: 9\r\n\r\n"),
    .init(http: "through without words", "HTTP/1.0 204\nA: b\n\n"),
    .init(http: "through after a while", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
    .init(http: "through with a name", "HTTP/1.1 200 OK\r\n\r\n", as: aladdin),
    Exchange(
        "http://[::1]:1", "an address", to: "2001:db8::1", server: [Array("HTTP/1.1 200\r\n\r\n".utf8)],
        client: Array("CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: [2001:db8::1]:443\r\n\r\n".utf8)),
    Exchange("socks5://p", "SOCKS 4", server: [[0, 0x5A]], client: [5, 1, 0], .unexpectedAnswer(beginning: "")),
    Exchange("socks5://p", "HTTP", server: [Array("HTTP".utf8)], client: [5, 1, 0], .unexpectedAnswer(beginning: "")),
    Exchange("socks5://p", "who asks", server: [[5, 0xFF]], client: [5, 1, 0], .needsAuthentication),
    Exchange("socks5://p", "unasked", server: [[5, 2]], client: [5, 1, 0], .unexpectedAnswer(beginning: "")),
    Exchange("socks5://p", "Kerberos", server: [[5, 1]], client: [5, 1, 0], .unexpectedAnswer(beginning: "")),
    Exchange(
        "socks5://u:p@p", "no method", server: [[5, 0xFF]], client: [5, 2, 0, 2],
        .rejected(reply: "no acceptable method of authentication")),
    Exchange(
        "socks5://u:p@p", "not you", server: [[5, 2], [1, 1]], client: [5, 2, 0, 2, 1, 1, 0x75, 1, 0x70],
        .failedAuthentication),
    Exchange(
        "socks5://p", "refused", server: [[5, 0], [5, 5, 0, 1]], client: [5, 1, 0, 5, 1, 0] + name,
        .rejected(reply: "connection refused")),
    Exchange(
        "socks5://p", "unheard of", server: [[5, 0], [5, 0x77]], client: [5, 1, 0, 5, 1, 0] + name,
        .rejected(reply: "result 119")),
    Exchange(
        "socks5://p", "no address", server: [[5, 0], [5, 0, 0, 2, 0]], client: [5, 1, 0, 5, 1, 0] + name,
        .unexpectedAnswer(beginning: "")),
    Exchange("socks5://p", "more", server: [[5, 0], bound + [1]], client: [5, 1, 0, 5, 1, 0] + name, .extraBytes),
    Exchange("socks5://p", "through", server: [[5, 0], bound], client: [5, 1, 0, 5, 1, 0] + name),
    Exchange(
        "socks5h://u@p", "through with a name",
        server: [[5, 2], [1, 0], [5, 0, 0, 4] + [UInt8](repeating: 0, count: 18)],
        client: [5, 2, 0, 2, 1, 1, 0x75, 0, 5, 1, 0] + name),
    Exchange(
        "socks5h://u:p@p", "through without", server: [[5, 0], [5, 0, 0, 3, 2, 97, 98, 0, 0]],
        client: [5, 2, 0, 2, 5, 1, 0] + name),
    Exchange(
        "socks5://p", "an address", to: "192.0.2.255", server: [[5, 0], bound],
        client: [5, 1, 0, 5, 1, 0, 1, 192, 0, 2, 255, 1, 0xBB]),
    Exchange(
        "socks4://p", "a name", server: [[0, 90, 0, 0, 0, 0, 0, 0]],
        client: [4, 1, 1, 0xBB, 0, 0, 0, 1, 0] + name.dropFirst(2).dropLast(2) + [0]),
    Exchange(
        "socks4a://u@p", "an address", to: "192.0.2.255", server: [[0, 90, 1, 2, 3, 4, 5, 6]],
        client: [4, 1, 1, 0xBB, 192, 0, 2, 255, 0x75, 0]),
    Exchange(
        "socks4://p", "refused", to: "192.0.2.255", server: [[0, 91, 0, 0, 0, 0, 0, 0]],
        client: [4, 1, 1, 0xBB, 192, 0, 2, 255, 0], .rejected(reply: "rejected or failed")),
    Exchange(
        "socks4://p", "who asks", to: "192.0.2.255", server: [[0, 92, 0, 0, 0, 0, 0, 0]],
        client: [4, 1, 1, 0xBB, 192, 0, 2, 255, 0], .needsAuthentication),
    Exchange(
        "socks4://u@p", "not you", to: "192.0.2.255", server: [[0, 93, 0, 0, 0, 0, 0, 0]],
        client: [4, 1, 1, 0xBB, 192, 0, 2, 255, 0x75, 0], .failedAuthentication),
    Exchange(
        "socks4://p", "unheard of", to: "192.0.2.255", server: [[0, 1, 0, 0, 0, 0, 0, 0]],
        client: [4, 1, 1, 0xBB, 192, 0, 2, 255, 0], .unexpectedAnswer(beginning: "")),
    Exchange(
        "socks4://p", "SOCKS 5", to: "192.0.2.255", server: [[5, 0]], client: [4, 1, 1, 0xBB, 192, 0, 2, 255, 0],
        .unexpectedAnswer(beginning: "")),
    Exchange(
        "socks4://p", "more", to: "192.0.2.255", server: [[0, 90, 0, 0, 0, 0, 0, 0, 1]],
        client: [4, 1, 1, 0xBB, 192, 0, 2, 255, 0], .extraBytes),
    Exchange(
        "socks5://p", "an address of IPv6", to: "::ffff:192.0.2.1", server: [[5, 0], bound],
        client: [5, 1, 0, 5, 1, 0, 4] + [UInt8](repeating: 0, count: 10) + [255, 255, 192, 0, 2, 1, 1, 0xBB]),
]

@Suite("What is said to a proxy")
struct PreambleProxyTests {
    @Test("It lets a connection through, or says why not, however its words are cut", arguments: exchanges)
    private func exchange(exchange: Exchange) throws {
        let whole = try exchange.play { [$0] }
        #expect(whole.client == exchange.client)
        let proxy = try Proxy(exchange.proxy)
        let last = exchange.reason.map { ProxyConversation.Step.refused(ProxyRefusal(proxy, $0)) } ?? .ready
        #expect(whole.steps.last == last)
        #expect(try exchange.play { $0.map { [$0] } }.steps.last == last)
        for position in 0...(exchange.server.map(\.count).max() ?? 0) {
            let played = try exchange.play { [Array($0.prefix(position)), Array($0.dropFirst(position))] }
            #expect(played.steps.last == last, "cut at \(position)")
        }
        #expect(!ProxyRefusal(proxy, exchange.reason ?? .extraBytes).advice.isEmpty)
        #expect(!"\(last)".contains("sesame"))
    }

    @Test("Exchanges with one byte changed end alike however they are cut", arguments: exchanges)
    private func changed(exchange: Exchange) throws {
        for _ in 0..<100 {
            let (place, value) = (Int.random(in: 0..<1_000), UInt8.random(in: 0...255))
            func changed(_ bytes: [UInt8]) -> [UInt8] {
                var bytes = bytes
                if !bytes.isEmpty { bytes[place % bytes.count] = value }
                return bytes
            }
            let whole = try exchange.play { [changed($0)] }.steps.last
            let pieces = try exchange.play { changed($0).map { [$0] } }.steps.last
            // How much is quoted depends on how much had come.
            #expect(Self.isReady(whole) == Self.isReady(pieces), "\(place) \(value)")
        }
    }

    private static func isReady(_ step: ProxyConversation.Step?) -> Bool { step == .ready }

    @Test("A proxy that never comes to an end is not listened to for ever")
    func endless() throws {
        for piece in ["HTTP/1.1 100\r\n\r\n", "HTTP/1.1 200 x\r\n", "HTTP/1.1 200 "] {
            var conversation = try ProxyConversation(try Proxy("http://p:1"), to: try target("a.test", 1))
            let step = (0..<5000).lazy.map { _ in conversation.receive(Array(piece.utf8)) }.first {
                if case .refused = $0 { true } else { false }
            }
            #expect(step != nil, "\(piece)")
        }
    }

    @Test("What a server says first is left for who asked it")
    func remainder() throws {
        for (text, answer) in [
            ("http://p:1", [Array("HTTP/1.1 200 OK\r\n\r\n220 hi\r\n".utf8)]),
            ("socks5://p", [[5, 0], bound + Array("220 hi\r\n".utf8)]),
        ] {
            var conversation = try ProxyConversation(
                try Proxy(text), to: try target("a.test", 25), serverSpeaksFirst: true)
            #expect(conversation.remainder.isEmpty)
            let steps = answer.map { conversation.receive($0) }
            #expect(steps.last == .ready)
            #expect(conversation.remainder == Array("220 hi\r\n".utf8))
        }
    }

    @Test("What cannot be asked for is not asked for")
    func targets() throws {
        for (text, address, port) in [
            ("", nil, 1), ("a\r\nb", nil, 1), ("a b", nil, 1), ("a:b", nil, 1), ("[::1]", nil, 1), ("ü.test", nil, 1),
            ("a.test", nil, 0), ("a.test", nil, -1), ("a.test", nil, 65536), ("a@b", nil, 1), ("a/b", nil, 1),
            (String(repeating: "a", count: 254), nil, 1), ("::1", [UInt8](repeating: 0, count: 16), 1),
            ("127.0.0.1", [127, 0, 0], 1),
        ] as [(String, [UInt8]?, Int)] {
            #expect(ProxyTarget(text, address: address, port: port) == nil)
        }
        let user = Proxy(.http, at: "p", port: 1, credentials: .init(user: "a:b", password: ""))
        #expect(throws: ProxyRefusal(user, .unusableCredentials)) {
            _ = try ProxyConversation(user, to: try target("a.test", 1))
        }
        let old = try Proxy("socks4://p")
        #expect(throws: ProxyRefusal(old, .unusableTarget)) {
            _ = try ProxyConversation(old, to: try target("::1"))
        }
    }
}
