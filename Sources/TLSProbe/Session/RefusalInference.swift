//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// Infers whether a server refuses an offer when it says nothing: when it closes or resets a connection, or sends an alert
/// that may have another cause.
///
/// It is a refusal when it comes twice for one offer, and another offer is agreed on after each time; of a server that
/// was seen to refuse in this way, after the second. So one lost connection never makes a refusal. Where connections
/// are lost by chance, none of it means anything: one sick machine of several behind an address would make facts of its
/// failures.
struct RefusalInference: Sendable {
    /// The ways of silence that were shown to be refusals.
    private var refusals: Set<ConnectionFailure> = []
    /// The kinds that came by chance.
    private var chance: Set<Kind> = []

    /// What silence is made of. Who loses connections does not send alerts by chance, nor the other way round.
    enum Kind {
        case connection
        case alert

        init(_ failure: ConnectionFailure) {
            if case .alert = failure { self = .alert } else { self = .connection }
        }
    }

    /// Whether silence is a refusal, if the server still answers another offer.
    ///
    /// - Parameter wasSilent: Whether the same offer met silence before, which counted.
    func isRefusal(_ failure: ConnectionFailure, again wasSilent: Bool) -> Bool {
        failure.isSilence && wasSilent && !self.isByChance(failure)
    }

    /// Whether the server is known to refuse in this way.
    func isKnown(_ failure: ConnectionFailure) -> Bool { self.refusals.contains(failure) && !self.isByChance(failure) }

    /// Whether failures of this kind were seen that had nothing to do with what was offered.
    func isByChance(_ failure: ConnectionFailure) -> Bool { self.chance.contains(Kind(failure)) }

    /// Notes that the server refuses in this way.
    mutating func learn(_ failure: ConnectionFailure) { self.refusals.insert(failure) }

    /// Notes that a failure had nothing to do with what was offered.
    mutating func noteChance(_ failure: ConnectionFailure) { self.chance.insert(Kind(failure)) }

    /// Notes that a question met a failure, and was answered when it was asked again.
    mutating func note(lost failure: ConnectionFailure) {
        if failure.isSilence || failure.isLimit { self.noteChance(failure) }
    }

    /// The kinds that refusals have been taken from before chance showed.
    var inDoubt: Set<Kind> { self.chance.intersection(self.refusals.map(Kind.init)) }
}
