//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import NIOCore
import Synchronization

/// Remembers for a short time which servers the gate let through, and where: programs open several connections at once.
final class JudgedServers: Sendable {
    private struct Entry {
        let server: JudgedServer
        let end: NIODeadline
    }

    /// How long a verdict holds. Stated in the documentation.
    static let time = TimeAmount.seconds(10)
    private let limit: Int
    /// By the text that exceptions are looked up by: a host that is written in another way is judged by itself.
    private let entries = Mutex<[ATSDestination: Entry]>([:])

    /// - Parameter limit: The most that are remembered.
    init(limit: Int) { self.limit = max(limit, 1) }

    /// The server as it was judged; `nil` where that was too long ago.
    func server(_ origin: HTTPURL.Origin, at now: NIODeadline) -> JudgedServer? {
        self.entries.withLock { $0[origin.destination] }.flatMap { now < $0.end ? $0.server : nil }
    }

    /// Remembers a server, in the place of the one that was judged first where there are too many.
    func remember(_ server: JudgedServer, _ origin: HTTPURL.Origin, at now: NIODeadline) {
        self.entries.withLock { entries in
            entries[origin.destination] = Entry(server: server, end: now + Self.time)
            guard entries.count > self.limit, let oldest = entries.min(by: { $0.value.end < $1.value.end })?.key else {
                return
            }
            entries[oldest] = nil
        }
    }

    /// Has a server judged anew the next time: what was found then no longer holds.
    func forget(_ origin: HTTPURL.Origin) { self.entries.withLock { $0[origin.destination] = nil } }
}
