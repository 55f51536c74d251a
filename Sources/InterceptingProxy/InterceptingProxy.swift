//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import HTTPSession
package import NIOCore
import NIOPosix
import ServerTrust
package import ServerTrustNIO

/// A proxy on the loopback interface that connects programs only to servers that pass trust, App Transport Security and pins.
///
/// It explains each refusal in words.
///
/// ```swift
/// let root = try await LocalRootFolder(path).root(at: .now)
/// let settings = ServerTrustSettings(trust: try .system())
/// let proxy = try await InterceptingProxy.start(InterceptingProxyConfiguration(root: root, trust: settings))
/// ```
///
/// A program opens a tunnel (CONNECT) and reaches the proxy in place of the server, with a certificate of the ``LocalRoot``. An
/// `HTTPSession` sends each request to the server and sends nothing to a server that is refused. Redirects, cookies, credentials
/// and compressed content pass unchanged.
package final class InterceptingProxy: Sendable {
    private let core: ProxyCore
    private let listener: any Channel

    package let port: Int

    /// The address and port on which the proxy listens. An IPv6 address is in brackets.
    package var place: String {
        let address = (self.listener.localAddress?.host).flatMap { try? Host($0.description) }
        return "\(address?.textInURL ?? self.core.configuration.address):\(self.port)"
    }

    private init(_ core: ProxyCore, _ listener: any Channel, port: Int) {
        self.core = core
        self.listener = listener
        self.port = port
    }

    /// Starts to listen and serves clients until ``stop()``.
    ///
    /// - Parameter configuration: The configuration of trust and limits.
    /// - Throws: ``InterceptingProxyError`` if the proxy cannot listen on the address.
    package static func start(
        _ configuration: InterceptingProxyConfiguration
    ) async throws(InterceptingProxyError) -> InterceptingProxy {
        guard let host = try? Host(configuration.address), let address = host.address else {
            throw InterceptingProxyError("\(configuration.address) is not an address: listen at 127.0.0.1 or ::1")
        }
        if configuration.listeningSocket == nil { try Self.check(address, configuration) }
        let core = ProxyCore(configuration)
        let listener = try await Self.listener(at: host, core)
        guard let place = listener.localAddress, let bound = place.host, let port = place.port else {
            listener.close(promise: nil)
            throw InterceptingProxyError("the socket to listen at is not one of TCP")
        }
        do throws(InterceptingProxyError) {
            try Self.check(bound, configuration)
        } catch {
            listener.close(promise: nil)
            throw error
        }
        core.clients.listens(at: port)
        // No client is accepted before the proxy knows its own port.
        listener.setOption(.autoRead, value: true).whenComplete { _ in listener.read() }
        return InterceptingProxy(core, listener, port: port)
    }

    /// Throws an error for an address that other machines can reach, unless the configuration allows it and sets a long password.
    private static func check(
        _ address: IPAddress, _ configuration: InterceptingProxyConfiguration
    ) throws(InterceptingProxyError) {
        guard !address.isLoopback else { return }
        guard configuration.dangerouslyListensBeyondThisMachine else {
            throw InterceptingProxyError(
                "\(address) is not an address of the loopback interface: listen at 127.0.0.1 or ::1")
        }
        guard let credential = configuration.credential, credential.isLong else {
            throw InterceptingProxyError(
                "\(address) can be reached by other machines: set a password of at least "
                    + "\(ClientCredential.minimumLength) characters")
        }
    }

    private static func listener(at host: Host, _ core: ProxyCore) async throws(InterceptingProxyError) -> any Channel {
        let configuration = core.configuration
        do {
            if let socket = configuration.listeningSocket {
                return try await Self.bootstrap(core).withBoundSocket(socket).get()
            }
            return try await Self.bootstrap(core).bind(host: host.text, port: configuration.port).get()
        } catch {
            let place =
                configuration.listeningSocket == nil ? "\(host.textInURL), port \(configuration.port)" : "the socket"
            throw InterceptingProxyError(
                "the proxy cannot listen at \(place): \((error as? IOError)?.systemText ?? "\(error)")")
        }
    }

    private static func bootstrap(_ core: ProxyCore) -> ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.autoRead, value: false)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { Self.serve(try ClientStream(channel), core) }
            }
    }

    private static func serve(_ stream: ClientStream, _ core: ProxyCore) {
        guard let number = core.clients.add(stream) else {
            let refusal = Refusal(
                503, .tooManyConnections, reason: "The proxy has as many connections as it takes, or is stopping.",
                remedy: "Try again when others have ended.", proxyStatus: "connection_limit_reached")
            Task {
                stream.send(
                    HTTP1Response.octets(ProxyAnswer(refusal.spelled(by: core.configuration.spelling), to: nil)))
                await stream.drain()
                stream.close()
            }
            return
        }
        // The client and its servers share one event loop, so that no thread waits for another one.
        let task = Task(executorPreference: EventLoopExecutor(stream.channel.eventLoop)) {
            var connection = ClientConnection(stream, number: number, of: core)
            await connection.run()
        }
        stream.serve(in: task)
    }

    /// Returns the addresses and ports at which the proxy would connect to a server.
    ///
    /// The result is empty if the proxy must not connect there, or if an upstream proxy resolves the name.
    package func addresses(of origin: HTTPURL.Origin) async -> [SocketAddress] {
        do { try self.core.check(origin.host, port: origin.port) } catch { return [] }
        return await self.core.session.addresses(of: origin)
    }

    package var connectionCount: Int { self.core.clients.count }

    /// Stops the proxy. It accepts no more connections and requests, waits at most
    /// ``InterceptingProxyConfiguration/Limits/stopTime`` for those in progress, and then closes everything.
    package func stop() async {
        try? await self.listener.close()
        await self.core.clients.stop(
            within: self.core.configuration.limits.stopTime, on: self.listener.eventLoop)
    }
}
