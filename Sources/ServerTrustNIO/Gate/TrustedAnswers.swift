//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The last answers about peers that are trusted, by what they presented. A peer presents the same certificates again: they
/// need not be parsed again, and the answer needs only to be affirmed.
///
/// Answers to one question alone, by settings that do not change.
final class TrustedAnswers: Sendable {
    /// Chains of servers have two to six kilobytes.
    private static let maximumOctets = 1 << 14

    private let capacity: Int
    private let state = Mutex(State())

    /// Two generations in place of a list by age: what was not used while half the capacity was filled is dropped at once.
    private struct State {
        var young: [UInt64: TrustResult] = [:]
        var old: [UInt64: TrustResult] = [:]
    }

    /// - Parameter capacity: The number of answers that are kept, each with its certificates; at least 2.
    init(capacity: Int) {
        self.capacity = max(2, capacity)
    }

    /// The answer about a peer, now.
    ///
    /// - Parameter presented: What the peer presented, in DER, its own certificate first.
    /// - Returns: The answer; `nil` where it takes a whole evaluation.
    func affirmed(_ presented: [[UInt8]]) -> TrustResult? {
        guard let answer = self.answer(Self.key(presented)), let certificates = answer.trust?.certificates,
            certificates.count == presented.count,
            zip(certificates, presented).allSatisfy({ $0.view.hasBytes($1) })
        else { return nil }
        return answer.affirmed(at: Date())
    }

    /// Remembers the answer about a peer, if it can be affirmed.
    ///
    /// - Parameter answer: What was found out about a peer that has proven to hold the key of its certificate. Anyone can
    ///   present the certificates of another.
    func remember(_ answer: TrustResult) {
        guard !answer.isAffirmed, answer.isAffirmable, let certificates = answer.trust?.certificates else { return }
        let presented = certificates.map(\.derRepresentation)
        guard presented.reduce(0, { $0 + $1.count }) <= Self.maximumOctets else { return }
        self.insert(answer, Self.key(presented))
    }

    /// Forgets everything, as connections may keep what they were judged by for long.
    func removeAll() {
        _ = self.state.withLock { state in
            defer { state = State() }
            return state
        }
    }

    private func answer(_ key: UInt64) -> TrustResult? {
        if let young = self.state.withLock({ $0.young[key] }) { return young }
        guard let old = self.state.withLock({ $0.old[key] }) else { return nil }
        self.insert(old, key)
        return old
    }

    private func insert(_ answer: TrustResult, _ key: UInt64) {
        // What is dropped is freed once the lock is open.
        _ = self.state.withLock { state -> [UInt64: TrustResult] in
            var dropped: [UInt64: TrustResult] = [:]
            if state.young.count >= self.capacity / 2, state.young[key] == nil {
                dropped = state.old
                (state.old, state.young) = (state.young, [:])
            }
            state.young[key] = answer
            return dropped
        }
    }

    /// The ends of the first and the last certificate, which are parts of their signatures, and their number.
    private static func key(_ presented: [[UInt8]]) -> UInt64 {
        guard let first = presented.first, let last = presented.last else { return 0 }
        return Self.end(first) ^ (Self.end(last) &+ UInt64(presented.count)).byteSwapped
    }

    private static func end(_ der: [UInt8]) -> UInt64 {
        der.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
