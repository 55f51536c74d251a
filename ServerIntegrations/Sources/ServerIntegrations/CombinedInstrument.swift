//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPSession
public import HTTPTypes

/// An instrument that hands each request on to several instruments.
///
/// ```swift
/// configuration.instrument = CombinedInstrument(MetricsInstrument(), TracingInstrument())
/// ```
public struct CombinedInstrument: HTTPSessionInstrument {
    private let instruments: [any HTTPSessionInstrument]

    /// Creates an instrument of several, which are called in this order. They end in the reverse order.
    public init(_ instruments: any HTTPSessionInstrument...) { self.instruments = instruments }

    /// Starts the spans of a request.
    public func begin(_ request: HTTPSessionRequest, fields: inout HTTPFields) -> any HTTPRequestSpan {
        var spans: [any HTTPRequestSpan] = []
        for instrument in self.instruments { spans.append(instrument.begin(request, fields: &fields)) }
        return CombinedSpan(spans: spans)
    }
}

/// The spans of one request.
private struct CombinedSpan: HTTPRequestSpan {
    let spans: [any HTTPRequestSpan]

    func session(_ event: HTTPSessionEvent) {
        for span in self.spans { span.session(event) }
    }

    func end(_ outcome: HTTPRequestOutcome) {
        for span in self.spans.reversed() { span.end(outcome) }
    }
}
