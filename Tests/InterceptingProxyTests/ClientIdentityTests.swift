//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPSession
import NIOCore
import NIOPosix
import NIOSSL
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("Certificates of the client", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ClientIdentityTests {
    /// A server that asks for a certificate of the client, and answers with whether it got one.
    private static func withServer<R>(
        _ chain: [TestCertificate], _ body: (_ port: Int, _ shown: @escaping @Sendable () -> Int) async throws -> R
    ) async throws -> R {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain.map { .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der)) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(chain[0].privateKey.pem.utf8), format: .pem)))
        configuration.certificateVerification = .optionalVerification
        configuration.trustRoots = .certificates([])
        let context = try NIOSSLContext(configuration: configuration)
        let count = Count()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = NIOSSLServerHandler(
                        context: context,
                        customVerificationCallback: { certificates, result in
                            if !certificates.isEmpty { count.shown.withLock { $0 += 1 } }
                            result.succeed(.certificateVerified)
                        })
                    try channel.pipeline.syncOperations.addHandler(tls)
                    try channel.pipeline.syncOperations.addHandler(Answerer())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let outcome: Result<R, any Error>
        do {
            outcome = .success(
                try await body(try #require(listener.localAddress?.port)) { count.shown.withLock { $0 } })
        } catch {
            outcome = .failure(error)
        }
        try await listener.close()
        return try outcome.get()
    }

    private final class Count: Sendable {
        let shown = Mutex(0)
    }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            context.writeAndFlush(self.wrapOutboundOut(answer), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private static func identity() throws -> TLSIdentity {
        let client = try ProxyScene.authority.get().issue(.leaf(dnsNames: ["client.test"]))
        return try TLSIdentity(pem: client.pem, key: client.privateKey.pem)
    }

    @Test("It is shown at its host, and at no other that asks for it")
    func hosts() async throws {
        try await Self.withServer(try ProxyScene.chain()) { port, shown in
            try await ProxyScene.with(server: port) {
                $0.identities = [try Host("server.test"): try Self.identity()]
            } _: { scene in
                let session = try scene.session()
                for (host, count) in [("other.test", 0), ("server.test", 1), ("other.test", 1)] {
                    let (response, _) = try await session.data(from: "https://\(host)/")
                    #expect(response.status == 200 && shown() == count, "\(host)")
                }
            }
        }
    }

    @Test("A server that is refused does not see it")
    func refused() async throws {
        let expired = try ProxyScene.chain { $0.setValidity(from: .seconds(-400 * 86_400), lasting: .seconds(86_400)) }
        try await Self.withServer(expired) { port, shown in
            try await ProxyScene.with(server: port) {
                $0.identities = [try Host("server.test"): try Self.identity()]
            } _: { scene in
                let (response, _) = try await scene.session().data(from: "https://server.test/")
                #expect(response.status == 403 && shown() == 0)
            }
        }
    }
}
