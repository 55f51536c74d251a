//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust
import Synchronization

/// Decides whether a server may have reports, by this package's rules.
struct ReportServerTrust: Sendable {
    private let trust: TrustConfiguration
    private let evaluator: ServerTrustEvaluator

    init(_ configuration: PinReportPoster.Configuration) {
        (self.trust, self.evaluator) = (configuration.trust, configuration.evaluator)
    }

    /// Judges what a server presented.
    ///
    /// - Parameters:
    ///   - chain: The certificates in DER, the server's own first.
    ///   - endpoint: The server that was asked for.
    /// - Returns: Why it is not trusted; `nil` when it is.
    func refusal(of chain: [[UInt8]], from endpoint: TLSEndpoint) -> PinReportPoster.Failure? {
        guard chain.count <= JudgedTLS.maximumCertificateCount else {
            return .unreadable("it sent too many certificates")
        }
        let host = endpoint.host.text
        do {
            let trust = try Trust(
                certificates: chain.map { try Certificate(der: $0) }, policy: .tlsServer(hostname: host),
                configuration: self.trust)
            return self.evaluator.evaluate(trust, forHost: host, port: endpoint.port).failure
                .map { PinReportPoster.Failure($0) }
        } catch {
            return .unreadable("\(error)")
        }
    }
}

/// Why a server was refused, if it was: NIOSSL's own error says nothing about it.
final class ReportServerRefusal: Sendable {
    private let state = Mutex<PinReportPoster.Failure?>(nil)

    var failure: PinReportPoster.Failure? {
        get { self.state.withLock { $0 } }
        set { self.state.withLock { $0 = newValue } }
    }
}
