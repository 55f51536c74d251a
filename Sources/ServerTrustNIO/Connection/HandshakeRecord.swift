//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import TLSWire

/// What has been seen of one handshake so far.
///
/// Shared between the handlers of one channel and used on its event loop only.
final class HandshakeRecord {
    /// How the certificates were received.
    enum Reception {
        case pending
        case accepted([[UInt8]])
        case refused([[UInt8]])
        case beyondLimits
    }

    let remoteAddress: String?
    private(set) var reception = Reception.pending
    var serverHello: ServerHello?
    /// The alert the server sent in plaintext.
    var alert: TLSAlertDescription?
    /// Whether the server's whole flight of TLS 1.2 or older was answered with keys, and not with an alert.
    var hasAnsweredFlight = false
    /// The bytes received so far, encrypted or not.
    var receivedBytes = 0

    init(remoteAddress: SocketAddress?) {
        self.remoteAddress = remoteAddress.flatMap(Self.text(of:))
    }

    /// Takes the certificates from NIOSSL and asks for the decision.
    ///
    /// - Parameters:
    ///   - certificates: The certificates as the server sent them.
    ///   - limits: The limits on their number and size.
    ///   - deciding: The caller's decision.
    /// - Returns: Whether to complete the handshake.
    func receive(
        _ certificates: [NIOSSLCertificate],
        limits: TLSConnection.Configuration,
        deciding: ([[UInt8]]) -> Bool
    ) -> Bool {
        do {
            let chain = try certificates.prefix(limits.maximumCertificateCount).map { try $0.toDERBytes() }
            let size = chain.reduce(0) { $0 + $1.count }
            guard certificates.count <= limits.maximumCertificateCount, size <= limits.maximumChainSize else {
                self.reception = .beyondLimits
                return false
            }
            let isAccepted = deciding(chain)
            self.reception = isAccepted ? .accepted(chain) : .refused(chain)
            return isAccepted
        } catch {
            // BoringSSL has parsed these bytes; if it cannot give them back there is no chain, and the handshake fails.
            return false
        }
    }

    /// The presented chain, if certificates arrived.
    ///
    /// - Parameters:
    ///   - failure: What ended the handshake, or `nil` if it completed.
    ///   - applicationProtocol: The protocol negotiated by ALPN.
    /// - Returns: The chain, or `nil` without one.
    func presentedChain(failure: TLSConnectionError?, applicationProtocol: String?) -> PresentedChain? {
        switch self.reception {
        case .accepted(let certificates) where !certificates.isEmpty:
            self.chain(
                certificates, failure.map { .failed($0) } ?? .completed, applicationProtocol: applicationProtocol)
        case .refused(let certificates) where !certificates.isEmpty:
            self.chain(certificates, .refused, applicationProtocol: applicationProtocol)
        case .accepted, .refused, .pending, .beyondLimits:
            nil
        }
    }

    private func chain(
        _ certificates: [[UInt8]],
        _ handshake: PresentedChain.Handshake,
        applicationProtocol: String?
    ) -> PresentedChain {
        var chain = PresentedChain(
            certificates: certificates,
            handshake: handshake,
            protocolVersion: self.serverHello?.version,
            cipherSuite: self.serverHello?.cipherSuite,
            usesExtendedMasterSecret: self.serverHello?.usesExtendedMasterSecret,
            applicationProtocol: applicationProtocol,
            remoteAddress: self.remoteAddress
        )
        chain.isFlightAnswered = self.hasAnsweredFlight
        return chain
    }

    private static func text(of address: SocketAddress) -> String? {
        guard let host = address.ipAddress, let port = address.port else {
            return nil
        }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
