//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import Synchronization

/// Remembers which authorities' certificates were found signed by which keys, so that they need not be verified again.
///
/// An intermediate is seen with every server it issued for; remembering it saves half to nine tenths of an evaluation.
/// Only verified signatures are remembered, by the SHA-256 digest of the certificate's and the key's every byte: what is
/// in the cache was verified, whatever else is asked. Leaves are not remembered; they would only push others out.
///
/// Safe to share between threads. Evaluations without a cache remember nothing.
public final class SignatureCache: Sendable {
    private let state: Mutex<State>
    private let capacity: Int

    private struct State: Sendable {
        var young: Set<SHA256.Digest> = []
        var old: Set<SHA256.Digest> = []
    }

    /// A cache.
    ///
    /// - Parameter capacity: The most signatures it remembers, 40 bytes each; at least 2.
    public init(capacity: Int = 4_096) {
        self.capacity = max(2, capacity)
        self.state = Mutex(State())
    }

    /// The number of signatures remembered.
    public var count: Int { self.state.withLock { $0.young.count + $0.old.count } }

    /// Forgets everything.
    public func removeAll() { self.state.withLock { $0 = State() } }

    func contains(_ entry: SHA256.Digest) -> Bool {
        self.state.withLock { state in
            if state.young.contains(entry) { return true }
            guard state.old.remove(entry) != nil else { return false }
            self.insert(entry, into: &state)
            return true
        }
    }

    func insert(_ entry: SHA256.Digest) {
        self.state.withLock { self.insert(entry, into: &$0) }
    }

    /// Two generations instead of a list by age: what was not used while half the capacity was filled is dropped at once.
    private func insert(_ entry: SHA256.Digest, into state: inout State) {
        if state.young.count >= self.capacity / 2 {
            state.old = state.young
            state.young = []
        }
        state.young.insert(entry)
    }

    /// What stands for a certificate and a key. The certificate's length comes first, so that no two pairs run together.
    static func entry(_ certificate: CertificateView, _ key: PublicKeySource) -> SHA256.Digest {
        var hasher = SHA256()
        let count = UInt64(certificate.bytes.count)
        hasher.update(data: (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) })
        hasher.update(data: certificate.bytes)
        hasher.update(data: key.bytes.slice(key.info.whole))
        return hasher.finalize()
    }
}
