//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import Synchronization

/// Remembers which authorities' certificates were found signed by which keys, and their own keys, so that neither need be
/// worked out again.
///
/// An intermediate is seen with every server it issued for; remembering it saves half to nine tenths of an evaluation.
/// Only what stood on an accepted path is remembered, and only every byte of certificate and key brings it back: what is
/// in the cache was verified, whatever else is asked. It remembers signatures alone: nothing else about a certificate follows
/// from it. Leaves are not remembered unless that is asked for: of many servers they would only push others out.
///
/// Safe to share between threads. Evaluations without a cache remember nothing.
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

    /// A cache.
    ///
    /// - Parameters:
    ///   - capacity: The most signatures it remembers; at least 2. Each keeps its certificate alive, with its key
    ///     two to four kilobytes.
    ///   - remembersLeaves: Whether the signatures of leaves are remembered too: for a program that connects to a few
    ///     servers again and again.
    public init(capacity: Int = 1_024, remembersLeaves: Bool = false) {
        self.capacity = max(2, capacity)
        self.remembersLeaves = remembersLeaves
    }

    /// The number of signatures remembered.
    public var count: Int { self.state.withLock { $0.young.count + $0.old.count } }

    /// Forgets everything.
    public func removeAll() { self.state.withLock { $0 = State() } }

    /// Whether the signature of a certificate is of a kind that is remembered.
    func remembers(_ certificate: CertificateView) -> Bool {
        self.remembersLeaves || certificate.isCertificateAuthority
    }

    /// The remembered twin of a certificate, whose key is made already; the certificate itself without one.
    func remembered(_ certificate: CertificateView) -> CertificateView {
        self.find { $0.entry(of: certificate) }?.certificate ?? certificate
    }

    /// Whether a certificate was found signed by a key.
    func contains(_ certificate: CertificateView, signedBy key: PublicKeySource) -> Bool {
        self.find { $0.entry(of: certificate, signedBy: key) } != nil
    }

    /// Remembers a signature that was verified.
    func insert(_ certificate: CertificateView, signedBy key: PublicKeySource) {
        self.state.withLock { state in
            guard state.young.entry(of: certificate, signedBy: key) == nil else { return }
            self.insert(Entry(certificate: certificate, key: key), into: &state)
        }
    }

    /// Whether a log was found to have signed a timestamp.
    func contains(_ digest: TimestampDigest) -> Bool {
        self.state.withLock { state in
            if state.youngTimestamps.contains(digest) { return true }
            guard state.oldTimestamps.remove(digest) != nil else { return false }
            self.insert(digest, into: &state)
            return true
        }
    }

    /// Remembers a timestamp that was verified: strangers can collect genuine ones, and make none.
    func insert(_ digest: TimestampDigest) { self.state.withLock { self.insert(digest, into: &$0) } }

    private func insert(_ digest: TimestampDigest, into state: inout State) {
        if state.youngTimestamps.count >= self.capacity / 2 {
            (state.oldTimestamps, state.youngTimestamps) = (state.youngTimestamps, [])
        }
        state.youngTimestamps.insert(digest)
    }

    /// What is found among the old is young again.
    private func find(_ entry: (Generation) -> Entry?) -> Entry? {
        self.state.withLock { state in
            if let young = entry(state.young) { return young }
            guard let old = entry(state.old) else { return nil }
            state.old.remove(old)
            self.insert(old, into: &state)
            return old
        }
    }

    /// Two generations instead of a list by age: what was not used while half the capacity was filled is dropped at once.
    private func insert(_ entry: Entry, into state: inout State) {
        if state.young.count >= self.capacity / 2 { (state.old, state.young) = (state.young, Generation()) }
        state.young.insert(entry)
    }
}

/// A timestamp of certificate transparency with all that its signature is about, in one digest.
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

    /// Entries by a part of the certificate's signature, and then by everything.
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
