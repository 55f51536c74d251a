//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOCore
import NIOPosix
import NIOSSL
package import ServerTrustTesting
import Synchronization
import Testing

/// A server of HTTPS on 127.0.0.1 that counts the octets that come out of TLS.
package final class HTTPSServer: Sendable {
    package struct Request: Sendable {
        package let head: String
        package let body: String

        package var line: String { self.head.split(separator: "\r\n").first.map(String.init) ?? "" }

        package func value(_ name: String) -> String? {
            self.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
    }

    private struct State {
        var octets = 0
        var connections = 0
        var requests: [Request] = []
    }

    private let state = Mutex(State())
    private let port = Mutex(0)

    /// The octets of programs that came out of TLS.
    package var octets: Int { self.state.withLock { $0.octets } }
    package var connections: Int { self.state.withLock { $0.connections } }
    package var requests: [Request] { self.state.withLock { $0.requests } }
    package var number: Int { self.port.withLock { $0 } }

    /// Runs a server.
    ///
    /// - Parameters:
    ///   - chain: Its certificates, its own first.
    ///   - clients: The authority of the certificates that clients need; `nil` for none.
    ///   - answer: What a request is answered with.
    ///   - body: Uses the server.
    package static func with(
        _ chain: [TestCertificate], clients: TestCertificate? = nil,
        answer: @escaping @Sendable (Request) -> String = { _ in HTTPSServer.response("hello") },
        _ body: (HTTPSServer) async throws -> Void
    ) async throws {
        let server = HTTPSServer()
        let context = try NIOSSLContext(configuration: try Self.configuration(chain, clients))
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    server.state.withLock { $0.connections += 1 }
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.addHandler(Handler(server, answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        server.port.withLock { $0 = port }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        try await listener.close()
        try result.get()
    }

    package static func response(_ text: String, status: String = "200 OK", fields: [String] = []) -> String {
        (["HTTP/1.1 \(status)", "Content-Length: \(text.utf8.count)"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
            + text
    }

    private static func configuration(_ chain: [TestCertificate], _ clients: TestCertificate?) throws
        -> TLSConfiguration
    {
        let certificates = try chain.map { try NIOSSLCertificate(bytes: $0.der, format: .der) }
        let key = try NIOSSLPrivateKey(bytes: Array(try #require(chain.first).privateKey.pem.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.applicationProtocols = ["http/1.1"]
        if let clients {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: clients.der, format: .der)])
        }
        return configuration
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let server: HTTPSServer
        private let answer: @Sendable (Request) -> String
        private var text = ""

        init(_ server: HTTPSServer, _ answer: @escaping @Sendable (Request) -> String) {
            (self.server, self.answer) = (server, answer)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let octets = self.unwrapInboundIn(data)
            self.server.state.withLock { $0.octets += octets.readableBytes }
            self.text += String(buffer: octets)
            while let request = self.nextRequest() {
                self.server.state.withLock { $0.requests.append(request) }
                context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: self.answer(request))), promise: nil)
            }
        }

        private func nextRequest() -> Request? {
            guard let end = self.text.range(of: "\r\n\r\n") else { return nil }
            let head = String(self.text[..<end.lowerBound])
            let length = Request(head: head, body: "").value("Content-Length").flatMap(Int.init) ?? 0
            let rest = self.text[end.upperBound...]
            guard rest.utf8.count >= length else { return nil }
            let body = String(rest.prefix(length))
            self.text = String(rest.dropFirst(length))
            return Request(head: head, body: body)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
