//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
import Synchronization

/// Follows each request of a session from its beginning to its end: for metrics, and for distributed tracing.
///
/// It needs no library of either. An adapter to swift-distributed-tracing begins a span of kind `client` in
/// ``begin(_:fields:)``, injects its context into the fields, and ends it in ``HTTPRequestSpan/end(_:)``; `Snippets/TraceRequests.swift`
/// is compiled with the package, and writes the fields of W3C Trace Context itself.
public protocol HTTPSessionInstrument: Sendable {
    /// A request begins. Called once for each request of the program, with its redirects and challenges, from its task.
    ///
    /// - Parameters:
    ///   - request: The request as the program made it.
    ///   - fields: Its fields, to add what names the trace, such as `traceparent`. They go to each server that a redirect leads to.
    /// - Returns: What hears of this request.
    func begin(_ request: HTTPSessionRequest, fields: inout HTTPFields) -> any HTTPRequestSpan
}

/// Hears of one request: of what happens, in order, and of its end, once.
public protocol HTTPRequestSpan: HTTPSessionObserver {
    /// The request ends: its content was read to the end, or dropped, or it failed.
    func end(_ outcome: HTTPRequestOutcome)
}

/// How a request ends.
public enum HTTPRequestOutcome: Sendable {
    /// The response came whole, with so many octets of content as they were delivered, whatever its status.
    case delivered(status: Int, octets: Int)
    /// There is no response, or not all of it.
    case failed(HTTPSessionError)
    /// The program dropped the content before its end, after so many octets.
    case abandoned(status: Int, octets: Int)
}

/// The span of a request, which ends once: with the last that refers to it, if not before.
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

    /// - Parameter error: Why it failed; `nil` at the end of the content.
    func end(_ error: HTTPSessionError?) {
        let ended = self.state.withLock { state in
            defer { state.isEnded = true }
            return state.isEnded ? nil : state
        }
        guard let ended else { return }
        self.span.end(error.map { .failed($0) } ?? .delivered(status: ended.status, octets: ended.octets))
    }
}
