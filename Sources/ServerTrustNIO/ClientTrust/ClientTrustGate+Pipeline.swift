//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import NIOCore
public import NIOSSL
import ServerTrust
public import TLSWire

/// What came of a connection with a client that the gate let through.
public struct GatedClient: Sendable {
    /// Who the client is; `nil` for a client without a certificate, where that is allowed.
    public let identity: ClientIdentity?
    /// The version of TLS.
    public let version: TLSProtocolVersion?
    /// The cipher suite.
    public let cipherSuite: CipherSuite?
    /// The application protocol that was agreed on (ALPN, RFC 7301); `nil` when none was.
    public let applicationProtocol: String?
}

extension ChannelPipeline.SynchronousOperations {
    /// Adds TLS to an accepted connection, with a judgment of the client's certificate.
    ///
    /// What comes after in the pipeline hears `TLSUserEvent.handshakeCompleted` once the client is let through, or
    /// ``ClientTrustError`` in `errorCaught`, once, after which the connection is closed.
    ///
    /// - Parameters:
    ///   - gate: Who is trusted, and who the server is.
    ///   - outcome: Gets who the client is if it is let through, and ``ClientTrustError`` if not.
    ///   - position: Where they go. Everything that is to be protected comes after them.
    /// - Throws: `ChannelError` if the connection is closed. Then the promise fails as well, and the connection is to be closed.
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

    /// Who the client of the connection is; `nil` before it is let through, and without a gate.
    public var gatedClient: GatedClient? {
        let handler = try? self.handler(type: ClientGateHandler.self)
        return (handler?.handshake as? ClientHandshake)?.client
    }
}

/// Told apart from the handler of a gate for a server, which may stand in front of it.
private final class ClientGateHandler: GateHandler {}

// For servers that own their `NIOSSLContext`, such as gRPC's transport and Hummingbird.
extension ClientTrustGate {
    /// A callback that judges clients by the settings of this gate at the time of each connection.
    ///
    /// - Warning: A server with one context resumes sessions without calling it, and asks for no certificate then. Refuse every connection that has no validated chain:
    ///   `nioSSL_peerValidatedCertificateChain`, or ``identity(validatedChain:)``.
    /// - Parameter refusal: Hears why a client is refused, on the event loop; NIOSSL's own error does not say it.
    /// - Returns: The callback. It computes on the event loop, for less than a millisecond.
    public func customVerificationCallbackWithMetadata(
        refusal: (@Sendable (ClientTrustError) -> Void)? = nil
    ) -> @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResultWithMetadata>) -> Void {
        { certificates, promise in
            switch self.generation.judge.judge(certificates) {
            case .success(let identity):
                promise.succeed(.certificateVerified(VerificationMetadata(identity.result.validatedChain)))
            case .failure(let error):
                // Not from within BoringSSL: the program may close the connection.
                promise.futureResult.eventLoop.execute { refusal?(error) }
                promise.fail(error)
            }
        }
    }

    /// Who the client of a connection is, by the chain that the callback of this gate verified. The chain is judged again, by
    /// the settings of now.
    ///
    /// - Parameter validatedChain: What `nioSSL_peerValidatedCertificateChain` says of the connection.
    /// - Returns: The client.
    /// - Throws: ``ClientTrustError``: without a chain with the code ``ClientTrustError/Code/notJudged``, as a resumed session
    ///   has none.
    public func identity(validatedChain: ValidatedCertificateChain?) throws(ClientTrustError) -> ClientIdentity {
        guard let validatedChain else { throw ClientTrustError(.notJudged) }
        return try self.generation.judge.judge(Array(validatedChain)).get()
    }

    /// The same for a chain in DER, the client's certificate first, from libraries that have certificates of another type.
    ///
    /// - Parameter chain: The chain that the callback of this gate verified; `nil` where the library has none.
    /// - Returns: The client.
    /// - Throws: ``ClientTrustError``
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
