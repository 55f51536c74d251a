//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The connection of a handshake, which is closed also while something is said before TLS.
final class OpenConnection: Sendable {
    private let state = Mutex<(channel: (any Channel)?, isOver: Bool)>((nil, false))

    /// Takes note of a connection. One that comes up too late is closed again.
    func open(_ channel: any Channel) {
        let isOver = self.state.withLock { state in
            state.channel = channel
            return state.isOver
        }
        if isOver { channel.reset() }
    }

    func close() {
        let channel = self.state.withLock { state in
            state.isOver = true
            return state.channel
        }
        channel?.reset()
    }
}

extension Channel {
    /// Closes without a farewell. Nothing is left to be said, and a reset frees the port at once, of which there are not
    /// enough for as many connections as a scan makes.
    func reset() {
        (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
        self.close(promise: nil)
    }
}
