//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Synchronization

/// The looks at a server, by the certificates of its machines. One look serves the connections of an hour.
///
/// A stapled response that ends sooner counts for nothing from then on.
final class LookMemory: Sendable {
    private static let maximumCount = 4
    /// Servers staple another response long before an old one ends.
    private static let lifetime = Duration.seconds(3_600)
    /// A server that shows nothing is not looked at for each connection.
    private static let pause = Duration.seconds(60)

    private struct State {
        var seen: [[UInt8]: (look: ServerLook, end: ContinuousClock.Instant)] = [:]
        /// Until when the server is not looked at first.
        var end = ContinuousClock.now
        var hasFailed = false
        /// Certificates that a connection showed and looks did not, and until when.
        var missing: [[UInt8]: ContinuousClock.Instant] = [:]
    }

    private let state = Mutex(State())

    /// True if a look, however it ended, is so recent that the server is not looked at again.
    var isFresh: Bool { self.state.withLock { ContinuousClock.now < $0.end } }

    /// True if the last look has just shown nothing.
    var hasJustFailed: Bool { self.state.withLock { $0.hasFailed && ContinuousClock.now < $0.end } }

    /// What was seen with a certificate; `nil` where it has to be looked for.
    func look(at leaf: Certificate) -> ServerLook? {
        let known = self.state.withLock { $0.seen[leaf.sha256Fingerprint] }
        guard let known, ContinuousClock.now < known.end else { return nil }
        return known.look
    }

    /// Returns true if the last looks did not meet a machine with the certificate.
    func hasJustMissed(_ leaf: Certificate) -> Bool {
        self.state.withLock { $0.missing[leaf.sha256Fingerprint].map { ContinuousClock.now < $0 } ?? false }
    }

    /// Remembers that looks did not meet a machine with the certificate.
    func miss(_ leaf: Certificate) {
        let end = ContinuousClock.now + Self.pause
        self.state.withLock { state in
            if state.missing.count >= Self.maximumCount { state.missing.removeAll() }
            state.missing[leaf.sha256Fingerprint] = end
        }
    }

    /// Remembers what was seen; `nil` for nothing.
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
