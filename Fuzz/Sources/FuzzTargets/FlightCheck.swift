//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// What must be true of every flight that was read, whatever it was made of.
enum FlightCheck {
    static func run(_ bytes: [UInt8], _ seed: UInt8, _ findings: inout Findings) {
        for end in [ServerFlightReader.End.flight, .serverHello] {
            let whole = ServerFlightReader.outcome(of: [bytes], endingWith: end)
            for seed in [0, seed] {
                let cut = ServerFlightReader.outcome(of: ProbeTarget.pieces(of: bytes, seed), endingWith: end)
                findings.expect(cut.withoutQuote == whole.withoutQuote, "cut: \(cut), whole: \(whole)")
            }
            self.check(whole, bytes.count, &findings)
            let isSettled = end == .flight || whole.flight.hello?.isRetryRequest != true || !whole.flight.isComplete
            findings.expect(isSettled, "a request for another hello settles a connection")
        }
        self.checkEnd(bytes, &findings)
    }

    private static func check(_ outcome: FlightOutcome, _ count: Int, _ findings: inout Findings) {
        let flight = outcome.flight
        let isOver = flight.isComplete || flight.alert != nil
        findings.expect(!isOver || outcome.error == nil, "an end and an error")
        findings.expect((outcome.progress == .finished) == (isOver && outcome.error == nil), "an end in the flight")
        findings.expect(flight.hello != nil || flight.certificates == nil, "certificates without a hello")
        findings.expect(!flight.isComplete || flight.hello != nil, "complete without a hello")
        findings.expect(flight.hello?.version.rawValue ?? 0x0300 >= 0x0300, "a version that never was")
        findings.expect(flight.certificates?.allSatisfy { !$0.isEmpty } ?? true, "a certificate of nothing")
        let length = flight.certificates?.reduce(0) { $0 + $1.count } ?? 0
        findings.expect(length <= count, "certificates of more than came")
        findings.expect(flight.warnings.count <= 8, "endless warnings")
        if let request = flight.certificateRequest {
            findings.expect(request.authorities.count == min(20, request.authorityCount), "other authorities")
        }
        let shown = [flight.hello?.applicationProtocol, self.quote(outcome)].compactMap { $0 }.joined()
        findings.expect(shown.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "control characters are shown")
    }

    private static func quote(_ outcome: FlightOutcome) -> String? {
        if case .notTLS(let beginning) = outcome.progress { beginning } else { nil }
    }

    /// What has ended stays as it is, whatever follows.
    private static func checkEnd(_ bytes: [UInt8], _ findings: inout Findings) {
        var reader = ServerFlightReader()
        guard let first = try? reader.read(bytes), first != .unfinished else { return }
        let flight = reader.flight
        findings.expect((try? reader.read(bytes)) == first, "another end")
        findings.expect(reader.flight == flight, "more after the end")
    }
}
