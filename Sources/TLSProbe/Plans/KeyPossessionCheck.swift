//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// Checks that the server holds the keys of the chains that it sent in answer to hellos, by handshakes. Anyone can
/// send a chain without its key: such an answer proves nothing before the server has signed with the key.
///
/// Most servers have one key, or are seen to sign with both in what is asked anyway, and cost no more connections.
struct KeyPossessionCheck {
    let session: ProbeSession
    /// Whose signature schemes and groups are offered.
    let client: ClientOffer
    /// How many connections it may take: one for each kind of key that servers have (RSA, ECDSA).
    var limit = 2

    func run(_ facts: ServerFacts) async {
        // A server that refused everything refuses each part of it.
        if case .failed = facts.handshake { return }
        var tried: Set<Int> = []
        while tried.count < self.limit {
            let chains = await self.session.notes.unprovenChains
            guard let chain = chains.first(where: { !tried.contains($0.place) }) else { return }
            tried.insert(chain.place)
            var offer = HandshakeOffer()
            (offer.minimumVersion, offer.maximumVersion) = (chain.version, chain.version)
            // A signature over an ephemeral key shows it in one flight.
            let signed = chain.suites.filter(\.hasForwardSecrecy)
            offer.cipherSuites = signed.isEmpty ? chain.suites : signed
            offer.groups = self.client.groupsBeforeTLS13
            offer.signatureSchemes = self.client.signatureSchemes
            // What it shows is noted with the chain; what is chosen from so little says nothing else.
            _ = await self.session.handshake(offer)
        }
    }
}
