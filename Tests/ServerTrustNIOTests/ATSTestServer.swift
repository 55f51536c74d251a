//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import ServerTrustTesting
import Synchronization
import Testing

/// A TLS server on 127.0.0.1 that remembers what reaches it, and answers.
struct ATSTestServer {
    /// What a server speaks.
    struct Speech: Sendable {
        var versions: ClosedRange<Int> = 0...3
        /// Those of TLS 1.2 and older; empty for all.
        var suites: [UInt16] = []
        /// Sent as soon as the handshake is complete.
        var greeting = ""
        var answer = "pong"
        /// Those it agrees on.
        var applicationProtocols: [String] = []
        /// Whether it asks clients for a certificate, and takes any or none.
        var asksForCertificate = false

        static let all: [TLSVersion] = [.tlsv1, .tlsv11, .tlsv12, .tlsv13]
    }

    /// What reached a server.
    struct Log: Sendable {
        var connections = 0
        var openConnections = 0
        var handshakes = 0
        var received: [UInt8] = []
    }

    let port: Int
    private let log: SharedLog

    var seen: Log { self.log.value.withLock { $0 } }

    /// What reached it once a client connected, or no client did for a while.
    func seenAfterAWhile(_ time: Duration) async throws -> Log {
        let end = ContinuousClock.now + time
        while self.seen.received.isEmpty, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(10)) }
        return self.seen
    }

    static func with<R>(
        _ speech: Speech, _ chain: [TestCertificate], _ body: (ATSTestServer) async throws -> R
    ) async throws -> R {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain.map { .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der)) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(chain[0].privateKey.pem.utf8), format: .pem)))
        configuration.minimumTLSVersion = Speech.all[speech.versions.lowerBound]
        configuration.maximumTLSVersion = Speech.all[speech.versions.upperBound]
        if !speech.suites.isEmpty { configuration.cipherSuiteValues = speech.suites.map { NIOTLSCipher(rawValue: $0) } }
        configuration.applicationProtocols = speech.applicationProtocols
        if speech.asksForCertificate { configuration.certificateVerification = .optionalVerification }
        let context = try NIOSSLContext(configuration: configuration)
        let log = SharedLog()
        return try await Self.listening(log, speech) {
            NIOSSLServerHandler(context: context, customVerificationCallback: { $1.succeed(.certificateVerified) })
        } with: { port in
            try await body(ATSTestServer(port: port, log: log))
        }
    }

    /// The same without TLS.
    static func withPlain<R>(_ body: (ATSTestServer) async throws -> R) async throws -> R {
        let log = SharedLog()
        return try await Self.listening(log, Speech()) {
            nil
        } with: {
            try await body(ATSTestServer(port: $0, log: log))
        }
    }

    private static func listening<R>(
        _ log: SharedLog, _ speech: Speech, tls: @escaping @Sendable () -> NIOSSLServerHandler?,
        with body: (Int) async throws -> R
    ) async throws -> R {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                log.value.withLock { log in
                    log.connections += 1
                    log.openConnections += 1
                }
                channel.closeFuture.whenComplete { _ in log.value.withLock { $0.openConnections -= 1 } }
                return channel.eventLoop.makeCompletedFuture {
                    if let tls = tls() { try channel.pipeline.syncOperations.addHandler(tls) }
                    try channel.pipeline.syncOperations.addHandler(LoggingResponder(log, speech))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<R, any Error>
        do {
            result = .success(try await body(try #require(listener.localAddress?.port)))
        } catch {
            result = .failure(error)
        }
        try await listener.close()
        return try result.get()
    }
}

private final class SharedLog: Sendable {
    let value = Mutex(ATSTestServer.Log())
}

private final class LoggingResponder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let log: SharedLog
    private let speech: ATSTestServer.Speech

    init(_ log: SharedLog, _ speech: ATSTestServer.Speech) {
        self.log = log
        self.speech = speech
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            self.log.value.withLock { $0.handshakes += 1 }
            if !self.speech.greeting.isEmpty {
                context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: self.speech.greeting)), promise: nil)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.log.value.withLock { $0.received += Array(self.unwrapInboundIn(data).readableBytesView) }
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: self.speech.answer)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
