//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustNIO
import Synchronization
import Testing

@Suite("HTTPSession before Hummingbird, over HTTP/2", .serialized, .timeLimit(.minutes(3)))
struct HTTPSessionTests {
    private static func serving(
        calls: @escaping @Sendable () -> Void = {}, _ body: (Int) async throws -> Void
    ) async throws {
        let router = Router()
        router.get("/") { _, _ in
            calls()
            return "hello"
        }
        router.post("/size") { request, _ in
            calls()
            var size = 0
            for try await octets in request.body { size += octets.readableBytes }
            return "\(size)"
        }
        let server = try Fixture.server.get()
        let tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: server.der, format: .der))],
            privateKey: .privateKey(try server.key))
        try await Application.serving(router, try .http2Upgrade(tlsConfiguration: tls), body)
    }

    private static func session(
        _ port: Int, _ change: (inout ServerTrustSettings) throws -> Void = { _ in }
    ) throws -> HTTPSession {
        var settings = ServerTrustSettings(trust: TrustConfiguration(anchors: try Fixture.servers.get().anchors))
        try change(&settings)
        var configuration = HTTPSessionConfiguration(trust: settings)
        configuration.routes.add(ConnectionRoute(host: try Host("127.0.0.1"), port: port))
        return HTTPSession(configuration)
    }

    @Test("A server that is not trusted, or has another key than the pinned one, is asked for nothing")
    func refused() async throws {
        let calls = Mutex(0)
        let note: @Sendable () -> Void = { calls.withLock { $0 += 1 } }
        try await Self.serving(calls: note) { port in
            for session in [
                try Self.session(port) { $0.anchors = .none },
                try Self.session(port) { $0.evaluator = .pins([try Fixture.otherPin.get()]) },
            ] {
                let error = await #expect(throws: HTTPSessionError.self) {
                    try await session.data(from: "https://\(Fixture.host)/")
                }
                #expect(error?.isRefusal == true)
            }
        }
        #expect(calls.withLock { $0 } == 0)
    }

    @Test("A hundred requests at once go over HTTP/2, with content that goes up and responses that come down")
    func requests() async throws {
        try await Self.serving { port in
            let session = try Self.session(port)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        var request = try HTTPSessionRequest("https://\(Fixture.host)/size", method: .post)
                        request.body = .octets(ByteBuffer(repeating: 7, count: number * 1_000))
                        let (response, content) = try await session.data(for: request)
                        #expect(response.connection.gated.applicationProtocol == "h2")
                        #expect(String(buffer: content) == "\(number * 1_000)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(String(buffer: try await session.data(from: "https://\(Fixture.host)/").1) == "hello")
        }
    }
}
