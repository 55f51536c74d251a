//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Synchronization

/// This machine's trust store, which supplies notes and no verdicts. It is opened on first use, and only once for any number of
/// servers.
final class MachineStore: Sendable {
    private let store = Mutex<Opened?>(nil)

    private enum Opened: Sendable {
        case store(TrustStore)
        /// No store, or one that cannot be read.
        case nothing
    }

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
