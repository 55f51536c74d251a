//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL

/// A TLS server on 127.0.0.1 that answers every request with the same short text.
///
/// The server ignores faulty clients and does not report them. Each connection lasts ten seconds at most.
///
/// Tests should start the server with `withTestServer`, which always shuts it down.
public struct TestTLSServer: Sendable {
    /// The port the server listens on, chosen by the system.
    public let port: Int

    private let listener: any Channel
    private let connections: TestConnections

    /// Starts a server.
    ///
    /// - Parameter configuration: The certificates and the TLS settings of the server.
    /// - Returns: The server, which accepts connections.
    /// - Throws: `NIOSSLError` if BoringSSL refuses the certificate or the key, or `IOError` if no port is available.
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
    /// A second call has no effect.
    ///
    /// - Throws: `IOError` if the socket cannot be closed.
    public func shutdown() async throws {
        do {
            try await self.listener.close()
        } catch ChannelError.alreadyClosed {
            // The listener is already closed, as intended.
        }
        self.connections.closeAll()
    }

    /// Starts to close the listener and all connections, and returns at once.
    func close() {
        self.listener.close(promise: nil)
        self.connections.closeAll()
    }
}
