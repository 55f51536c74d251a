//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Additional values for objects of Foundation. A value is removed with its object.
final class SideTable<Value: Sendable>: Sendable {
    private struct Entry: @unchecked Sendable {
        weak var owner: AnyObject?
        let value: Value
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var cleanedAt = 64
    }

    private let state = Mutex(State())

    func set(_ value: Value, of owner: AnyObject) {
        self.state.withLock { state in
            state.entries[ObjectIdentifier(owner)] = Entry(owner: owner, value: value)
            guard state.entries.count >= state.cleanedAt else { return }
            state.entries = state.entries.filter { $0.value.owner != nil }
            state.cleanedAt = max(64, 2 * state.entries.count)
        }
    }

    /// Returns the value of an object. The owner is compared, because the identifier of a deallocated object may have been
    /// reused.
    func value(of owner: AnyObject) -> Value? {
        self.state.withLock { state in
            state.entries[ObjectIdentifier(owner)].flatMap { $0.owner === owner ? $0.value : nil }
        }
    }
}
