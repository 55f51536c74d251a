//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL
import ServerTrustTesting
import Synchronization
import TLSProbe
import TLSWire
import Testing

/// What is said before TLS on the server's side, turn by turn, by a server or by a proxy that is the server itself.
struct PreambleScript: Sendable {
    /// What is said unasked.
    var greeting: [UInt8] = []
    /// What is said in answer to each thing that is heard.
    var replies: [[UInt8]]
    /// How many bytes are heard without an answer before TLS begins (MySQL).
    var silentBytes = 0

    init(greeting: String = "", _ replies: String...) {
        self.greeting = Array(greeting.utf8)
        self.replies = replies.map { Array($0.utf8) }
    }

    init(bytes: [[UInt8]]) { self.replies = bytes }

    /// The shortest conversation of each protocol.
    static func script(for spoken: StartTLSProtocol) -> PreambleScript {
        switch spoken {
        case .smtp, .lmtp: Self(greeting: "220 hi\r\n", "250-host\r\n250 STARTTLS\r\n", "220 go\r\n")
        case .imap: Self(greeting: "* OK hi\r\n", "* CAPABILITY IMAP4rev1 STARTTLS\r\nA OK\r\n", "B OK\r\n")
        case .pop3: Self(greeting: "+OK hi\r\n", "+OK\r\nSTLS\r\n.\r\n", "+OK\r\n")
        case .sieve: Self(greeting: "\"IMPLEMENTATION\" \"x\"\r\n\"STARTTLS\"\r\nOK\r\n", "OK\r\n")
        case .nntp: Self(greeting: "200 hi\r\n", "101 list\r\nSTARTTLS\r\n.\r\n", "382 go\r\n")
        case .ftp: Self(greeting: "220 hi\r\n", "234 go\r\n")
        case .xmpp, .xmppServer:
            Self(
                "<stream:stream version='1.0'><stream:features><starttls xmlns='x'/></stream:features>",
                "<proceed xmlns='x'/>")
        case .postgres: Self("S")
        case .ldap: Self(bytes: [[0x30, 12, 2, 1, 1, 0x78, 7, 10, 1, 0, 4, 0, 4, 0]])
        case .mysql: Self.mysql
        }
    }

    private static let mysql: PreambleScript = {
        let greeting = [10, 0x38, 0, 1, 0, 0, 0] + [UInt8](repeating: 0x41, count: 8) + [0, 0xFF, 0xFF, 8, 2, 0]
        var script = PreambleScript(bytes: [])
        script.greeting = [UInt8(greeting.count), 0, 0, 0] + greeting
        script.silentBytes = 36
        return script
    }()
}

/// A server on 127.0.0.1 that speaks something before it speaks TLS.
struct PreambleServer {
    let port: Int
    let chain: [[UInt8]]
    private let accepted: Accepted
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// How many connections have come.
    var connections: Int { self.accepted.count.withLock { $0 } }

    private final class Accepted: Sendable {
        let count = Mutex(0)
    }

    /// Runs a server.
    ///
    /// - Parameters:
    ///   - script: What is said before TLS.
    ///   - proxy: The certificate of a proxy of `https`, with which all of it is said in TLS.
    static func with<R>(
        _ script: PreambleScript, behind proxy: TestCertificate? = nil, _ body: (PreambleServer) async throws -> R
    ) async throws -> R {
        let leaf = try TestAuthority().issue(.leaf(dnsNames: ["server.test"]))
        let context = try Self.context(leaf)
        let proxyContext = try proxy.map { try Self.context($0) }
        let accepted = Accepted()
        let listener = try await ServerBootstrap(group: Self.group)
            .childChannelInitializer { channel in
                accepted.count.withLock { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    if let proxyContext {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: proxyContext))
                    }
                    try channel.pipeline.syncOperations.addHandler(ScriptHandler(script, context))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        do {
            let result = try await body(PreambleServer(port: port, chain: [leaf.der], accepted: accepted))
            try await listener.close()
            return result
        } catch {
            try await listener.close()
            throw error
        }
    }

    private static func context(_ leaf: TestCertificate) throws -> NIOSSLContext {
        let key = NIOSSLPrivateKeySource.privateKey(
            try NIOSSLPrivateKey(bytes: Array(leaf.privateKey.pem.utf8), format: .pem))
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: leaf.der, format: .der))], privateKey: key)
        configuration.minimumTLSVersion = .tlsv12
        return try NIOSSLContext(configuration: configuration)
    }
}

/// Follows a script, and then lets TLS take its place.
private final class ScriptHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var script: PreambleScript
    private let context: NIOSSLContext

    init(_ script: PreambleScript, _ context: NIOSSLContext) {
        self.script = script
        self.context = context
    }

    func channelActive(context: ChannelHandlerContext) { self.say(self.script.greeting, context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        guard self.script.silentBytes == 0 else {
            let skipped = bytes.readSlice(length: min(bytes.readableBytes, self.script.silentBytes))
            self.script.silentBytes -= skipped?.readableBytes ?? 0
            if self.script.silentBytes == 0 { self.beginTLS(with: bytes, context) }
            return
        }
        self.say(self.script.replies.removeFirst(), context)
        if self.script.replies.isEmpty { self.beginTLS(with: ByteBuffer(), context) }
    }

    private func say(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    private func beginTLS(with bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        do {
            let handler = NIOSSLServerHandler(context: self.context)
            try context.pipeline.syncOperations.addHandler(handler, position: .after(self))
            if bytes.readableBytes > 0 { context.fireChannelRead(NIOAny(bytes)) }
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        } catch {
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
