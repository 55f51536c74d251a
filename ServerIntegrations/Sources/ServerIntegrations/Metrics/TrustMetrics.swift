//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Metrics
import AppTransportSecurity
public import Metrics
import ServerTrust
public import ServerTrustNIO

/// Counters of the verdicts on peers, for dashboards and alerts.
///
/// ```swift
/// let metrics = TrustMetrics()
/// let outcome = channel.eventLoop.makePromise(of: GatedConnection.self)
/// outcome.futureResult.whenComplete { metrics.record($0) }
/// try channel.pipeline.syncOperations.addServerTrustHandlers(gate, for: destination, outcome: outcome)
/// ```
///
/// A connection over plain HTTP is not counted, because no server was judged.
///
/// The counters are `server_trust_verdicts` and, for the clients of a server, `client_trust_verdicts`. Their dimension `verdict` is
/// `trusted`, `refused` or `failed`, and `reason` is the code of the worst reason. No dimension contains a host, a name or another
/// value that a peer can choose.
public struct TrustMetrics: Sendable {
    private let factory: any MetricsFactory

    /// Creates counters.
    ///
    /// - Parameter factory: The factory of the counters.
    public init(factory: any MetricsFactory = MetricsSystem.factory) { self.factory = factory }

    /// Counts the verdict on a server.
    public func record(_ outcome: Result<GatedConnection, any Error>) {
        switch outcome {
        case .success(let connection):
            if connection.version != nil { self.count("server_trust_verdicts", .trusted) }
        case .failure(let error as ServerTrustGateError): self.count("server_trust_verdicts", error.countedVerdict)
        case .failure: self.count("server_trust_verdicts", .failed)
        }
    }

    /// Counts the verdict on a client of a server.
    public func record(_ outcome: Result<GatedClient, any Error>) {
        switch outcome {
        case .success: self.count("client_trust_verdicts", .trusted)
        case .failure(let error as ClientTrustError):
            self.count("client_trust_verdicts", .refused(error.failure?.code ?? error.code.rawValue))
        case .failure: self.count("client_trust_verdicts", .failed)
        }
    }

    private func count(_ label: String, _ verdict: CountedVerdict) {
        Counter(label: label, dimensions: verdict.dimensions, factory: self.factory).increment()
    }
}

/// A verdict in the few words that a counter may distinguish.
private enum CountedVerdict {
    case trusted
    case refused(String)
    case failed

    var dimensions: [(String, String)] {
        switch self {
        case .trusted: [("verdict", "trusted")]
        case .refused(let reason): [("verdict", "refused"), ("reason", reason)]
        case .failed: [("verdict", "failed")]
        }
    }
}

extension ServerTrustGateError {
    /// The verdict. A connection that failed without an answer to judge is no refusal.
    fileprivate var countedVerdict: CountedVerdict {
        if case .connectionFailed? = self.verdict.primary?.reason { .failed } else { .refused(self.code) }
    }
}
#endif
