//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust
import Synchronization

/// Decides whether a server may have reports, by this package's rules.
struct ReportServerTrust: Sendable {
    private let anchors: ReportServerAnchors
    private let evaluator: ServerTrustEvaluator

    init(_ configuration: PinReportPoster.Configuration) {
        let anchors = configuration.anchors
        self.anchors = ReportServerAnchors { try anchors ?? .store(.system()) }
        self.evaluator = configuration.evaluator
    }

    /// Judges what a server presented. Blocks the first time, to read the system's store.
    ///
    /// - Parameters:
    ///   - chain: The certificates in DER, the server's own first.
    ///   - endpoint: The server that was asked for.
    /// - Returns: Why it is not trusted; `nil` when it is.
    func refusal(of chain: [[UInt8]], from endpoint: TLSEndpoint) -> PinReportPoster.Failure? {
        let anchors: TrustAnchors
        do {
            anchors = try self.anchors.get()
        } catch {
            return .noTrustStore(error)
        }
        guard chain.count <= JudgedTLS.maximumCertificateCount else {
            return .unreadable("it sent too many certificates")
        }
        let host = endpoint.host.text
        do {
            let trust = try Trust(
                certificates: chain.map { try Certificate(der: $0) }, policy: .tlsServer(hostname: host),
                anchors: anchors)
            return self.evaluator.evaluate(trust, forHost: host, port: endpoint.port).failure
                .map { PinReportPoster.Failure($0) }
        } catch {
            return .unreadable("\(error)")
        }
    }
}

/// What is trusted of report servers, found out when the first of them is judged.
final class ReportServerAnchors: Sendable {
    private let anchors = Mutex<TrustAnchors?>(nil)
    private let load: @Sendable () throws -> TrustAnchors

    init(_ load: @escaping @Sendable () throws -> TrustAnchors) {
        self.load = load
    }

    /// What is trusted. Blocks until it is known; what cannot be loaded is tried again the next time.
    func get() throws -> TrustAnchors {
        try self.anchors.withLock { known in
            if let known { return known }
            let loaded = try self.load()
            known = loaded
            return loaded
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
