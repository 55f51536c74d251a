//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Two judges who say different things about a chain.
struct Disagreement {
    let peer: Peer
    let ours: Judgement
    let theirs: Judgement
    let changes: [String]

    var summary: String {
        "we: \(self.ours.description) | \(self.peer.rawValue): \(self.theirs.description) | changes: \(self.changes)"
    }

    /// Whether any change's name contains a text.
    func changed(_ text: String) -> Bool { self.changes.contains { $0.contains(text) } }
}

/// A reason why two judges disagree.
struct DisagreementClass: Sendable {
    let name: String
    /// Whether we accept and the peer refuses, or the other way round.
    let weAccept: Bool
    /// The peers it is about.
    let peers: Set<Peer>
    let why: String
    let holds: @Sendable (Disagreement) -> Bool

    func explains(_ case: Disagreement) -> Bool {
        `case`.ours.isAccepted == self.weAccept && self.peers.contains(`case`.peer) && self.holds(`case`)
    }

    static let all = Self.weAlone + Self.peerAlone

    /// A class of chains the peer refuses for any of some reasons after any of some changes; without changes, always.
    static func refused(
        _ name: String, _ peers: Set<Peer>, _ reasons: [String], after changes: [String] = [], _ why: String
    ) -> DisagreementClass {
        DisagreementClass(name: name, weAccept: true, peers: peers, why: why) { disagreement in
            disagreement.theirs.reasons.allSatisfy { reason in reasons.contains { reason.contains($0) } }
                && (changes.isEmpty || changes.contains(where: disagreement.changed))
        }
    }
}
