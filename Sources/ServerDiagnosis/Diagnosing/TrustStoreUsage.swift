//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust
import Synchronization

/// At which of the first stores of some anchors paths have ended, over the evaluations of many servers.
package final class TrustStoreUsage: Sendable {
    private struct State {
        var hasEvaluated = false
        var unused: Set<Int>
    }

    private let state: Mutex<State>

    /// Use that has not begun.
    ///
    /// - Parameter count: How many stores are watched, from the first.
    package init(ofFirst count: Int) {
        self.state = Mutex(State(unused: Set(0..<max(0, count))))
    }

    /// The places of the stores that no path has ended at; empty while nothing was evaluated.
    package var unused: [Int] { self.state.withLock { $0.hasEvaluated ? $0.unused.sorted() : [] } }

    /// Counts an evaluation. Of stores with the same certificate the first is used, as ``TrustEvidence`` has it.
    package func note(_ result: TrustResult, _ stores: [TrustStore]) {
        self.state.withLock { state in
            state.hasEvaluated = true
            guard !state.unused.isEmpty, result.anchorClass != nil, let anchor = result.path.last else { return }
            guard let place = stores.firstIndex(where: { $0.certificates.contains(anchor) }) else { return }
            state.unused.remove(place)
        }
    }
}
