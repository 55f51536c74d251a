//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

extension ProbeSession {
    /// Performs a handshake with the client's own hello.
    ///
    /// - Parameters:
    ///   - offers: The client's offers.
    ///   - signsNothing: `true` if the server is known to sign nothing.
    func clientHandshake(_ offers: ClientOffers, signsNothing: Bool = false) async -> HandshakeResult {
        var offer = HandshakeOffer(everythingAfter: offers)
        offer.isCompleted = signsNothing
        return await self.settled(await self.handshake(offer), offers)
    }

    /// Returns the result of a handshake, or that of a shorter hello.
    ///
    /// A hello with a hybrid key has two segments. Some servers, and some machines in front of them, drop it or refuse it with an
    /// alert. The size is the reason if the hello fails twice, and the same hello without that key succeeds in between. An unknown
    /// group cannot be the reason, because servers must ignore it (RFC 8446 §4.2.8).
    ///
    /// - Parameters:
    ///   - first: The result of the client's own hello.
    ///   - offers: The client's offers.
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
    /// `true` if there was no answer, or an alert that may concern the whole hello. Other alerts name their own cause.
    fileprivate var mayBeAboutSize: Bool {
        guard self.version == nil, let failure = self.failure else { return false }
        if case .alert(let alert) = failure { return alert != .unrecognizedName && alert != .noApplicationProtocol }
        return failure == .timedOut(.silent) || failure.isSilence && !failure.isRefusal
    }
}

extension Agreement {
    var signsNothing: Bool { self.version < .tls12 || self.version == .tls12 && !self.cipherSuite.hasForwardSecrecy }
}
