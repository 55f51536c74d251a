// Measure requests, and pass the context of a trace on (W3C Trace Context), without a library for either.

import HTTPSession
import HTTPTypes
import Synchronization

// snippet.instrument
/// Counts responses by their status, and names each request in a field.
final class RequestMeter: HTTPSessionInstrument {
    let counts = Mutex<[Int: Int]>([:])
    let traceIdentifier: String

    init(traceIdentifier: String) { self.traceIdentifier = traceIdentifier }

    func begin(_ request: HTTPSessionRequest, fields: inout HTTPFields) -> any HTTPRequestSpan {
        let identifier = String(UInt64.random(in: 1 ... .max), radix: 16)
        let padding = String(repeating: "0", count: 16 - identifier.count)
        if let name = HTTPField.Name("traceparent") {
            fields[name] = "00-\(self.traceIdentifier)-\(padding)\(identifier)-01"
        }
        return Span(meter: self, begun: .now)
    }

    struct Span: HTTPRequestSpan {
        let meter: RequestMeter
        let begun: ContinuousClock.Instant

        func session(_ event: HTTPSessionEvent) {
            // Connections, redirects and challenges of this request, for events of the span.
        }

        func end(_ outcome: HTTPRequestOutcome) {
            let status =
                switch outcome {
                case .delivered(let status, _), .abandoned(let status, _): status
                case .failed: 0
                }
            self.meter.counts.withLock { $0[status, default: 0] += 1 }
            print("status \(status) after \(ContinuousClock.now - self.begun)")
        }
    }
}
// snippet.end

func measure(_ configuration: HTTPSessionConfiguration) -> HTTPSession {
    // snippet.session
    var configuration = configuration
    configuration.instrument = RequestMeter(traceIdentifier: "4bf92f3577b34da6a3ce929d0e0e4736")
    let session = HTTPSession(configuration)
    // snippet.hide
    return session
}
