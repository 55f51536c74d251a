//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// The connection to a server that a probe plan uses.
///
/// A program implements it with sockets, and a test with a simulated server. Every hello, handshake or other message has a
/// connection of its own.
public protocol ProbeExchange: Sendable {
    /// Sends a hello over a new connection and waits for all messages in the clear.
    func reply(to hello: ClientHello) async -> ProbeReply

    /// Sends bytes other than a TLS hello over a new connection and waits for the first bytes of the answer.
    ///
    /// - Returns: The first bytes, at most some dozens, or the reason that there are none.
    func answer(to bytes: [UInt8]) async -> Result<[UInt8], ConnectionFailure>

    /// Performs a handshake with real keys and reads the server's flight to its end (`HandshakeReader`).
    ///
    /// Some facts are visible only to a client with keys. Nothing is sent after the hello.
    func handshake(offering offer: HandshakeOffer) async -> HandshakeResult

    /// Completes a handshake with a TLS library.
    ///
    /// Only a complete handshake proves a key that signs nothing: with suites without an ephemeral key (RFC 5246 §7.4.7.1), and
    /// with versions whose signatures cannot be verified here.
    func completedHandshake(offering offer: HandshakeOffer) async -> HandshakeResult

    /// Waits for a duration before the next attempt.
    func pause(for duration: Duration) async

    /// The verifier of the signatures over ephemeral keys in the clear. If it is `nil`, none is verified.
    var signatureVerifier: (any HandshakeSignatureVerifier)? { get }
}

extension ProbeExchange {
    /// `nil`, so that no signature is verified.
    public var signatureVerifier: (any HandshakeSignatureVerifier)? { nil }
}
