//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// A decision procedure for refusals without a clear word: closed or reset connections, and alerts with several possible causes.
///
/// Such silence is a refusal if it occurs twice for one offer, and the server accepts another offer after each time. For a server
/// that was seen to refuse in this way, an agreement after the second suffices. A single lost connection is therefore never a
/// refusal. If connections are lost by chance, no silence has a meaning, because a single faulty machine among several at one
/// address would otherwise turn its failures into facts.
struct RefusalInference: Sendable {
    /// The forms of silence that were shown to be refusals.
    private var refusals: Set<ConnectionFailure> = []
    /// The kinds of silence that occurred by chance.
    private var chance: Set<Kind> = []

    /// The kind of silence. A network that loses connections does not send alerts, and the reverse holds, too.
    enum Kind {
        case connection
        case alert

        init(_ failure: ConnectionFailure) {
            if case .alert = failure { self = .alert } else { self = .connection }
        }
    }

    /// Returns `true` if silence is a refusal, provided that the server still accepts another offer.
    ///
    /// - Parameter wasSilent: `true` if the same offer met silence before, and that silence counted.
    func isRefusal(_ failure: ConnectionFailure, again wasSilent: Bool) -> Bool {
        failure.isSilence && wasSilent && !self.isByChance(failure)
    }

    func isKnown(_ failure: ConnectionFailure) -> Bool { self.refusals.contains(failure) && !self.isByChance(failure) }

    /// Returns `true` if failures of this kind also occurred independently of the offer.
    func isByChance(_ failure: ConnectionFailure) -> Bool { self.chance.contains(Kind(failure)) }

    mutating func learn(_ failure: ConnectionFailure) { self.refusals.insert(failure) }

    /// Records that a failure was independent of the offer.
    mutating func noteChance(_ failure: ConnectionFailure) { self.chance.insert(Kind(failure)) }

    /// Records that an offer failed and was answered when repeated.
    mutating func note(lost failure: ConnectionFailure) {
        if failure.isSilence || failure.isLimit { self.noteChance(failure) }
    }

    /// The kinds of silence that counted as refusals before they occurred by chance.
    var inDoubt: Set<Kind> { self.chance.intersection(self.refusals.map(Kind.init)) }
}
