//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// RSA keys that are generated once and shared by many certificates, because generation is slow.
final class TestKeyPool: Sendable {
    private let keys = Mutex<[TestKeyKind: TestPrivateKey]>([:])

    /// Returns the key of a kind, and generates it at the first call.
    ///
    /// - Parameter kind: The kind of key.
    /// - Returns: The same key every time.
    /// - Throws: `CryptoKitError` if the key cannot be generated.
    func key(_ kind: TestKeyKind) throws -> TestPrivateKey {
        if let key = self.keys.withLock({ $0[kind] }) {
            return key
        }
        // Outside the lock, so that keys of several kinds are generated at the same time.
        let generated = try TestPrivateKey(kind)
        return self.keys.withLock { keys in
            let key = keys[kind] ?? generated
            keys[kind] = key
            return key
        }
    }
}
