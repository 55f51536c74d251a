//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust
import Synchronization

/// A record of the trust stores that the paths of many evaluations ended in, for the first stores of some anchors.
package final class TrustStoreUsage: Sendable {
    private struct State {
        var hasEvaluated = false
        var unused: Set<Int>
    }

    private let state: Mutex<State>

    /// Creates an empty record.
    ///
    /// - Parameter count: The number of stores to watch, from the first.
    package init(ofFirst count: Int) {
        self.state = Mutex(State(unused: Set(0..<max(0, count))))
    }

    /// The positions of the stores that no path has ended in. Empty before the first evaluation.
    package var unused: [Int] { self.state.withLock { $0.hasEvaluated ? $0.unused.sorted() : [] } }

    /// Records an evaluation. If several stores contain the anchor, the first counts, as in `TrustEvidence`.
    package func note(_ result: TrustResult, _ stores: [TrustStore]) {
        self.state.withLock { state in
            state.hasEvaluated = true
            guard !state.unused.isEmpty, result.anchorClass != nil, let anchor = result.path.last else { return }
            guard let place = stores.firstIndex(where: { $0.certificates.contains(anchor) }) else { return }
            state.unused.remove(place)
        }
    }
}
