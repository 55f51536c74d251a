//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import ServerTrust
import TLSWire

/// TLS to a server for HTTP/1.1, which this package alone judges.
struct JudgedTLS: Sendable {
    let endpoint: TLSEndpoint
    /// Whether the server is trusted, by its certificates in DER, its own first. Called beside the event loop.
    let accepts: @Sendable ([[UInt8]]) -> Bool

    /// More certificates than any server needs; BoringSSL limits their size to 100 KiB all together.
    static let maximumCertificateCount = 100

    /// Adds the handlers to a connected channel, which starts the handshake.
    ///
    /// - Parameter channel: The channel, on its event loop.
    /// - Throws: `NIOSSLError` or `ChannelError` if they cannot be added.
    func start(on channel: any Channel) throws {
        let context = try NIOSSLContext(configuration: .judged)
        let eventLoop = channel.eventLoop
        let handler = try ClientTLS.handler(
            context, serverName: self.endpoint.host.serverNameIndication
        ) { certificates, verdict in self.judge(certificates, on: eventLoop).cascade(to: verdict) }
        let translator = TLSErrorTranslator()
        try channel.pipeline.syncOperations.addHandler(translator)
        try channel.pipeline.syncOperations.addHandler(handler, position: .before(translator))
    }

    /// Judges beside the event loop: stores are read from files, and evaluators may be anyone's.
    private func judge(
        _ certificates: [NIOSSLCertificate], on eventLoop: any EventLoop
    ) -> EventLoopFuture<NIOSSLVerificationResult> {
        eventLoop.makeCompletedFuture {
            // One more than is taken, so that too many are seen to be.
            try certificates.prefix(Self.maximumCertificateCount + 1).map { try $0.toDERBytes() }
        }
        .flatMap { chain in
            NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) {
                self.accepts(chain) ? .certificateVerified : .failed
            }
        }
    }
}

extension TLSConfiguration {
    /// TLS 1.2 or newer, without SHA-1, for HTTP/1.1.
    fileprivate static var judged: TLSConfiguration {
        var offer = TLSConnection.Configuration()
        offer.minimumVersion = .tls12
        offer.applicationProtocols = ["http/1.1"]
        var configuration = TLSConfiguration(offering: offer)
        configuration.verifySignatureAlgorithms?.removeAll { $0 == .rsaPkcs1Sha1 || $0 == .ecdsaSha1 }
        return configuration
    }
}

/// Says of errors between the TLS handler and HTTP what they are.
private final class TLSErrorTranslator: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var hasShakenHands = false

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { self.hasShakenHands = true }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let detail = error.boringSSLErrors?.map(\.reason).joined(separator: ", ") ?? "\(error)"
        let what = self.hasShakenHands ? "the TLS connection failed" : "the TLS handshake failed"
        context.fireErrorCaught(ResourceError(.badAnswer, detail.isEmpty ? what : "\(what) (\(detail))"))
    }
}
