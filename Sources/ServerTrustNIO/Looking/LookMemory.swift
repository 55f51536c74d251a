//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Synchronization

/// The results of looks at a server, by the leaves of its machines. One look serves the connections of an hour.
///
/// A stapled response that expires sooner no longer counts from then on.
final class LookMemory: Sendable {
    private static let maximumCount = 4
    /// One hour. Servers staple a new response long before the old one expires.
    private static let lifetime = Duration.seconds(3_600)
    /// One minute, so that a server that shows nothing is not looked at for each connection.
    private static let pause = Duration.seconds(60)

    private struct State {
        var seen: [[UInt8]: (look: ServerLook, end: ContinuousClock.Instant)] = [:]
        /// The time from which the server is looked at again before connecting.
        var end = ContinuousClock.now
        var hasFailed = false
        /// The leaves that a connection showed and several looks did not, with the time until which they are skipped.
        var missing: [[UInt8]: ContinuousClock.Instant] = [:]
    }

    private let state = Mutex(State())

    /// `true` if the last look, successful or not, is so recent that there is no other before connecting.
    var isFresh: Bool { self.state.withLock { ContinuousClock.now < $0.end } }

    /// `true` if the last look failed within the last minute.
    var hasJustFailed: Bool { self.state.withLock { $0.hasFailed && ContinuousClock.now < $0.end } }

    /// Returns the result of a look with this leaf, or `nil` if there is none or it is too old.
    func look(at leaf: Certificate) -> ServerLook? {
        let known = self.state.withLock { $0.seen[leaf.sha256Fingerprint] }
        guard let known, ContinuousClock.now < known.end else { return nil }
        return known.look
    }

    /// Returns `true` if the latest looks did not reach a machine with this leaf.
    func hasJustMissed(_ leaf: Certificate) -> Bool {
        self.state.withLock { $0.missing[leaf.sha256Fingerprint].map { ContinuousClock.now < $0 } ?? false }
    }

    func miss(_ leaf: Certificate) {
        let end = ContinuousClock.now + Self.pause
        self.state.withLock { state in
            if state.missing.count >= Self.maximumCount { state.missing.removeAll() }
            state.missing[leaf.sha256Fingerprint] = end
        }
    }

    /// Remembers the result of a look, or `nil` for a failed one.
    func remember(_ look: ServerLook?) {
        let leaf = look.flatMap { try? Certificate(der: $0.leaf) }
        let end = ContinuousClock.now + (leaf == nil ? Self.pause : Self.lifetime)
        self.state.withLock { state in
            (state.end, state.hasFailed) = (end, leaf == nil)
            guard let look, let leaf else { return }
            if state.seen.count >= Self.maximumCount { state.seen.removeAll() }
            state.seen[leaf.sha256Fingerprint] = (look, end)
        }
    }
}
