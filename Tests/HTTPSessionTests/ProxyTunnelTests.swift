//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import ServerTrust
import ServerTrustNIO
import TLSWire
import TestSupport
import Testing

/// A proxy that asks for a digest before it opens a tunnel, and answers what comes through the tunnel itself.
private func proxy(_ end: TunnelRefusalEnd) -> Answers {
    Answers { request in
        guard request.line.hasPrefix("CONNECT ") else { return TestHTTPServer.response("through the tunnel") }
        guard request.value("Proxy-Authorization") == nil else { return .send("HTTP/1.1 200 Opened\r\n\r\n") }
        let head =
            "HTTP/1.1 407 Who asks\r\nProxy-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\n"
            + "Content-Length: 5\r\n"
        return switch end {
        case .keeps: .send(head + "\r\nhello")
        case .closes: .sendAndClose(head + "Connection: close\r\n\r\nhello")
        case .closesUntold: .sendAndClose(head + "Proxy-Connection: close\r\n\r\nhello")
        }
    }
}

/// What becomes of the connection behind the question.
enum TunnelRefusalEnd {
    case keeps
    case closes
    /// As old proxies do, which say it in a field that means nothing.
    case closesUntold
}

@Suite("Tunnels through proxies that ask for a credential", .limitedConcurrency)
struct ProxyTunnelTests {
    @Test(
        "What a proxy answers wrong is said of the proxy",
        arguments: [
            ("hello", "is at fault"), ("HTTP/1.1 200\r\nContent-Length", "is at fault"),
            (String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 20_000), "is at fault"),
            ("", "closed the connection"),
        ])
    func fault(answer: String, reason: String) async throws {
        try await TestHTTPServer.with(Answers { _ in .sendAndClose(answer) }) { server in
            let session = SessionFixture.plain { configuration in
                guard let host = try? Host("127.0.0.1") else { return }
                configuration.proxies = ProxyPolicy(Proxy(.http, host: host, port: server.port))
            }
            let error = await #expect(throws: HTTPSessionError.self) { try await session.text("https://server.test/") }
            #expect(
                error?.reason.hasPrefix("The proxy http://127.0.0.1:\(server.port) ") == true, "\(error?.reason ?? "")")
            #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
        }
    }

    @Test(
        "The answer is sent once, on the same connection where the proxy keeps it",
        arguments: [(TunnelRefusalEnd.keeps, 1), (.closes, 2), (.closesUntold, 2)])
    func answered(end: TunnelRefusalEnd, connections: Int) async throws {
        try await TestHTTPServer.with(proxy(end)) { server in
            let credential = HTTPRequestCredential(
                try HTTPCredential(user: "ada", password: "x"), schemes: .digest)
            let session = SessionFixture.plain { configuration in
                guard let host = try? Host("127.0.0.1") else { return }
                configuration.proxies = ProxyPolicy(Proxy(.http, host: host, port: server.port))
                configuration.proxies.credential = credential
                configuration.proxies.tunnelsPlainHTTP = true
            }
            #expect(try await session.text("http://server.test/path") == "through the tunnel")
            let requests = server.seen.requests
            let connect = "CONNECT server.test:80 HTTP/1.1"
            #expect(server.seen.lines == [connect, connect, "GET /path HTTP/1.1"])
            #expect(server.seen.connections == connections)
            #expect(requests.first?.value("Proxy-Authorization") == nil)
            let answer = try #require(requests.dropFirst().first?.value("Proxy-Authorization"))
            #expect(answer.contains("nc=00000001,"))
            #expect(answer.contains(#"uri="server.test:80","#))
            #expect(requests.last?.value("Proxy-Authorization") == nil, "the server is not told what the proxy is")
        }
    }
}
