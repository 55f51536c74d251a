//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// The way to one server, which plans are followed over: sockets, or a server made up by a test.
public protocol ProbeExchange: Sendable {
    /// Sends a hello over a connection of its own, and waits for all that is said in the clear.
    func reply(to hello: ClientHello) async -> ProbeReply

    /// Sends bytes that are no hello of TLS over a connection of its own, and waits for the first bytes in answer.
    ///
    /// - Returns: The first bytes, no more than some dozens; or why there are none.
    func answer(to bytes: [UInt8]) async -> Result<[UInt8], ConnectionFailure>

    /// Shakes hands in earnest, with keys, to see what is only shown to someone who has them, and reads the server's flight to
    /// its end (``HandshakeReader``). Nothing is sent after the hello.
    func handshake(offering offer: HandshakeOffer) async -> HandshakeResult

    /// Completes a handshake with a TLS library. That is the only way to have a key proven that signs nothing: of suites
    /// without an ephemeral key (RFC 5246 §7.4.7.1), and of versions whose signatures cannot be checked here.
    func completedHandshake(offering offer: HandshakeOffer) async -> HandshakeResult

    /// Waits.
    func pause(for duration: Duration) async

    /// What verifies the signatures that servers make over ephemeral keys in the clear; `nil` verifies none.
    var signatureVerifier: (any HandshakeSignatureVerifier)? { get }
}

extension ProbeExchange {
    /// Verifies none.
    public var signatureVerifier: (any HandshakeSignatureVerifier)? { nil }
}
