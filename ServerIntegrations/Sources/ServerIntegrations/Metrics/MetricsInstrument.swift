//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Metrics
public import HTTPSession
public import HTTPTypes
public import Metrics
import ServerTrustNIO

/// An instrument that measures the requests of a session and counts the verdicts on its servers.
///
/// ```swift
/// configuration.instrument = MetricsInstrument()
/// ```
///
/// The timer `http_client_request_duration` has the dimensions `method` and `status`. The status of a request without a response
/// is `error`. The verdicts are counted as ``TrustMetrics`` describes.
public struct MetricsInstrument: HTTPSessionInstrument {
    private let factory: any MetricsFactory

    /// Creates an instrument.
    ///
    /// - Parameter factory: The factory of the timers and counters.
    public init(factory: any MetricsFactory = MetricsSystem.factory) { self.factory = factory }

    /// Starts the measurement of a request.
    public func begin(_ request: HTTPSessionRequest, fields: inout HTTPFields) -> any HTTPRequestSpan {
        MeasuredRequest(factory: self.factory, method: request.method.label)
    }
}

/// The measurement of one request.
private struct MeasuredRequest: HTTPRequestSpan {
    let factory: any MetricsFactory
    let method: String
    private let begin = ContinuousClock.now

    init(factory: any MetricsFactory, method: String) {
        self.factory = factory
        self.method = method
    }

    func session(_ event: HTTPSessionEvent) {
        let metrics = TrustMetrics(factory: self.factory)
        switch event {
        case .connected(let report): metrics.record(.success(report.gated))
        case .failed(let error):
            guard let failure = error.connectionError else { return }
            metrics.record(.failure(failure) as Result<GatedConnection, any Error>)
        default: break
        }
    }

    func end(_ outcome: HTTPRequestOutcome) {
        let dimensions = [("method", self.method), ("status", outcome.status.map { "\($0)" } ?? "error")]
        Timer(label: "http_client_request_duration", dimensions: dimensions, factory: self.factory)
            .record(duration: self.begin.duration(to: .now))
    }
}

extension HTTPSessionError {
    /// The error of the gate or of the connection, or `nil` if the program or its pool ended the request.
    fileprivate var connectionError: (any Error)? {
        switch self.kind {
        case .refused(let error): error
        case .connection: self
        default: nil
        }
    }
}

extension HTTPRequestOutcome {
    /// The status of the response, or `nil` if there is none.
    fileprivate var status: Int? {
        switch self {
        case .delivered(let status, _), .abandoned(let status, _): status == 0 ? nil : status
        case .failed: nil
        }
    }
}
#endif
