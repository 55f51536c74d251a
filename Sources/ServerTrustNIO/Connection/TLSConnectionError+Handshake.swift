//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import TLSWire

extension TLSConnectionError {
    /// Creates the error for a failed handshake.
    ///
    /// - Parameters:
    ///   - handshake: The handshake.
    ///   - attempt: The attempt.
    ///   - error: The error of the pipeline.
    init(shakingHands handshake: LookingHandshake, of attempt: HandshakeAttempt, error: any Error) {
        if let error = error as? TLSConnectionError {
            self = error
        } else if handshake.isBeyondLimits {
            self = .limitExceeded(attempt)
        } else {
            self.init(
                attempt, handshake,
                failure: ConnectionFailure(
                    shakingHands: error, alert: handshake.alert, in: handshake.serverHello?.cipherSuite))
        }
    }

    private init(_ attempt: HandshakeAttempt, _ handshake: LookingHandshake, failure: ConnectionFailure) {
        switch failure {
        case .alert(let alert): self = .alerted(attempt.endpoint, alert, handshake)
        case .handshake(_, .keyUsage):
            self = Self(
                .handshakeFailed, endpoint: attempt.endpoint, reason: failure.message, advice: failure.remedy)
        case .handshake(_, .tooMuch) where handshake.serverHello != nil: self = .limitExceeded(attempt)
        case .handshake(_, .tooMuch): self = .handshakeFailed(attempt.endpoint, "EXCESSIVE_MESSAGE_SIZE")
        case .handshake(let reasons, _): self = .handshakeFailed(attempt.endpoint, reasons)
        default: self = .closed(attempt.endpoint)
        }
    }

    private static func alerted(
        _ endpoint: TLSEndpoint, _ alert: TLSAlertDescription, _ handshake: LookingHandshake
    ) -> Self {
        Self(
            .handshakeFailed,
            endpoint: endpoint,
            reason: "the server ended the TLS handshake with the alert \(alert)",
            advice: alert.advice(afterServerHello: handshake.serverHello != nil),
            alert: alert
        )
    }

    private static func handshakeFailed(_ endpoint: TLSEndpoint, _ detail: String) -> Self {
        Self(
            .handshakeFailed,
            endpoint: endpoint,
            reason: "the TLS handshake failed (\(detail))",
            advice: "what the server sent is not acceptable TLS. Look into its TLS settings"
        )
    }

    static func closed(_ endpoint: TLSEndpoint) -> Self {
        Self(
            .closedDuringHandshake,
            endpoint: endpoint,
            reason: "the server closed the connection during the TLS handshake",
            advice: "check that this port speaks TLS from the first byte, and look into the server's log"
        )
    }

    static func timedOut(_ attempt: HandshakeAttempt, isSilent: Bool) -> Self {
        let time = attempt.configuration.timeout.shortText
        let reason =
            isSilent
            ? "the server accepted the connection and did not answer the ClientHello within \(time)"
            : "the TLS handshake was not finished within \(time)"
        return Self(
            .timedOut,
            endpoint: attempt.endpoint,
            reason: reason,
            advice: "check that this port speaks TLS from the first byte, or allow more time"
        )
    }

    static func notTLS(_ endpoint: TLSEndpoint, greeting: ByteBuffer) -> Self {
        let text = greeting.readableBytesView.prefix(40).prefix { (0x20...0x7E).contains($0) }
        let quote = text.count < 4 ? "" : " but with \"\(String(decoding: text, as: UTF8.self))\""
        return Self(
            .notTLS,
            endpoint: endpoint,
            reason: "the server did not answer with TLS\(quote)",
            advice: "give the port that speaks TLS from the first byte, for HTTPS usually 443",
            firstBytes: Array(greeting.readableBytesView.prefix(60))
        )
    }

    static func noCertificate(_ endpoint: TLSEndpoint) -> Self {
        Self(
            .noCertificate,
            endpoint: endpoint,
            reason: "the server presented no certificate",
            advice: "configure a certificate on the server"
        )
    }

    static func limitExceeded(_ attempt: HandshakeAttempt) -> Self {
        let limits = attempt.configuration
        return Self(
            .limitExceeded,
            endpoint: attempt.endpoint,
            reason: "the server sent more than the \(limits.maximumCertificateCount) certificates or "
                + "\(limits.maximumChainSize) bytes of them that are read at most",
            advice: "configure only its own certificate and the intermediates on the server"
        )
    }
}
