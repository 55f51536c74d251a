//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GRPCCore
import GRPCNIOTransportHTTP2Posix
import ServerTrust
import ServerTrustNIO
import SwiftASN1
import X509

extension HTTP2ServerTransport.Posix.TransportSecurity {
    /// Mutual TLS in which the gate judges the clients.
    ///
    /// - Warning: gRPC has one TLS context for the whole server, and resumes sessions without asking for a verdict. Add a
    ///   ``ClientTrustInterceptor``, which refuses the calls of such connections.
    /// - Parameters:
    ///   - gate: Who is trusted.
    ///   - certificateChain: The server's chain.
    ///   - privateKey: The server's key.
    ///   - refusal: Hears why a client is refused; gRPC does not say it.
    public static func mTLS(
        clientsTrustedBy gate: ClientTrustGate, certificateChain: [TLSConfig.CertificateSource],
        privateKey: TLSConfig.PrivateKeySource, refusal: (@Sendable (ClientTrustError) -> Void)? = nil
    ) -> Self {
        .mTLS(certificateChain: certificateChain, privateKey: privateKey) { config in
            config.requireALPN = true
            // The callback decides, and the system's roots would take long to read.
            config.trustRoots = .certificates([])
            config.customVerificationCallback = gate.customVerificationCallbackWithMetadata(refusal: refusal)
        }
    }
}

/// Refuses every call on a connection whose client was not judged, and hands the client's identity to the services.
///
/// A session that was resumed has no validated chain: the client's certificate may have been judged by other settings, or
/// revoked since.
public struct ClientTrustInterceptor: ServerInterceptor {
    /// Who the client of the call is, for services.
    @TaskLocal public static var client: ClientIdentity?

    private let gate: ClientTrustGate

    /// An interceptor.
    ///
    /// - Parameter gate: The gate of the transport.
    public init(_ gate: ClientTrustGate) {
        self.gate = gate
    }

    /// Judges the client of a call.
    public func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingServerRequest<Input>, context: ServerContext,
        next: @Sendable (StreamingServerRequest<Input>, ServerContext) async throws -> StreamingServerResponse<Output>
    ) async throws -> StreamingServerResponse<Output> {
        let identity: ClientIdentity
        do {
            identity = try self.identity(context)
        } catch {
            throw RPCError(code: .unauthenticated, message: "\(error)")
        }
        return try await Self.$client.withValue(identity) {
            try await next(request, context)
        }
    }

    private func identity(_ context: ServerContext) throws -> ClientIdentity {
        let transport = context.transportSpecific as? HTTP2ServerTransport.Posix.Context
        let chain = try transport?.peerCertificateChain.map { chain in
            try chain.map { certificate in
                var serializer = DER.Serializer()
                try serializer.serialize(certificate)
                return serializer.serializedBytes
            }
        }
        return try self.gate.identity(validatedChainInDER: chain)
    }
}
