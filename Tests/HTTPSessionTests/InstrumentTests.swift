//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPTypes
import ServerTrust
import ServerTrustNIO
import Synchronization
import TestSupport
import Testing

@testable import HTTPSession

@Suite("What follows requests", .limitedConcurrency, .timeLimit(.minutes(10)))
struct InstrumentTests {
    private final class Recorder: HTTPSessionInstrument {
        let lines = Mutex<[String]>([])

        func begin(_ request: HTTPSessionRequest, fields: inout HTTPFields) -> any HTTPRequestSpan {
            if let name = HTTPField.Name("traceparent") { fields[name] = "00-1-2-01" }
            self.note("begin \(request.url.path)")
            return Span(recorder: self, path: String(request.url.path))
        }

        func note(_ line: String) { self.lines.withLock { $0.append(line) } }

        struct Span: HTTPRequestSpan {
            let recorder: Recorder
            let path: String

            func session(_ event: HTTPSessionEvent) {
                switch event {
                case .request(_, let url, _): self.recorder.note("\(self.path) asks \(url.path)")
                case .redirected: self.recorder.note("\(self.path) redirected")
                default: break
                }
            }

            func end(_ outcome: HTTPRequestOutcome) {
                switch outcome {
                case .delivered(let status, let octets): self.recorder.note("\(self.path) \(status) \(octets)")
                case .failed(let error): self.recorder.note("\(self.path) \(error.code)")
                case .abandoned(let status, let octets): self.recorder.note("\(self.path) left \(status) \(octets)")
                }
            }
        }
    }

    private static func lines(
        _ body: (HTTPSession, TestHTTPServer) async throws -> Void
    ) async throws -> [String] {
        let recorder = Recorder()
        try await TestHTTPServer.with(
            Answers { request in
                switch request.target {
                case "/a": TestHTTPServer.response("", "302 X", fields: ["Location: /b"])
                case "/cut": .sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello")
                case "/reset": .reset
                default: TestHTTPServer.response("hello")
                }
            }
        ) { server in try await body(SessionFixture.plain { $0.instrument = recorder }, server) }
        return recorder.lines.withLock { $0 }
    }

    @Test("A request that fails ends once, with its error", arguments: ["/cut", "/reset"])
    func failures(path: String) async throws {
        let lines = try await Self.lines { session, server in
            await #expect(throws: HTTPSessionError.self) {
                try await session.text("http://127.0.0.1:\(server.port)\(path)")
            }
        }
        #expect(lines == ["begin \(path)", "\(path) asks \(path)", "\(path) networkConnectionLost"])
    }

    @Test("A response that is dropped is told as left")
    func dropped() async throws {
        let lines = try await Self.lines { session, server in
            _ = try await session.bytes(for: try HTTPSessionRequest("http://127.0.0.1:\(server.port)/x"))
        }
        #expect(lines == ["begin /x", "/x asks /x", "/x left 200 0"])
    }

    @Test("Each request is followed to its end, and the fields of its trace go to every server")
    func delivered() async throws {
        let lines = try await Self.lines { session, server in
            _ = try await session.data(from: "http://127.0.0.1:\(server.port)/a")
            #expect(server.seen.requests.allSatisfy { $0.value("traceparent") == "00-1-2-01" })
            #expect(server.seen.requests.count == 2)
        }
        #expect(lines == ["begin /a", "/a asks /a", "/a redirected", "/a asks /b", "/a 200 5"])
    }

    @Test(
        "No event has a secret in it",
        arguments: [
            (HTTPField.Name.authorization, "Basic x"), (.cookie, "a=b"), (.setCookie, "a=b"),
            (.proxyAuthorization, "Basic x"), (.location, "https://u:p@server.test/"), (.location, "//u@server.test"),
            (.referer, "http://x/ http://u:p@y/"),
        ])
    func secrets(name: HTTPField.Name, value: String) {
        let fields: HTTPFields = [name: value, .accept: "a//b/@c"]
        #expect(fields.withoutSecrets[name] == "(hidden)")
        #expect(fields.withoutSecrets[.accept] == "a//b/@c")
    }
}
