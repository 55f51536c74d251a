//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Synchronization

/// The last answers about peers that were trusted, by what they presented. A peer presents the same certificates again: they
/// need not be parsed again, and the answer needs only to be affirmed.
///
/// Answers to one question alone, by settings that do not change. Peers that are not trusted put nothing here.
final class TrustedAnswers: Sendable {
    private let capacity: Int
    /// By the end of the first certificate, which is a part of its signature.
    private let answers = Mutex<[UInt64: TrustResult]>([:])

    /// - Parameter capacity: The number of answers that are kept, each with its certificates.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The answer about a peer, now.
    ///
    /// - Parameter presented: What the peer presented, in DER, its own certificate first.
    /// - Returns: The answer; `nil` where it takes a whole evaluation.
    func affirmed(_ presented: [[UInt8]]) -> TrustResult? {
        guard let key = presented.first.map(Self.key),
            let answer = self.answers.withLock({ $0[key] }), let certificates = answer.trust?.certificates,
            certificates.count == presented.count,
            zip(certificates, presented).allSatisfy({ $0.view.hasBytes($1) })
        else { return nil }
        return answer.affirmed()
    }

    /// Remembers the answer about a peer, if it is trusted.
    func remember(_ answer: TrustResult) {
        guard answer.isTrusted, let leaf = answer.trust?.certificates.first else { return }
        let key = Self.key(leaf.derRepresentation)
        self.answers.withLock { answers in
            if answers.count >= self.capacity { answers.removeAll() }
            answers[key] = answer
        }
    }

    private static func key(_ der: [UInt8]) -> UInt64 {
        der.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
