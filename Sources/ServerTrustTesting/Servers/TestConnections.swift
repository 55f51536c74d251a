//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import Synchronization

/// The open connections of a server, which are limited in number and closed together.
final class TestConnections: Sendable {
    private static let capacity = 256

    private struct State {
        var isClosed = false
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state = Mutex(State())

    /// Adds a connection until it closes.
    ///
    /// - Parameter channel: The connection.
    /// - Returns: `false` if there are too many connections or the server is shut down. The caller must then close the channel.
    func add(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let isAdded = self.state.withLock { state in
            guard !state.isClosed, state.channels.count < Self.capacity else {
                return false
            }
            state.channels[id] = channel
            return true
        }
        if isAdded {
            channel.closeFuture.whenComplete { _ in
                self.state.withLock { _ = $0.channels.removeValue(forKey: id) }
            }
        }
        return isAdded
    }

    /// Closes all connections and accepts no more.
    func closeAll() {
        let channels = self.state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in channels {
            channel.close(promise: nil)
        }
    }
}
