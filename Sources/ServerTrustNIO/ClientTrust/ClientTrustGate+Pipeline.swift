//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import NIOCore
public import NIOSSL
import ServerTrust
public import TLSWire

/// A connection with a client that the gate let through.
///
/// It is the result of `addClientTrustHandlers`, and `gatedClient` returns it for as long as the connection lasts.
public struct GatedClient: Sendable {
    /// The identity of the client, or `nil` for a client without a certificate, if the settings allow that.
    public let identity: ClientIdentity?
    /// The negotiated version of TLS.
    public let version: TLSProtocolVersion?
    /// The negotiated cipher suite.
    public let cipherSuite: CipherSuite?
    /// The negotiated application protocol (ALPN, RFC 7301), or `nil` if there is none.
    public let applicationProtocol: String?
}

extension ChannelPipeline.SynchronousOperations {
    /// Adds TLS to an accepted connection, with an evaluation of the client's chain.
    ///
    /// Handlers after it receive `TLSUserEvent.handshakeCompleted` once the client is let through. If it is refused, they receive
    /// one ``ClientTrustError`` in `errorCaught`, and the connection is closed.
    ///
    /// - Parameters:
    ///   - gate: The gate with its settings.
    ///   - outcome: Succeeds with the client if it is let through, and fails with ``ClientTrustError`` otherwise.
    ///   - position: The position of the handlers. Every handler to be protected comes after them.
    /// - Throws: `ChannelError` if the connection is closed. The promise fails as well. Close the connection then.
    public func addClientTrustHandlers(
        _ gate: ClientTrustGate, outcome: EventLoopPromise<GatedClient>? = nil,
        position: ChannelPipeline.SynchronousOperations.Position = .last
    ) throws {
        do {
            let handshake = ClientHandshake(gate.generation, outcome: outcome)
            try self.addHandlers([ClientHelloTap(handshake), ClientGateHandler(handshake)], position: position)
        } catch {
            outcome?.fail(error)
            throw error
        }
    }

    /// The client of the connection. `nil` before it is let through, and if there is no gate.
    public var gatedClient: GatedClient? {
        let handler = try? self.handler(type: ClientGateHandler.self)
        return (handler?.handshake as? ClientHandshake)?.client
    }
}

/// A type of its own, because the handler of a gate for a server may stand in front of it.
private final class ClientGateHandler: GateHandler {}

// For servers that own their `NIOSSLContext`, such as gRPC's transport and Hummingbird.
extension ClientTrustGate {
    /// Returns a callback that judges clients by the settings of this gate at the time of each connection.
    ///
    /// - Warning: A server with one TLS context resumes sessions without calling the callback, and then requests no certificate.
    ///   Refuse every connection without a validated chain: `nioSSL_peerValidatedCertificateChain`, or
    ///   ``identity(validatedChain:)``.
    /// - Parameter refusal: Called on the event loop with the reason if a client is refused. NIOSSL's own error does not contain
    ///   it.
    /// - Returns: The callback. It computes on the event loop for less than a millisecond.
    public func customVerificationCallbackWithMetadata(
        refusal: (@Sendable (ClientTrustError) -> Void)? = nil
    ) -> @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResultWithMetadata>) -> Void {
        { certificates, promise in
            switch self.generation.judge.judge(certificates) {
            case .success(let identity):
                promise.succeed(.certificateVerified(VerificationMetadata(identity.result.validatedChain)))
            case .failure(let error):
                // In a later turn, not from within BoringSSL, because the program may close the connection.
                promise.futureResult.eventLoop.execute { refusal?(error) }
                promise.fail(error)
            }
        }
    }

    /// Returns the client of a connection from the chain that the callback of this gate verified.
    ///
    /// The chain is judged again by the current settings.
    ///
    /// - Parameter validatedChain: The connection's `nioSSL_peerValidatedCertificateChain`.
    /// - Returns: The client.
    /// - Throws: ``ClientTrustError`` if the client is refused. Its code is ``ClientTrustError/Code/notJudged`` if there is no
    ///   chain, as in a resumed session.
    public func identity(validatedChain: ValidatedCertificateChain?) throws(ClientTrustError) -> ClientIdentity {
        guard let validatedChain else { throw ClientTrustError(.notJudged) }
        return try self.generation.judge.judge(Array(validatedChain)).get()
    }

    /// Returns the client for a chain in DER, from libraries with another type of certificate.
    ///
    /// - Parameter chain: The chain that the callback of this gate verified, the client's certificate first, or `nil` if the
    ///   library has none.
    /// - Returns: The client.
    /// - Throws: ``ClientTrustError`` if the client is refused or there is no chain.
    public func identity(validatedChainInDER chain: [[UInt8]]?) throws(ClientTrustError) -> ClientIdentity {
        guard let chain, !chain.isEmpty else { throw ClientTrustError(.notJudged) }
        let certificates: [NIOSSLCertificate]
        do {
            certificates = try chain.map { try NIOSSLCertificate(bytes: $0, format: .der) }
        } catch {
            throw ClientTrustError(.unreadable, cause: error)
        }
        return try self.generation.judge.judge(certificates).get()
    }
}
