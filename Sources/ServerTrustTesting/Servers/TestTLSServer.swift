//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL

/// A TLS server on 127.0.0.1 that answers whatever it is asked with one short text.
///
/// Bad clients do it no harm and are not reported; each connection lasts ten seconds at most.
///
/// Tests had better run one with `withTestServer`, which never forgets to shut it down.
public struct TestTLSServer: Sendable {
    /// The port the server listens on, chosen by the system.
    public let port: Int

    private let listener: any Channel
    private let connections: TestConnections

    /// Starts a server.
    ///
    /// - Parameter configuration: Its certificates and what it speaks.
    /// - Returns: The server, which accepts connections.
    /// - Throws: `NIOSSLError` if BoringSSL does not take the certificate or the key, `IOError` if there is no port.
    public static func start(_ configuration: Configuration) async throws -> TestTLSServer {
        let context = try NIOSSLContext(configuration: configuration.makeTLSConfiguration())
        let connections = TestConnections()
        let response = configuration.response
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 128)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                guard connections.add(channel) else {
                    return channel.close()
                }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.addHandler(TestResponder(text: response))
                }
            }
            .bind(host: configuration.address, port: configuration.port)
            .get()
        guard let port = listener.localAddress?.port else {
            try await listener.close()
            throw ChannelError.unknownLocalAddress
        }
        return TestTLSServer(port: port, listener: listener, connections: connections)
    }

    /// Stops listening and closes all connections.
    ///
    /// Shutting down twice does nothing the second time.
    ///
    /// - Throws: `IOError` if closing the socket fails.
    public func shutdown() async throws {
        do {
            try await self.listener.close()
        } catch ChannelError.alreadyClosed {
            // What was wanted.
        }
        self.connections.closeAll()
    }

    /// Begins to close the listener and all connections, without waiting for the end of it.
    func close() {
        self.listener.close(promise: nil)
        self.connections.closeAll()
    }
}
