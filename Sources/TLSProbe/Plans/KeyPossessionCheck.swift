//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// A check that the server holds the keys of the chains that it presented to hellos.
///
/// Anyone can send a chain without its key, so a chain proves nothing before the server has signed with the key. Most servers have
/// one key, or sign with both during the probe, and need no further connection.
struct KeyPossessionCheck {
    let session: ProbeSession
    let client: ClientOffer
    /// The maximum number of connections: one for each common kind of key (RSA and ECDSA).
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
            // A signature over an ephemeral key proves possession in a single flight.
            let signed = chain.suites.filter(\.hasForwardSecrecy)
            offer.cipherSuites = signed.isEmpty ? chain.suites : signed
            offer.groups = self.client.groupsBeforeTLS13
            offer.signatureSchemes = self.client.signatureSchemes
            // The session records the proof with the chain. A choice from so small an offer shows nothing else.
            _ = await self.session.handshake(offer)
        }
    }
}
