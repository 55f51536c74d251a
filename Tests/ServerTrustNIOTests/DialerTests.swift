//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import Synchronization
import TLSWire
import TestSupport
import Testing

@testable import ServerTrustNIO

@Suite("The way to a server", .limitedConcurrency, .timeLimit(.minutes(10)))
struct DialerTests {
    private static func dialer(within time: TimeAmount = .minutes(2)) -> Dialer {
        Dialer(on: MultiThreadedEventLoopGroup.singleton.any(), connectTimeout: time)
    }

    /// What comes of a connection on which nothing is waited for.
    private static func failure(of dialer: Dialer, to host: String, port: Int) async throws -> ConnectionFailure? {
        let endpoint = try TLSEndpoint(host: host, port: port)
        do {
            try await dialer.run(to: endpoint) { $0.eventLoop.makeSucceededVoidFuture() }
            return nil
        } catch let failure as ConnectionFailure {
            return failure
        }
    }

    @Test("A failure says where on the way it happened, and why")
    func failures() async throws {
        // Nothing listens there.
        let port = 1
        var known = Self.dialer()
        known.addresses = []
        #expect(try await Self.failure(of: known, to: "a.test", port: 1) == .hostNotFound)
        #expect(
            try await Self.failure(of: Self.dialer(), to: "127.0.0.1", port: port)
                == .connectionRefused)
        var behind = Self.dialer()
        behind.proxy = Proxy(.socks5, at: "127.0.0.1", port: port)
        #expect(
            try await Self.failure(of: behind, to: "a.test", port: 1)
                == behind.proxy.map { .proxy(ProxyRefusal($0, .unreachable("Nothing listens at the port."))) })
        #expect(!ConnectionFailure.connectionRefused.description.isEmpty)
    }

    @Test("No address is connected to that is not allowed, known or looked up", arguments: [true, false])
    func forbidden(isKnown: Bool) async throws {
        try await RawServer.with(.silent) { server in
            var dialer = Self.dialer()
            if isKnown { dialer.addresses = [try SocketAddress(ipAddress: "127.0.0.1", port: 0)] }
            let asked = Mutex<[Int?]>([])
            dialer.isAllowed = { address in
                asked.withLock { $0.append(address.port) }
                return false
            }
            let connected = Mutex(false)
            dialer.onConnect = { _ in connected.withLock { $0 = true } }
            #expect(
                try await Self.failure(of: dialer, to: "127.0.0.1", port: server.port)
                    == .forbiddenAddress)
            #expect(!connected.withLock { $0 } && asked.withLock { !$0.isEmpty && $0.allSatisfy { $0 == server.port } })
        }
    }

    @Test("A proxy of https is never spoken to in the clear")
    func securedProxy() async throws {
        try await RawServer.with(.silent) { server in
            var dialer = Self.dialer()
            let proxy = Proxy(
                .https, at: "127.0.0.1", port: server.port, credentials: .init(user: "u", password: "p"))
            dialer.proxy = proxy
            let failure = try await Self.failure(of: dialer, to: "a.test", port: 1)
            #expect(failure == .proxy(ProxyRefusal(proxy, .untrusted("nothing judges it here."))))
            #expect(try await server.isIdle())
        }
    }

    @Test("The end of the time and a cancellation close the connection", arguments: [true, false])
    func ends(isCancelled: Bool) async throws {
        try await RawServer.with(.silent) { server in
            var dialer = Self.dialer()
            if !isCancelled { dialer.deadline = .now() + .milliseconds(50) }
            let endpoint = try TLSEndpoint(host: "127.0.0.1", port: server.port)
            let waiting = Task { [dialer] in
                try await dialer.run(to: endpoint) { $0.closeFuture.flatMapThrowing { throw ChannelError.eof } }
            }
            if isCancelled {
                #expect(try await server.isConnected())
                waiting.cancel()
            }
            let result = await waiting.result
            if isCancelled {
                #expect(throws: CancellationError.self) { try result.get() }
            } else {
                #expect(throws: ConnectionFailure.timedOut(.connecting)) { try result.get() }
            }
            #expect(try await server.isIdle())
        }
    }

    @Test("A server that no proxy can be told of is not asked for")
    func unusableTarget() throws {
        let proxy = Proxy(.socks5, at: "p", port: 1)
        #expect(throws: ConnectionFailure.proxy(ProxyRefusal(proxy, .unusableTarget))) {
            _ = try Preamble(to: nil, through: proxy, startTLS: nil, serverName: "a.test")
        }
    }
}
