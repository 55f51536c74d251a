//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import Testing

import struct X509.ExtendedKeyUsage

/// Authorities and identities of clients, made once.
enum ClientFixture {
    static let authority = Result { try TestAuthority() }
    static let intermediate = Result { try Self.authority.get().issue(.intermediate()) }
    static let good = Result {
        try Self.chain(
            .client(
                commonName: "client", emailAddresses: ["client@example.com"],
                uniformResourceIdentifiers: ["spiffe://example.org/web"]))
    }

    /// A client's certificate and its intermediate.
    static func chain(
        _ description: CertificateDescription, _ change: (inout CertificateDescription) -> Void = { _ in }
    ) throws -> [TestCertificate] {
        let intermediate = try Self.intermediate.get()
        var description = description
        change(&description)
        return [try Self.authority.get().issue(description, by: intermediate), intermediate]
    }

    static func settings(
        _ change: (inout ClientTrustSettings) throws -> Void = { _ in }
    ) throws -> ClientTrustSettings {
        let server = try ATSFixture.ecdsa.get()
        let tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try server.map { .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der)) },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: Array(server[0].privateKey.pem.utf8), format: .pem)))
        var settings = ClientTrustSettings(
            trust: TrustConfiguration(anchors: try Self.authority.get().anchors), tls: tls)
        settings.handshakeTimeout = .seconds(60)
        try change(&settings)
        return settings
    }
}

/// A server with a gate for clients on 127.0.0.1, which greets whom it lets through, and answers.
struct GatedTestServer {
    /// What a server heard.
    struct Log: Sendable {
        var received: [UInt8] = []
        var outcomes: [Result<GatedClient, any Error>] = []
        var errors: [any Error] = []
    }

    let port: Int
    private let log: SharedLog

    var seen: Log { self.log.value.withLock { $0 } }

    /// What it heard once it judged some clients.
    func seen(afterOutcomes count: Int) async throws -> Log {
        let end = ContinuousClock.now + .seconds(30)
        while self.seen.outcomes.count < count, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(5))
        }
        return self.seen
    }

    static func with<R>(_ gate: ClientTrustGate, _ body: (GatedTestServer) async throws -> R) async throws -> R {
        let log = SharedLog()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let outcome = channel.eventLoop.makePromise(of: GatedClient.self)
                outcome.futureResult.whenComplete { result in log.value.withLock { $0.outcomes.append(result) } }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addClientTrustHandlers(gate, outcome: outcome)
                    try channel.pipeline.syncOperations.addHandler(Greeter(log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<R, any Error>
        do {
            let port = try #require(listener.localAddress?.port)
            result = .success(try await body(GatedTestServer(port: port, log: log)))
        } catch {
            result = .failure(error)
        }
        try await listener.close()
        return try result.get()
    }

    private final class SharedLog: Sendable {
        let value = Mutex(Log())
    }

    /// Writes before anything is known of the client, as careless programs do.
    private final class Greeter: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let log: SharedLog

        init(_ log: SharedLog) {
            self.log = log
        }

        func handlerAdded(context: ChannelHandlerContext) {
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: "hello\n")), promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.log.value.withLock { $0.received += Array(self.unwrapInboundIn(data).readableBytesView) }
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: "pong\n")), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            self.log.value.withLock { $0.errors.append(error) }
        }
    }
}
