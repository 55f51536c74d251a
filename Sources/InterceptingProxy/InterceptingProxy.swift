//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import ServerTrust

/// A proxy on the loopback interface that lets programs reach servers that pass trust, App Transport Security and pins, and no
/// other, and says in words why another is refused.
///
/// ```swift
/// let root = try await LocalRootFolder(path).root(at: .now)
/// let settings = ServerTrustSettings(anchors: .store(try .system()))
/// let proxy = try await InterceptingProxy.start(InterceptingProxyConfiguration(root: root, trust: settings))
/// ```
///
/// A program opens a tunnel (CONNECT) and finds the proxy in place of the server, with a certificate of the ``LocalRoot``. Each request
/// goes to the server by an `HTTPSession`, which sends nothing to a server that is refused. Redirects, cookies, credentials and
/// compressed content pass unchanged.
public final class InterceptingProxy: Sendable {
    private let core: ProxyCore
    private let listener: any Channel

    /// The port at which it listens.
    public let port: Int

    private init(_ core: ProxyCore, _ listener: any Channel, port: Int) {
        (self.core, self.listener, self.port) = (core, listener, port)
    }

    /// Listens, and serves clients until ``stop()``.
    ///
    /// - Parameter configuration: What is trusted, and the limits.
    /// - Throws: ``InterceptingProxyError`` when it cannot listen there.
    public static func start(
        _ configuration: InterceptingProxyConfiguration
    ) async throws(InterceptingProxyError) -> InterceptingProxy {
        guard let host = try? Host(configuration.address), let address = host.address, address.isLoopback else {
            throw InterceptingProxyError(
                "\(configuration.address) is not an address of the loopback interface: listen at 127.0.0.1 or ::1")
        }
        let core = ProxyCore(configuration)
        do {
            let listener = try await Self.listen(at: host, port: configuration.port, core)
            let port = listener.localAddress?.port ?? configuration.port
            core.clients.listens(at: port)
            return InterceptingProxy(core, listener, port: port)
        } catch {
            throw InterceptingProxyError(
                "the proxy cannot listen at \(host.textInURL), port \(configuration.port): \(error)")
        }
    }

    private static func listen(at host: Host, port: Int, _ core: ProxyCore) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { Self.serve(try ClientStream(channel), core) }
            }
            .bind(host: host.text, port: port).get()
    }

    private static func serve(_ stream: ClientStream, _ core: ProxyCore) {
        guard let number = core.clients.add(stream) else {
            let refusal = Refusal(
                503, "too-many-connections", reason: "The proxy has as many connections as it takes, or is stopping.",
                remedy: "Try again when others have ended.", proxyStatus: "connection_limit_reached")
            stream.send(ProxyAnswer(refusal, to: nil, keepsConnection: false).octets)
            Task {
                await stream.drain()
                stream.close()
            }
            return
        }
        Task {
            var connection = ClientConnection(stream, number: number, of: core)
            await connection.run()
        }
    }

    /// The number of connections of clients.
    public var connectionCount: Int { self.core.clients.count }

    /// Takes no more clients and no more requests, lets those under way end within
    /// ``InterceptingProxyConfiguration/Limits/stopTime``, and then closes everything.
    public func stop() async {
        try? await self.listener.close()
        await self.core.clients.stop(
            within: self.core.configuration.limits.stopTime, on: self.listener.eventLoop)
    }
}
