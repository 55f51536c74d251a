//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization
import TLSProbe

/// Whether the server's name has been looked up: nothing is connected before.
final class NameLookup: Sendable {
    private let isOver = Mutex(false)

    /// Says that there is an address, which is being connected to.
    func end() { self.isOver.withLock { $0 = true } }

    /// How far connecting has got.
    var phase: ProbeFailure.Phase { self.isOver.withLock { $0 } ? .connecting : .resolving }

    /// A failure of connecting, with what took too long.
    func failure(_ failure: ProbeFailure) -> ProbeFailure {
        failure == .timedOut(.connecting) ? .timedOut(self.phase) : failure
    }
}
