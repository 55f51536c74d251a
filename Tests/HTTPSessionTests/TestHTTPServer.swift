//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL
import ServerTrustTesting
import Synchronization
import Testing

/// A server on 127.0.0.1 whose answers a test writes octet by octet.
struct TestHTTPServer {
    /// A request as it came.
    struct Request: Sendable {
        /// The request line and the fields, without the empty line.
        let head: String
        let content: String
        /// The field lines behind chunked content.
        var trailers = ""
        /// The number of the connection, and of the request on it, from 0.
        let connection: Int
        let number: Int

        var line: String { self.head.split(separator: "\r\n").first.map(String.init) ?? "" }
        var target: String { self.line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

        /// The values of a field.
        func values(_ name: String) -> [String] {
            self.head.split(separator: "\r\n").dropFirst().compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
                return parts[1].drop { $0 == " " }.description
            }
        }

        func value(_ name: String) -> String? { self.values(name).first }
    }

    enum Answer: Sendable {
        case send(String)
        case sendOctets([UInt8])
        case sendAndClose(String)
        case silence
        case reset
        /// What is sent, and TLS with the certificates of ``TestHTTPServer/with(tls:tunnel:port:_:_:)`` from there on.
        case beginTLS(String)
    }

    final class Seen: Sendable {
        private let state = Mutex<(requests: [Request], connections: Int)>(([], 0))
        fileprivate let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

        var requests: [Request] { self.state.withLock { $0.requests } }
        var connections: Int { self.state.withLock { $0.connections } }
        var lines: [String] { self.requests.map(\.line) }
        /// The connections that are open.
        var open: Int { self.channels.withLock { $0.count } }

        fileprivate func connect() -> Int {
            self.state.withLock { state in
                state.connections += 1
                return state.connections - 1
            }
        }

        fileprivate func note(_ request: Request) { self.state.withLock { $0.requests.append(request) } }
    }

    let port: Int
    let seen: Seen

    /// A response with content.
    static func response(_ content: String = "", _ status: String = "200 OK", fields: [String] = []) -> Answer {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(content.utf8.count)"] + fields
        return .send(lines.joined(separator: "\r\n") + "\r\n\r\n" + content)
    }

    /// Runs a server, with TLS where certificates are given, the server's own first. `tunnel` has those for ``Answer/beginTLS(_:)``.
    /// Its connections are closed at the end.
    @discardableResult
    static func with<R>(
        tls chain: [TestCertificate] = [], tunnel: [TestCertificate] = [], port: Int = 0, _ answers: Answers,
        _ body: (TestHTTPServer) async throws -> R
    ) async throws -> R {
        let seen = Seen()
        let context = try chain.isEmpty ? nil : Self.context(chain)
        let inner = try tunnel.isEmpty ? nil : Self.context(tunnel)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                seen.channels.withLock { $0[ObjectIdentifier(channel)] = channel }
                channel.closeFuture.whenComplete { _ in
                    _ = seen.channels.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) }
                }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                    try pipeline.addHandler(Handler(seen, tunnel: inner, answers.answer))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        do {
            let result = try await body(TestHTTPServer(port: try #require(listener.localAddress?.port), seen: seen))
            await Self.close(listener, seen, waits: context == nil && inner == nil)
            return result
        } catch {
            await Self.close(listener, seen, waits: false)
            throw error
        }
    }

    /// - Parameter waits: Whether no connection is left when it is done. One of TLS waits for its client's farewell.
    private static func close(_ listener: any Channel, _ seen: Seen, waits: Bool) async {
        try? await listener.close()
        for channel in seen.channels.withLock({ $0.values.map(\.self) }) {
            if waits { try? await channel.close() } else { channel.close(promise: nil) }
        }
    }

    private static func context(_ chain: [TestCertificate]) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain.map { .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der)) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(chain[0].privateKey.pem.utf8), format: .pem)))
        configuration.applicationProtocols = ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let seen: Seen
        private let tunnel: NIOSSLContext?
        private let answer: @Sendable (Request) -> Answer
        private var text = ""
        private var connection = 0
        private var number = 0

        init(_ seen: Seen, tunnel: NIOSSLContext?, _ answer: @escaping @Sendable (Request) -> Answer) {
            self.seen = seen
            self.tunnel = tunnel
            self.answer = answer
        }

        func channelActive(context: ChannelHandlerContext) {
            self.connection = self.seen.connect()
            context.fireChannelActive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.text += String(buffer: self.unwrapInboundIn(data))
            while let request = self.next() {
                self.seen.note(request)
                self.send(self.answer(request), context)
            }
        }

        private func next() -> Request? {
            guard let end = self.text.firstRange(of: "\r\n\r\n") else { return nil }
            let head = String(self.text[..<end.lowerBound])
            let rest = self.text[end.upperBound...]
            let probe = Request(head: head, content: "", connection: self.connection, number: self.number)
            var (content, trailers) = ("", "")
            if probe.value("Transfer-Encoding") == "chunked" {
                let last = "\r\n" + rest
                guard let zero = last.firstRange(of: "\r\n0\r\n"),
                    let end = last[zero.lowerBound...].firstRange(of: "\r\n\r\n")
                else { return nil }
                content = zero.lowerBound == last.startIndex ? "" : last[..<zero.lowerBound].dropFirst() + "\r\n"
                trailers = String(last[zero.upperBound...].prefix(upTo: max(end.lowerBound, zero.upperBound)))
                self.text = String(last[end.upperBound...])
            } else {
                let length = probe.value("Content-Length").flatMap { Int($0) } ?? 0
                guard rest.utf8.count >= length else { return nil }
                content = String(decoding: rest.utf8.prefix(length), as: UTF8.self)
                self.text = String(decoding: rest.utf8.dropFirst(length), as: UTF8.self)
            }
            defer { self.number += 1 }
            return Request(
                head: head, content: content, trailers: trailers, connection: self.connection, number: self.number)
        }

        private func send(_ answer: Answer, _ context: ChannelHandlerContext) {
            switch answer {
            case .send(let text): context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
            case .sendOctets(let octets):
                context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: octets)), promise: nil)
            case .sendAndClose(let text):
                context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
                context.close(promise: nil)
            case .silence: break
            case .reset: context.close(promise: nil)
            case .beginTLS(let text):
                context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
                self.beginTLS(context)
            }
        }

        private func beginTLS(_ context: ChannelHandlerContext) {
            do {
                let tls = NIOSSLServerHandler(context: try #require(self.tunnel))
                try context.pipeline.syncOperations.addHandler(tls, position: .before(self))
            } catch {
                context.close(promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

/// What a server answers.
struct Answers: Sendable {
    let answer: @Sendable (TestHTTPServer.Request) -> TestHTTPServer.Answer

    init(_ answer: @escaping @Sendable (TestHTTPServer.Request) -> TestHTTPServer.Answer) { self.answer = answer }
}
