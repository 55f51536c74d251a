//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import Synchronization

/// A cache of verified signatures on the certificates of authorities, shared between evaluations.
///
/// An intermediate is seen with every server that it issued for. Remembering its signature and its key saves half to
/// nine tenths of an evaluation. Only signatures of an accepted path are remembered, and an entry matches only if
/// every byte of the certificate and the key is equal. The cache holds signatures alone. Every other check of a
/// certificate is made again. Leaves are not remembered by default, because those of many servers would only displace
/// other entries.
///
/// The cache is safe to share between threads. Evaluations without a cache remember nothing.
public final class SignatureCache: Sendable {
    private let state = Mutex(State())
    private let capacity: Int
    private let remembersLeaves: Bool

    private struct State: Sendable {
        var young = Generation()
        var old = Generation()
        var youngTimestamps: Set<TimestampDigest> = []
        var oldTimestamps: Set<TimestampDigest> = []
    }

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of signatures, at least 2. Each keeps its certificate alive, which takes two
    ///     to four kilobytes with its key.
    ///   - remembersLeaves: `true` to remember the signatures of leaves too, for a program that connects to a few
    ///     servers repeatedly.
    public init(capacity: Int = 1_024, remembersLeaves: Bool = false) {
        self.capacity = max(2, capacity)
        self.remembersLeaves = remembersLeaves
    }

    /// The number of remembered signatures.
    public var count: Int { self.state.withLock { $0.young.count + $0.old.count } }

    /// Removes all entries.
    public func removeAll() { self.state.withLock { $0 = State() } }

    /// Returns `true` if the cache remembers signatures on certificates of this kind.
    func remembers(_ certificate: CertificateView) -> Bool {
        self.remembersLeaves || certificate.isCertificateAuthority
    }

    /// Returns the remembered copy of a certificate, which has its key already, or the certificate itself.
    func remembered(_ certificate: CertificateView) -> CertificateView {
        self.find { $0.entry(of: certificate) }?.certificate ?? certificate
    }

    func contains(_ certificate: CertificateView, signedBy key: PublicKeySource) -> Bool {
        self.find { $0.entry(of: certificate, signedBy: key) } != nil
    }

    func insert(_ certificate: CertificateView, signedBy key: PublicKeySource) {
        self.state.withLock { state in
            guard state.young.entry(of: certificate, signedBy: key) == nil else { return }
            self.insert(Entry(certificate: certificate, key: key), into: &state)
        }
    }

    func contains(_ digest: TimestampDigest) -> Bool {
        self.state.withLock { state in
            if state.youngTimestamps.contains(digest) { return true }
            guard state.oldTimestamps.remove(digest) != nil else { return false }
            self.insert(digest, into: &state)
            return true
        }
    }

    /// Remembers a verified timestamp. An attacker can collect genuine ones, and make none.
    func insert(_ digest: TimestampDigest) { self.state.withLock { self.insert(digest, into: &$0) } }

    private func insert(_ digest: TimestampDigest, into state: inout State) {
        if state.youngTimestamps.count >= self.capacity / 2 {
            (state.oldTimestamps, state.youngTimestamps) = (state.youngTimestamps, [])
        }
        state.youngTimestamps.insert(digest)
    }

    /// Returns an entry. An old entry that is found becomes young again.
    private func find(_ entry: (Generation) -> Entry?) -> Entry? {
        self.state.withLock { state in
            if let young = entry(state.young) { return young }
            guard let old = entry(state.old) else { return nil }
            state.old.remove(old)
            self.insert(old, into: &state)
            return old
        }
    }

    /// Inserts an entry. There are two generations instead of a list by age. Entries that were not used while half the
    /// capacity was filled are dropped at once.
    private func insert(_ entry: Entry, into state: inout State) {
        if state.young.count >= self.capacity / 2 { (state.old, state.young) = (state.young, Generation()) }
        state.young.insert(entry)
    }
}

/// A digest of a certificate transparency timestamp with everything that its signature covers.
struct TimestampDigest: Hashable, Sendable {
    private let octets: [UInt8]

    init(
        _ message: [UInt8], _ signature: ArraySlice<UInt8>, algorithm: SignatureAlgorithm, signedBy key: PublicKeySource
    ) {
        var hash = SHA256()
        hash.update(data: SHA256.hash(data: message).map { $0 })
        hash.update(data: SHA256.hash(data: key.bytes.slice(key.info.whole)).map { $0 })
        hash.update(data: Array("\(algorithm.scheme.rawValue) \(algorithm.digest.rawValue) ".utf8))
        hash.update(data: Array(signature))
        self.octets = Array(hash.finalize())
    }
}

extension SignatureCache {
    fileprivate struct Entry: Sendable {
        let certificate: CertificateView
        let key: PublicKeySource

        func isSame(as other: Entry) -> Bool {
            self.certificate == other.certificate && self.key.isSameKey(as: other.key)
        }
    }

    /// The entries of one generation, indexed by a part of the certificate's signature and then compared in full.
    fileprivate struct Generation: Sendable {
        private var entries: [UInt64: [Entry]] = [:]
        private(set) var count = 0

        func entry(of certificate: CertificateView) -> Entry? {
            self.entries[certificate.signaturePrefix]?.first { $0.certificate == certificate }
        }

        func entry(of certificate: CertificateView, signedBy key: PublicKeySource) -> Entry? {
            self.entries[certificate.signaturePrefix]?
                .first { $0.certificate == certificate && $0.key.isSameKey(as: key) }
        }

        mutating func insert(_ entry: Entry) {
            self.entries[entry.certificate.signaturePrefix, default: []].append(entry)
            self.count += 1
        }

        mutating func remove(_ entry: Entry) {
            let prefix = entry.certificate.signaturePrefix
            guard var bucket = self.entries[prefix], let index = bucket.firstIndex(where: entry.isSame) else { return }
            bucket.remove(at: index)
            self.entries[prefix] = bucket.isEmpty ? nil : bucket
            self.count -= 1
        }
    }
}
