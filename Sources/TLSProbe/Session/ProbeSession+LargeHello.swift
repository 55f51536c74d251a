//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

extension ProbeSession {
    /// Shakes hands with the client's own hello.
    ///
    /// - Parameters:
    ///   - offers: What the client offers.
    ///   - signsNothing: Whether the server is known to sign nothing.
    func clientHandshake(_ offers: ClientOffers, signsNothing: Bool = false) async -> HandshakeResult {
        var offer = HandshakeOffer(everythingAfter: offers)
        offer.isCompleted = signsNothing
        return await self.settled(await self.handshake(offer), offers)
    }

    /// What a handshake came to, or the same with a shorter hello.
    ///
    /// With a key of a hybrid group the hello has two segments, which some servers and boxes before them drop, or refuse with an
    /// alert. Where nothing is agreed on, twice, and something is with the same hello without that key in between, the size is
    /// the reason: a group that a server does not know it passes over (RFC 8446 §4.2.8).
    ///
    /// - Parameters:
    ///   - first: What the client's own hello came to.
    ///   - offers: What the client offers.
    func settled(_ first: HandshakeResult, _ offers: ClientOffers) async -> HandshakeResult {
        let offer = HandshakeOffer(everythingAfter: offers)
        guard self.hasAnswered, first.mayBeAboutSize,
            offer.form?.keyShares.contains(where: { $0.kind == .hybrid }) == true
        else { return first }
        var small = offer
        small.groups = offers.ats.groupsBeforeTLS13
        let second = await self.handshake(small)
        guard second.version != nil else { return first }
        let again = await self.handshake(offer)
        guard again.mayBeAboutSize, let failure = again.failure else { return again.version == nil ? second : again }
        self.remember(.intolerantOfLargeHellos(failure))
        return second
    }
}

extension HandshakeResult {
    /// Whether there was no answer, or an alert that may be about the hello as a whole; others name what they are about.
    fileprivate var mayBeAboutSize: Bool {
        guard self.version == nil, let failure = self.failure else { return false }
        if case .alert(let alert) = failure { return alert != .unrecognizedName && alert != .noApplicationProtocol }
        return failure == .timedOut(.silent) || failure.isSilence && !failure.isRefusal
    }
}

extension Agreement {
    /// Whether the server signs nothing that was agreed on.
    var signsNothing: Bool { self.version < .tls12 || self.version == .tls12 && !self.cipherSuite.hasForwardSecrecy }
}
