//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerReports

/// The summary of a scan, which is written to standard error at its end.
package struct ScanSummary {
    package let state: ScanSession.State
    package let end: ScanEnd
    let elapsed: Duration
    let criterion: ScanCriterion
    let advice: String

    /// Creates a summary.
    ///
    /// - Parameters:
    ///   - state: The final state of the scan.
    ///   - end: The way the scan ended.
    ///   - elapsed: The duration of the scan.
    ///   - criterion: The criterion for the verdict.
    ///   - advice: The way to continue a scan that stopped early.
    package init(state: ScanSession.State, end: ScanEnd, elapsed: Duration, criterion: ScanCriterion, advice: String) {
        self.state = state
        self.end = end
        self.elapsed = elapsed
        self.criterion = criterion
        self.advice = advice
    }

    package func text(_ style: TextStyle) -> String {
        var lines = [self.headline(style)]
        lines += self.answers
        lines += self.faults(style)
        lines += self.notes
        if let stop { lines.append(stop) }
        return lines.map { $0 + "\n" }.joined()
    }

    private var tally: ScanTally { self.state.tally }

    private func headline(_ style: TextStyle) -> String {
        let skipped = self.state.earlier.results > 0 ? ", \(self.state.earlier.results) of them before" : ""
        return style.bold("\(Self.count(self.tally.hosts, "host")) in \(Self.time(self.elapsed))\(skipped)")
    }

    private var answers: [String] {
        [
            ("App Transport Security", self.tally.ats), ("FCP_v2.1", self.tally.fcp), ("Trust", self.tally.trust),
            ("Info.plist", self.tally.plist), ("Pins", self.tally.pins),
            ("Expiry", self.criterion == .expiry ? self.tally.expiry : ScanTally.VerdictCounts()),
        ]
        .filter { $0.1 != ScanTally.VerdictCounts() }
        .map { "  \($0): \($1.passed) pass, \($1.failed) fail, \($1.unknown) unknown" }
    }

    private func faults(_ style: TextStyle) -> [String] {
        let faults = self.tally.commonest()
        guard !faults.isEmpty else { return [] }
        let width = faults.map { "\($0.hosts)".count }.max() ?? 1
        return ["The commonest faults:"]
            + faults.map { fault in
                let count = String(repeating: " ", count: width - "\(fault.hosts)".count) + "\(fault.hosts)"
                let example = "\(fault.example): \(DisplayText.text(fault.message))"
                return "  \(count)  \(style.bold(DisplayText.text(fault.code)))  \(style.dim(example))"
            }
    }

    private var notes: [String] {
        var notes: [String] = []
        if let slowest = self.tally.slowest.first, slowest.milliseconds >= 1_000 {
            let hosts = self.tally.slowest.prefix(3).map { "\($0.name) (\(Self.time(.milliseconds($0.milliseconds))))" }
            notes.append("Slowest: \(hosts.joined(separator: ", "))")
        }
        if let date = self.tally.appleData {
            notes.append("Public roots and logs are those of Apple's data of \(DisplayText.text(date)).")
        }
        if self.tally.degraded > 0 {
            let hosts = Self.count(self.tally.degraded, "host")
            notes.append("\(hosts) began to refuse connections while they were asked. Ask more slowly.")
        }
        return notes + [self.unusable].compactMap(\.self)
    }

    /// The lines of the list that cannot be used, with the fault of the first one, or `nil` if all can.
    package var unusable: String? {
        self.tally.firstUnusable.map { line, message in
            "\(Self.count(self.tally.unusable, "line")) of the list cannot be used. Line \(line): \(message)"
        }
    }

    /// The reason that the scan stopped early, its progress, and the way to continue. `nil` if it did not stop early.
    package var stop: String? {
        let reason: String
        switch self.end {
        case .complete: return nil
        case .interrupted: reason = "Interrupted"
        case .unwritable(let error): reason = "The results cannot be written: \(error)"
        case .unreadable(let error): reason = "The list cannot be read: \(error)"
        case .starved(let error): reason = "This machine has no room for another connection: \(error)"
        }
        let finished = "\(Self.count(self.tally.results, "host")) finished"
        // Results that were read from a file belong to no line of the list.
        let place = self.state.lastLine > 0 ? ", and everything up to line \(self.state.finishedLine) of the list" : ""
        return "\(reason). \(finished)\(place). \(self.advice)"
    }

    private static func count(_ count: Int, _ name: String) -> String { "\(count) \(name)\(count == 1 ? "" : "s")" }

    private static func time(_ duration: Duration) -> String {
        let seconds = ProgressText.seconds(duration)
        if seconds < 100 { return "\((seconds * 10).rounded() / 10) s" }
        return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s"
    }
}
