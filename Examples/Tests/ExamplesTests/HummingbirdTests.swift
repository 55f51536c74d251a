//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AsyncHTTPClient
import Hummingbird
import HummingbirdCore
import HummingbirdTrust
import Logging
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import Testing

@Suite("Hummingbird", .serialized, .timeLimit(.minutes(3)))
struct HummingbirdTests {
    @Test("A trusted client is answered by name, and no other client is answered")
    func clients() async throws {
        let calls = Mutex(0)
        let note: @Sendable () -> Void = { calls.withLock { $0 += 1 } }
        try await Self.serving(try Fixture.clientGate(), calls: note) { port in
            let known = try await Self.get(port, try Fixture.client.get())
            #expect(known == "hello spiffe://example.org/web")
            for stranger in [nil, try TestAuthority().issue(.client(commonName: "stranger"))] {
                await #expect(throws: (any Error).self) { try await Self.get(port, stranger) }
            }
        }
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("A client that is no longer trusted cannot come back")
    func revoked() async throws {
        let gate = try Fixture.clientGate()
        try await Self.serving(gate) { port in
            _ = try await Self.get(port, try Fixture.client.get())
            try gate.update { $0.anchors = .none }
            await #expect(throws: (any Error).self) { try await Self.get(port, try Fixture.client.get()) }
        }
    }

    @Test("New settings hold for new connections, and a request on an open connection is answered")
    func reload() async throws {
        let gate = try Fixture.clientGate()
        try await Self.serving(gate) { port in
            let open = HTTPClient(
                eventLoopGroupProvider: .singleton, configuration: try Self.configuration(try Fixture.client.get()))
            let result: Result<[String], any Error>
            do {
                let first = try await open.text(port)
                try gate.update { $0.anchors = .none }
                await #expect(throws: (any Error).self) { try await Self.get(port, try Fixture.client.get()) }
                result = .success([first, try await open.text(port)])
            } catch {
                result = .failure(error)
            }
            try await open.shutdown()
            #expect(try result.get() == Array(repeating: "hello spiffe://example.org/web", count: 2))
        }
    }

    private static func serving(
        _ gate: ClientTrustGate, calls: @escaping @Sendable () -> Void = {}, _ body: (Int) async throws -> Void
    ) async throws {
        let router = Router(context: ClientTrustRequestContext.self)
        router.get("/") { _, context in
            calls()
            return "hello \(try await context.client?.spiffeID?.description ?? "stranger")"
        }
        try await Application.serving(router, .clientTrust(gate), body)
    }

    static func get(_ port: Int, _ identity: TestCertificate?) async throws -> String {
        try await HTTPClient.get(port, try Self.configuration(identity))
    }

    private static func configuration(_ identity: TestCertificate?) throws -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        if let identity {
            tls.certificateChain = [.certificate(try NIOSSLCertificate(bytes: identity.der, format: .der))]
            tls.privateKey = .privateKey(try identity.key)
        }
        return HTTPClient.Configuration(tlsConfiguration: tls).askingFixture
    }
}

extension HTTPClient.Configuration {
    /// The configuration with the address of the fixture's name, and short times.
    fileprivate var askingFixture: HTTPClient.Configuration {
        var configuration = self
        configuration.dnsOverride = [Fixture.host: "127.0.0.1"]
        configuration.timeout.connect = .seconds(2)
        return configuration
    }
}

extension HTTPClient {
    /// Asks a server on 127.0.0.1 under the name of the fixture, with a client of its own.
    static func get(_ port: Int, _ configuration: HTTPClient.Configuration) async throws -> String {
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration.askingFixture)
        let result: Result<String, any Error>
        do { result = .success(try await client.text(port)) } catch { result = .failure(error) }
        try await client.shutdown()
        return try result.get()
    }

    func text(_ port: Int) async throws -> String {
        let request = HTTPClientRequest(url: "https://\(Fixture.host):\(port)/")
        let response = try await self.execute(request, timeout: .seconds(10))
        return String(buffer: try await response.body.collect(upTo: 1 << 16))
    }
}

extension Application {
    /// Serves on 127.0.0.1 for as long as the body runs.
    static func serving<Context>(
        _ router: Router<Context>, _ server: HTTPServerBuilder, _ body: (Int) async throws -> Void
    ) async throws where Responder == RouterResponder<Context> {
        let ports = AsyncStream.makeStream(of: Int.self)
        var logger = Logger(label: "hummingbird")
        logger.logLevel = .critical
        let app = Application(
            router: router, server: server,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                ports.continuation.yield(channel.localAddress?.port ?? 0)
            }, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await app.run() }
            var port = ports.stream.makeAsyncIterator()
            let result: Result<Void, any Error>
            do {
                try await body(try #require(await port.next()))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            group.cancelAll()
            try result.get()
        }
    }
}
