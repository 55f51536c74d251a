//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Synchronization

/// The store of this machine for what is told besides verdicts: opened when it is first asked for, and once, however many
/// servers have a root that is not trusted.
final class MachineStore: Sendable {
    private let store = Mutex<Opened?>(nil)

    private enum Opened: Sendable {
        case store(TrustStore)
        /// There is no store, or it cannot be read.
        case nothing
    }

    /// The anchors; `nil` where there is no store to say anything of.
    var anchors: TrustAnchors? {
        let opened = self.store.withLock { store in
            let opened = store ?? (try? TrustStore.system()).map(Opened.store) ?? .nothing
            store = opened
            return opened
        }
        guard case .store(let store) = opened else { return nil }
        return .store(store)
    }
}
