//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

extension ProbeSession {
    /// Finds the part of the client's own hello at which the server fails. It leaves out one part at a time.
    ///
    /// The hello is the reason if it fails again after another hello has succeeded.
    ///
    /// - Parameters:
    ///   - first: The failed result of the client's own hello, which was repeated if the connection was lost.
    ///   - offers: The client's offers, which the server accepts in another hello.
    /// - Returns: The result of the hello that succeeds, or of the client's own if it succeeds now. `nil` if none does.
    func withoutRefusedPart(_ first: HandshakeResult, _ offers: ClientOffers) async -> HandshakeResult? {
        guard first.namesNoCause else { return nil }
        var own = HandshakeOffer(everythingAfter: offers)
        own.applicationProtocols = self.applicationProtocols
        for part in HelloPart.allCases {
            guard let offer = own.leavingOut(part) else { continue }
            if let result = await self.result(of: offer, inPlaceOf: own, without: part) { return result }
        }
        var plain = own
        plain.form = nil
        return await self.result(of: plain, inPlaceOf: own, without: nil)
    }

    /// Returns the result of an offer if it succeeds, and remembers that the client's own hello fails. If that succeeds now, the
    /// result is its own. `nil` if the offer fails.
    private func result(
        of offer: HandshakeOffer, inPlaceOf own: HandshakeOffer, without part: HelloPart?
    ) async -> HandshakeResult? {
        let result = await self.handshakeOnce(offer)
        guard result.version != nil else { return nil }
        let again = await self.handshakeOnce(own)
        guard again.namesNoCause, let failure = again.failure else { return again.version == nil ? result : again }
        self.remember(.failsAtHello(part, failure))
        return result
    }
}

extension HandshakeResult {
    /// `true` if the server closed the connection, or sent an alert that is not about the offer (RFC 8446 §6.2).
    fileprivate var namesNoCause: Bool {
        guard self.version == nil else { return false }
        return switch self.failure {
        case .closed, .reset: true
        // unexpected_message, record_overflow, decode_error, decrypt_error and internal_error.
        case .alert(let alert): [10, 22, 50, 51, 80].contains(alert.rawValue)
        default: false
        }
    }
}
