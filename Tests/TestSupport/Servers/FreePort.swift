//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import Synchronization

/// Ports of 127.0.0.1 for programs that cannot choose one by themselves.
package enum FreePort {
    /// Below the ports that systems give to connections (32768 on Linux, 49152 elsewhere): one of these, once it is free, is not taken by a
    /// connection before the program listens.
    private static let range = 20_000..<32_000
    private static let given = Mutex<Set<Int>>([])

    /// Ports at which nothing listens, each given once.
    package static func ports(_ count: Int) async throws -> [Int] {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        var ports: [Int] = []
        for _ in 0..<3_000 where ports.count < count {
            let port = Int.random(in: Self.range)
            guard Self.given.withLock({ $0.insert(port).inserted }),
                let listener = try? await bootstrap.bind(host: "127.0.0.1", port: port).get()
            else { continue }
            try await listener.close()
            ports.append(port)
        }
        guard ports.count == count else { throw NoFreePort() }
        return ports
    }
}

private struct NoFreePort: Error {}
