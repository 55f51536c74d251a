//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Tracing
public import HTTPSession
public import HTTPTypes
import ServerTrustNIO
public import Tracing

/// An instrument that makes a span of each request of a session, and passes its context on to the server.
///
/// ```swift
/// configuration.instrument = TracingInstrument()
/// ```
///
/// The spans have the attributes of OpenTelemetry's semantic conventions for HTTP clients. Their events are the verdicts on
/// servers, redirects, challenges and repeated attempts. The URL in `url.full` has neither user information nor a query, because
/// both may contain secrets.
public struct TracingInstrument: HTTPSessionInstrument {
    private let tracer: (any Tracer)?

    /// Creates an instrument.
    ///
    /// - Parameter tracer: The tracer of the spans, or `nil` for the tracer of `InstrumentationSystem`.
    public init(tracer: (any Tracer)? = nil) { self.tracer = tracer }

    /// Starts a span, as a child of the current one, and adds its context to the fields.
    public func begin(_ request: HTTPSessionRequest, fields: inout HTTPFields) -> any HTTPRequestSpan {
        let tracer = self.tracer ?? InstrumentationSystem.tracer
        let span = tracer.startAnySpan(request.method.label, ofKind: .client)
        span.updateAttributes { attributes in
            attributes["http.request.method"] = request.method.label
            attributes["url.full"] = "\(request.url.origin)\(request.url.path)"
            attributes["server.address"] = "\(request.url.host)"
            attributes["server.port"] = request.url.port
        }
        tracer.inject(span.context, into: &fields, using: FieldInjector())
        return TracedRequest(span: span)
    }
}

/// The span of one request.
private struct TracedRequest: HTTPRequestSpan {
    let span: any Span

    func session(_ event: HTTPSessionEvent) {
        guard let spanEvent = SpanEvent(event) else { return }
        self.span.addEvent(spanEvent)
    }

    func end(_ outcome: HTTPRequestOutcome) {
        switch outcome {
        case .delivered(let status, _), .abandoned(let status, _):
            guard status > 0 else { return self.span.end() }
            self.span.attributes["http.response.status_code"] = status
            if status >= 400 { self.fail("\(status)") }
        case .failed(let error):
            self.span.recordError(error)
            self.fail("\(error.code.rawValue)")
        }
        self.span.end()
    }

    private func fail(_ type: String) {
        self.span.attributes["error.type"] = type
        self.span.setStatus(SpanStatus(code: .error))
    }
}

extension SpanEvent {
    /// Creates the event of a span, or `nil` for an event of a session that is not part of a trace.
    fileprivate init?(_ event: HTTPSessionEvent) {
        switch event {
        case .connected(let report):
            // Over plain HTTP no server was judged.
            guard let version = report.gated.version else { return nil }
            let attributes: SpanAttributes = [
                "server_trust.verdict": "trusted", "tls.protocol.version": .string("\(version)"),
            ]
            self.init(name: "server trust", attributes: attributes)
        case .failed(let error):
            guard case .refused(let refusal) = error.kind else { return nil }
            self.init(
                name: "server trust",
                attributes: ["server_trust.verdict": "refused", "server_trust.reason": "\(refusal.code)"])
        case .redirected(_, let url, let status):
            self.init(
                name: "redirect",
                attributes: ["http.response.status_code": .int64(Int64(status)), "server.address": "\(url.host)"])
        case .challenged(let status, _):
            self.init(name: "challenge", attributes: ["http.response.status_code": .int64(Int64(status))])
        case .retrying: self.init(name: "retry")
        case .connecting, .request, .informational, .response: return nil
        }
    }
}

/// The injector of a span's context into the fields of a request.
private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        guard let name = HTTPField.Name(key) else { return }
        fields[name] = value
    }
}
#endif
