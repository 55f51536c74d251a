//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import Synchronization

/// The octets of a tunnel, which pass both ways: nothing is read before the other side has taken what was read last.
final class TunnelTraffic: Sendable {
    private struct State {
        var ofClient = 0
        var ofServer = 0
        var last = ContinuousClock.now
        var hasHalfEnded = false
    }

    private let client: ClientStream
    private let server: ClientStream
    private let limits: InterceptingProxyConfiguration.Limits
    private let state = Mutex(State())

    init(client: ClientStream, server: ClientStream, limits: InterceptingProxyConfiguration.Limits) {
        (self.client, self.server, self.limits) = (client, server, limits)
    }

    /// How many octets went on from the client and from the server.
    var sizes: (ofClient: Int, ofServer: Int) { self.state.withLock { ($0.ofClient, $0.ofServer) } }

    /// Whether a side has said that it sends nothing more.
    var hasHalfEnded: Bool { self.state.withLock { $0.hasHalfEnded } }

    /// Passes octets on, and waits until the operating system has taken them.
    func send(_ octets: ByteBuffer, from side: TunnelHandshake.Side) async throws {
        let receiver = side == .client ? self.server : self.client
        try await receiver.write(octets, within: self.limits.idleTime)
        self.state.withLock { state in
            state.last = .now
            if side == .client {
                state.ofClient += octets.readableBytes
            } else {
                state.ofServer += octets.readableBytes
            }
        }
    }

    /// Passes everything, until both sides have ended, or nothing has passed for too long.
    ///
    /// - Throws: The error of the connection that broke.
    func pass() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.pass(from: .client) }
            group.addTask { try await self.pass(from: .server) }
            group.addTask { try await self.watch() }
            // What waits for a side that is closed ends.
            defer {
                self.client.close()
                self.server.close()
                group.cancelAll()
            }
            for _ in 0..<2 { try await group.next() }
        }
    }

    private func pass(from side: TunnelHandshake.Side) async throws {
        let (sender, receiver) = side == .client ? (self.client, self.server) : (self.server, self.client)
        while let octets = try await sender.read() { try await self.send(octets, from: side) }
        self.state.withLock { ($0.hasHalfEnded, $0.last) = (true, .now) }
        try await receiver.finishWriting(within: self.limits.idleTime)
    }

    /// Ends a tunnel through which nothing passes: sooner where one side has ended.
    private func watch() async throws {
        while true {
            let (last, hasHalfEnded) = self.state.withLock { ($0.last, $0.hasHalfEnded) }
            let end = last + (hasHalfEnded ? self.limits.idleTime : self.limits.upgradedIdleTime)
            guard .now < end else { throw TunnelSilence() }
            try await Task.sleep(until: min(end, .now + self.limits.idleTime))
        }
    }
}

/// Nothing has passed through a tunnel for too long.
private struct TunnelSilence: Error, CustomStringConvertible {
    let description = "nothing has passed for too long"
}
