//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import ServerTrust
import TLSWire

/// What a connection with a client has come to so far.
///
/// Shared between the handlers of one channel and used on its event loop only.
final class ClientHandshake: GatedHandshake {
    private let generation: ClientTrustGeneration
    /// What this server chose.
    var serverHello: ServerHello?
    /// The TLS handler of this gate, until it is judged or leaves the pipeline: its callback keeps this object.
    var tls: NIOSSLHandler?
    /// Hears that nothing more is needed of the handshake.
    var onEnd: (() -> Void)?
    /// Whether the connection is open, and judged no more.
    private var isOver = false
    /// What came of the client's chain, judged once; `nil` before, and where there was none.
    private var judged: Result<ClientIdentity, ClientTrustError>?
    /// The client that is let through; `nil` before. Kept, as servers ask who it is with every request.
    private(set) var client: GatedClient?
    private var promise: EventLoopPromise<GatedClient>?

    private var settings: ClientTrustSettings { self.generation.settings }
    var timeout: Duration { self.settings.handshakeTimeout }
    var maximumPendingBytes: Int { self.settings.maximumPendingBytes }

    init(_ generation: ClientTrustGeneration, outcome promise: EventLoopPromise<GatedClient>?) {
        self.generation = generation
        self.promise = promise
    }

    /// The TLS handler for a client that begins with a hello.
    func makeTLSHandler(for hello: ReceivedClientHello?) throws -> NIOSSLServerHandler {
        let tls = NIOSSLServerHandler(
            context: try self.generation.context(for: hello),
            customVerificationCallback: { certificates, result in
                result.succeed(self.receive(certificates) ? .certificateVerified : .failed)
            })
        self.tls = tls
        return tls
    }

    /// Judges what the client presented, when BoringSSL asks for it.
    ///
    /// - Returns: Whether to complete the handshake.
    private func receive(_ certificates: [NIOSSLCertificate]) -> Bool {
        // BoringSSL asks once. Should it ever ask again, then for nothing that was judged.
        guard self.judged == nil, !self.isOver else {
            self.judged = .failure(ClientTrustError(.notJudged))
            return false
        }
        let judged = self.generation.judge.judge(certificates)
        self.judged = judged
        guard case .success = judged else { return false }
        return true
    }

    func refusal(on context: ChannelHandlerContext, negotiated: String?) -> (any Error)? {
        switch self.identity {
        case .success(let identity):
            self.client = GatedClient(
                identity: identity, version: self.tls?.tlsVersion.map(TLSProtocolVersion.init),
                cipherSuite: self.serverHello?.cipherSuite, applicationProtocol: negotiated)
            return nil
        case .failure(let error): return error
        }
    }

    /// Who the client is: what was judged counts if TLS knows of a certificate, too.
    private var identity: Result<ClientIdentity?, ClientTrustError> {
        switch (self.judged, self.tls?.peerCertificate) {
        case (.failure(let error)?, _): .failure(error)
        case (.success(let identity)?, _?): .success(identity)
        case (nil, nil) where self.settings.presentation == .optional: .success(nil)
        case (nil, nil): .failure(ClientTrustError(.noCertificate))
        // A certificate that was never judged: a resumed session.
        case (nil, _?), (.success?, nil): .failure(ClientTrustError(.notJudged))
        }
    }

    func open() {
        self.judged = nil
        self.serverHello = nil
        self.isOver = true
        self.onEnd?()
        self.onEnd = nil
        self.tls = nil
        guard let client else { return }
        self.promise.take()?.succeed(client)
    }

    func fail(_ error: any Error) { self.promise.take()?.fail(error) }

    func error(for error: any Error) -> any Error {
        if case .failure(let refusal)? = self.judged { return refusal }
        if error is HandshakeTimeout { return ClientTrustError(.timedOut, cause: error) }
        let reasons = error.boringSSLErrors?.map(\.reason) ?? []
        let isMissing = reasons.contains("PEER_DID_NOT_RETURN_A_CERTIFICATE")
        return ClientTrustError(isMissing ? .noCertificate : .handshakeFailed, cause: error)
    }
}
