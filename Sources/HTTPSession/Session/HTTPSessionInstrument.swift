//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
import Synchronization

/// An instrument that traces each request of a session from its start to its end, for metrics and distributed tracing.
///
/// It depends on no library for either. An adapter to swift-distributed-tracing starts a span of kind `client` in
/// ``begin(_:fields:)``, injects its context into the fields, and ends it in ``HTTPRequestSpan/end(_:)``. The example
/// `Snippets/TraceRequests.swift` is compiled with the package and writes the fields of W3C Trace Context itself.
public protocol HTTPSessionInstrument: Sendable {
    /// Starts the span of a request. Called once for each request of the program, including its redirects and challenges,
    /// from its task.
    ///
    /// - Parameters:
    ///   - request: The request as the program created it.
    ///   - fields: The request's fields, to which the trace context such as `traceparent` can be added. They are sent to each
    ///     server that a redirect leads to.
    /// - Returns: The span of the request.
    func begin(_ request: HTTPSessionRequest, fields: inout HTTPFields) -> any HTTPRequestSpan
}

/// The span of one request, which receives its events in order and its end once.
public protocol HTTPRequestSpan: HTTPSessionObserver {
    /// Ends the span, because the content was read to its end or released, or because the request failed.
    func end(_ outcome: HTTPRequestOutcome)
}

/// The outcome of a request.
public enum HTTPRequestOutcome: Sendable {
    /// The response is complete. The values are its status and the number of octets of content as they were delivered.
    case delivered(status: Int, octets: Int)
    /// There is no response, or it is incomplete.
    case failed(HTTPSessionError)
    /// The program released the content before its end, after this number of octets.
    case abandoned(status: Int, octets: Int)
}

/// The span of a request, which ends once, at the latest when it is deinitialized.
final class RequestSpan: Sendable {
    private struct State {
        var status = 0
        var octets = 0
        var isEnded = false
    }

    let span: any HTTPRequestSpan
    private let state = Mutex(State())

    init(_ span: any HTTPRequestSpan) { self.span = span }

    deinit {
        let state = self.state.withLock { $0 }
        if !state.isEnded { self.span.end(.abandoned(status: state.status, octets: state.octets)) }
    }

    func respond(status: Int) { self.state.withLock { $0.status = status } }

    func deliver(octets: Int) { self.state.withLock { $0.octets += octets } }

    /// Ends the span.
    ///
    /// - Parameter error: The error of the request, or `nil` at the end of the content.
    func end(_ error: HTTPSessionError?) {
        let ended = self.state.withLock { state in
            defer { state.isEnded = true }
            return state.isEnded ? nil : state
        }
        guard let ended else { return }
        self.span.end(error.map { .failed($0) } ?? .delivered(status: ended.status, octets: ended.octets))
    }
}
