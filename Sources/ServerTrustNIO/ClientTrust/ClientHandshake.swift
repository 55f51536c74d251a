//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import ServerTrust
import TLSWire

/// The state of one handshake with a client.
///
/// The handlers of one channel share it and use it on its event loop only.
final class ClientHandshake: GatedHandshake {
    private let generation: ClientTrustGeneration
    var serverHello: ServerHello?
    /// The TLS handler of this gate. Its callback retains this object, so the reference is dropped with the verdict or when the
    /// handler leaves the pipeline.
    var tls: NIOSSLHandler?
    var onEnd: (() -> Void)?
    /// `true` once the connection is open and nothing more is judged.
    private var isOver = false
    /// The result for the client's chain, which is judged once. `nil` before, and if there is no chain.
    private var judged: Result<ClientIdentity, ClientTrustError>?
    /// The accepted client, or `nil` before. It is kept because servers ask for the identity with every request.
    private(set) var client: GatedClient?
    private var promise: EventLoopPromise<GatedClient>?

    private var settings: ClientTrustSettings { self.generation.settings }
    var timeout: Duration { self.settings.handshakeTimeout }
    var maximumPendingBytes: Int { self.settings.maximumPendingBytes }

    init(_ generation: ClientTrustGeneration, outcome promise: EventLoopPromise<GatedClient>?) {
        self.generation = generation
        self.promise = promise
    }

    func makeTLSHandler(for hello: ReceivedClientHello?) throws -> NIOSSLServerHandler {
        let tls = NIOSSLServerHandler(
            context: try self.generation.context(for: hello),
            customVerificationCallback: { certificates, result in
                result.succeed(self.receive(certificates) ? .certificateVerified : .failed)
            })
        self.tls = tls
        return tls
    }

    /// Judges the client's certificates when BoringSSL asks for a verdict.
    ///
    /// - Returns: `true` to complete the handshake.
    private func receive(_ certificates: [NIOSSLCertificate]) -> Bool {
        // BoringSSL asks once. A second question would be about certificates that were not judged.
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

    /// The identity of the client. The verdict counts only if TLS has the client's certificate as well.
    private var identity: Result<ClientIdentity?, ClientTrustError> {
        switch (self.judged, self.tls?.peerCertificate) {
        case (.failure(let error)?, _): .failure(error)
        case (.success(let identity)?, _?): .success(identity)
        case (nil, nil) where self.settings.presentation == .optional: .success(nil)
        case (nil, nil): .failure(ClientTrustError(.noCertificate))
        // A certificate that was never judged belongs to a resumed session.
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
