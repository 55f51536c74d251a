//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCTrust
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import Testing

@Suite("gRPC", .serialized, .timeLimit(.minutes(3)))
struct GRPCTests {
    @Test("A trusted client and a trusted server talk, and the service knows the client")
    func trusted() async throws {
        try await EchoServer.with(try Fixture.clientGate()) { server in
            let answer = try await server.ask(try Fixture.gate(identity: try Fixture.client.get()))
            #expect(answer == "ping from spiffe://example.org/web")
        }
    }

    @Test("A server that is refused gets no call, and the client hears why", arguments: serverFaults)
    func refusedServer(fault: ServerFault) async throws {
        try await EchoServer.with(try Fixture.clientGate()) { server in
            let gate = try Fixture.gate(identity: try Fixture.client.get(), fault.change)
            let reasons = Mutex<[any Error]>([])
            await #expect(throws: (any Error).self) {
                try await server.ask(gate, host: fault.host) { error in reasons.withLock { $0.append(error) } }
            }
            #expect(server.calls == 0)
            #expect(reasons.withLock { $0.first } is ServerTrustGateError, "\(fault.name)")
        }
    }

    @Test("A client that is refused reaches no service", arguments: [true, false])
    func refusedClient(hasCertificate: Bool) async throws {
        let refusals = Mutex<[ClientTrustError.Code]>([])
        let gate = try Fixture.clientGate()
        let note: @Sendable (ClientTrustError) -> Void = { error in refusals.withLock { $0.append(error.code) } }
        try await EchoServer.with(gate, refusal: note) { server in
            let stranger = hasCertificate ? try TestAuthority().issue(.client(commonName: "stranger")) : nil
            await #expect(throws: (any Error).self) { try await server.ask(try Fixture.gate(identity: stranger)) }
            #expect(server.calls == 0)
            #expect(refusals.withLock { $0.first } == (hasCertificate ? .untrusted : nil))
        }
    }

    @Test("New settings hold for new connections, and a call on an open connection is answered")
    func reload() async throws {
        let (clients, servers) = (try Fixture.clientGate(), try Fixture.gate(identity: try Fixture.client.get()))
        try await EchoServer.with(clients) { server in
            let answers = try await server.asking(servers) { ask in
                let first = try await ask()
                try clients.update { $0.sendsAuthorityNames = false }
                try servers.update { $0.anchors = .none }
                await #expect(throws: (any Error).self) { try await server.ask(servers) }
                return [first, try await ask()]
            }
            #expect(answers == Array(repeating: "ping from spiffe://example.org/web", count: 2))
            #expect(server.calls == 2)
        }
    }

    @Test("A gate that does not offer HTTP/2 makes no transport")
    func noHTTP2() throws {
        let gate = try Fixture.gate { $0.tls.applicationProtocols = [] }
        #expect(throws: GatedGRPCError.self) {
            try HTTP2ClientTransport.Posix.gated(
                target: .ipv4(address: "127.0.0.1", port: 1), by: gate, for: ATSDestination(host: Fixture.host))
        }
    }

    @Test("A call whose connection has no validated chain is refused")
    func noChain() async throws {
        let interceptor = ClientTrustInterceptor(try Fixture.clientGate())
        try await withServerContextRPCCancellationHandle { handle in
            let context = ServerContext(
                descriptor: EchoServer.method, remotePeer: "ipv4:127.0.0.1:1", localPeer: "ipv4:127.0.0.1:2",
                cancellation: handle)
            let request = StreamingServerRequest<[UInt8]>(
                metadata: [:], messages: RPCAsyncSequence(wrapping: AsyncThrowingStream { $0.finish() }))
            let error = await #expect(throws: RPCError.self) {
                _ = try await interceptor.intercept(request: request, context: context) { _, _ in
                    StreamingServerResponse<[UInt8]>(error: RPCError(code: .internalError, message: "reached"))
                }
            }
            #expect(error?.code == .unauthenticated)
        }
    }
}

struct ServerFault: Sendable, CustomTestStringConvertible {
    let name: String
    var host = Fixture.host
    var change: @Sendable (inout ServerTrustSettings) throws -> Void = { _ in }

    var testDescription: String { self.name }
}

private let serverFaults = [
    ServerFault(name: "another name", host: "other.test"),
    ServerFault(name: "another root", change: { $0.anchors = .none }),
    ServerFault(
        name: "another key pinned",
        change: { settings in
            settings.evaluator = ServerTrustEvaluator.pins([try Fixture.otherPin.get()])
        }),
]

/// A server with one method, which says who asks.
struct EchoServer: Sendable {
    static let options = {
        var options = CallOptions.defaults
        options.timeout = .seconds(5)
        return options
    }()
    static let method = MethodDescriptor(fullyQualifiedService: "test.Echo", method: "Say")

    let port: Int
    private let service: Service

    var calls: Int { self.service.calls.withLock { $0 } }

    static func with<R: Sendable>(
        _ gate: ClientTrustGate, refusal: (@Sendable (ClientTrustError) -> Void)? = nil,
        _ body: (EchoServer) async throws -> R
    ) async throws -> R {
        let certificate = try Fixture.server.get()
        let transport = HTTP2ServerTransport.Posix(
            address: .ipv4(host: "127.0.0.1", port: 0),
            transportSecurity: .mTLS(
                clientsTrustedBy: gate, certificateChain: [.bytes(certificate.der, format: .der)],
                privateKey: .bytes(Array(try certificate.privateKey.pem.utf8), format: .pem), refusal: refusal))
        let service = Service()
        let server = GRPCServer(
            transport: transport, services: [service], interceptors: [ClientTrustInterceptor(gate)])
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.serve() }
            let port = try await transport.listeningAddress.ipv4?.port
            let result = try await body(EchoServer(port: try #require(port), service: service))
            server.beginGracefulShutdown()
            return result
        }
    }

    func ask(
        _ gate: ServerTrustGate, host: String = Fixture.host, refusal: (@Sendable (any Error) -> Void)? = nil
    ) async throws -> String {
        try await self.asking(gate, host: host, refusal: refusal) { ask in try await ask() }
    }

    /// Runs a closure with a function that asks over one connection.
    func asking<R: Sendable>(
        _ gate: ServerTrustGate, host: String = Fixture.host, refusal: (@Sendable (any Error) -> Void)? = nil,
        _ body: @Sendable (_ ask: () async throws -> String) async throws -> R
    ) async throws -> R {
        let transport = try HTTP2ClientTransport.Posix.gated(
            target: .ipv4(address: "127.0.0.1", port: self.port), by: gate, for: ATSDestination(host: host),
            refusal: refusal)
        return try await withGRPCClient(transport: transport) { client in
            let options = Self.options
            return try await body {
                try await client.unary(
                    request: ClientRequest(message: Array("ping".utf8)), descriptor: Self.method,
                    serializer: Octets(), deserializer: Octets(), options: options
                ) { response in String(decoding: try response.message, as: UTF8.self) }
            }
        }
    }

    final class Service: RegistrableRPCService {
        let calls = Mutex(0)

        func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
            router.registerHandler(
                forMethod: EchoServer.method, deserializer: Octets(), serializer: Octets()
            ) { request, _ in
                self.calls.withLock { $0 += 1 }
                let name = ClientTrustInterceptor.client?.spiffeID?.description ?? "nobody"
                var text = ""
                for try await message in request.messages { text += String(decoding: message, as: UTF8.self) }
                let answer = Array("\(text) from \(name)".utf8)
                return StreamingServerResponse { writer in
                    try await writer.write(answer)
                    return [:]
                }
            }
        }
    }
}

struct Octets: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Bytes { Bytes(message) }

    func deserialize<Bytes: GRPCContiguousBytes>(_ serializedMessageBytes: Bytes) throws -> [UInt8] {
        serializedMessageBytes.withUnsafeBytes { Array($0) }
    }
}
