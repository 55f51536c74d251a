//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Synchronization

/// What was seen of servers by looking, by their own certificates: one look serves the connections of an hour.
///
/// A stapled response that ends sooner counts for nothing then, and is looked for again.
final class LookMemory: Sendable {
    private static let maximumCount = 256
    /// Servers staple another response long before an old one ends.
    private static let lifetime = Duration.seconds(3_600)

    private let seen = Mutex<[[UInt8]: (look: ServerLook, end: ContinuousClock.Instant)]>([:])

    /// What was seen with a certificate; `nil` where it has to be looked for.
    func look(at leaf: Certificate) -> ServerLook? {
        let known = self.seen.withLock { $0[leaf.sha256Fingerprint] }
        guard let known, ContinuousClock.now < known.end else { return nil }
        return known.look
    }

    /// Remembers what was seen with a certificate.
    func remember(_ look: ServerLook, of leaf: Certificate) {
        let end = ContinuousClock.now + Self.lifetime
        self.seen.withLock { seen in
            if seen.count >= Self.maximumCount { seen.removeAll() }
            seen[leaf.sha256Fingerprint] = (look, end)
        }
    }
}
