//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import HTTPTypes
import InMemoryTracing
import MetricsTestKit
import NIOCore
import NIOPosix
import ServerIntegrations
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Testing
import Tracing

@Suite("Metrics and traces of a session", .timeLimit(.minutes(2)))
struct InstrumentTests {
    @Test("A trusted server is counted, and its request is measured and traced")
    func trusted() async throws {
        let observed = Observed()
        try await observed.load(trusting: true)
        #expect(try observed.count(["verdict": "trusted"]) == 1)
        let timer = try observed.metrics.expectTimer(
            "http_client_request_duration", [("method", "GET"), ("status", "200")])
        #expect(timer.values.count == 1)
        let span = try #require(observed.tracer.finishedSpans.first)
        #expect(observed.tracer.finishedSpans.count == 1 && span.kind == .client && span.operationName == "GET")
        #expect(span.attributes["http.response.status_code"]?.toSpanAttribute() == .int64(200))
        #expect(span.attributes["url.full"]?.toSpanAttribute() == .string("https://server.test/path"))
        #expect(span.events.map(\.name) == ["server trust"] && span.status == nil)
        #expect(observed.tracer.performedContextInjections.count == 1)
    }

    @Test("A refused server is counted by the code of its reason, and ends the span with an error")
    func refused() async throws {
        let observed = Observed()
        await #expect(throws: HTTPSessionError.self) { try await observed.load(trusting: false) }
        #expect(try observed.count(["verdict": "refused", "reason": "unknown-issuer"]) == 1)
        _ = try observed.metrics.expectTimer("http_client_request_duration", [("method", "GET"), ("status", "error")])
        let span = try #require(observed.tracer.finishedSpans.first)
        #expect(span.status?.code == .error && span.errors.count == 1)
        #expect(span.attributes["error.type"]?.toSpanAttribute() == .string("-1202"))
        #expect(span.events.map(\.name) == ["server trust"])
        #expect(span.events.first?.attributes["server_trust.reason"]?.toSpanAttribute() == .string("unknown-issuer"))
    }

    @Test("Plain HTTP is measured and traced, and no verdict is counted")
    func plain() async throws {
        let observed = Observed()
        try await observed.loadPlain()
        #expect(throws: (any Error).self) { try observed.count(["verdict": "trusted"]) }
        let span = try #require(observed.tracer.finishedSpans.first)
        #expect(span.events.isEmpty)
        #expect(span.attributes["http.response.status_code"]?.toSpanAttribute() == .int64(204))
    }

    @Test("A program's own method does not make a timer or a span of its own")
    func ownMethod() async throws {
        let observed = Observed()
        let method = try #require(HTTPRequest.Method("PURGE-42"))
        await #expect(throws: HTTPSessionError.self) {
            try await observed.load(port: 1, trusting: .none, method: method)
        }
        _ = try observed.metrics.expectTimer(
            "http_client_request_duration", [("method", "_OTHER"), ("status", "error")])
        #expect(observed.tracer.finishedSpans.map(\.operationName) == ["_OTHER"])
    }

    @Test("A port without a server counts as failed, and not as refused")
    func failed() async throws {
        let observed = Observed()
        await #expect(throws: HTTPSessionError.self) { try await observed.load(port: 1, trusting: .none) }
        #expect(try observed.count(["verdict": "failed"]) == 1)
    }
}

/// A session whose requests are measured and traced in memory.
private struct Observed {
    let metrics = TestMetrics()
    let tracer = InMemoryTracer()

    /// Returns the counter of verdicts on servers.
    func count(_ dimensions: [String: String]) throws -> Int64 {
        let order = ["verdict", "reason"]
        let pairs = order.compactMap { name in dimensions[name].map { (name, $0) } }
        return try self.metrics.expectCounter("server_trust_verdicts", pairs).totalValue
    }

    func load(trusting isTrusted: Bool) async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["server.test"]))
        try await withTestServer(TestTLSServer.Configuration(leaf)) { server in
            try await self.load(port: server.port, trusting: isTrusted ? authority.anchors : .none)
        }
    }

    /// Loads from a server without TLS.
    func loadPlain() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Responder()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        defer { server.close(promise: nil) }
        var configuration = self.configuration(trusting: .none)
        configuration.trust.transportSecurity = .withoutAppTransportSecurity
        configuration.dangerouslyAllowsPlainHTTP = true
        let port = try #require(server.localAddress?.port)
        _ = try await HTTPSession(configuration).data(from: "http://127.0.0.1:\(port)/")
    }

    func load(port: Int, trusting anchors: TrustAnchors, method: HTTPRequest.Method = .get) async throws {
        var configuration = self.configuration(trusting: anchors)
        configuration.routes.add(ConnectionRoute(host: try Host("127.0.0.1"), port: port))
        let request = try HTTPSessionRequest("https://user:password@server.test/path?token=secret", method: method)
        _ = try await HTTPSession(configuration).data(for: request)
    }

    private func configuration(trusting anchors: TrustAnchors) -> HTTPSessionConfiguration {
        var configuration = HTTPSessionConfiguration(
            trust: ServerTrustSettings(trust: TrustConfiguration(anchors: anchors)))
        configuration.instrument = CombinedInstrument(
            MetricsInstrument(factory: self.metrics), TracingInstrument(tracer: self.tracer))
        return configuration
    }
}

/// A server without TLS that answers everything with 204.
private final class Responder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let response = ByteBuffer(string: "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        context.writeAndFlush(NIOAny(response), promise: nil)
    }
}
