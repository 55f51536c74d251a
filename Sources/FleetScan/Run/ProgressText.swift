//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A line that shows the progress of a scan.
struct ProgressText {
    let state: ScanSession.State
    let elapsed: Duration
    /// The size of the list in bytes, or `nil` if it is not known.
    let size: Int?

    /// Returns the line for a terminal with a progress bar that fills the remaining width.
    ///
    /// If the width is too small, the connection rate is dropped first, and then everything except the hosts and
    /// the remaining time.
    func line(width: Int) -> String {
        let choices = [self.parts(), self.parts(isShort: true), self.essentials, self.essentials.suffix(1)]
            .map { $0.joined(separator: "  ") }
        guard let fraction else { return Self.fitting(choices, width) }
        let percent = "\(Int((fraction * 100).rounded(.down)))%"
        func room(_ numbers: String) -> Int { min(30, width - numbers.count - percent.count - 6) }
        guard let numbers = choices.prefix(2).first(where: { room($0) >= Self.leastBar }) else {
            return Self.fitting(choices.map { "\(percent)  \($0)" }, width)
        }
        let bar = room(numbers)
        let filled = Int((fraction * Double(bar)).rounded(.down))
        return
            "[\(String(repeating: "#", count: filled))\(String(repeating: "-", count: bar - filled))] \(percent)  \(numbers)"
    }

    /// Returns the first text that fits, or the beginning of the last one if none does.
    private static func fitting(_ choices: [String], _ width: Int) -> String {
        choices.first { $0.count < width } ?? String((choices.last ?? "").prefix(max(0, width - 1)))
    }

    private var essentials: [String] {
        ["\(self.state.finishedHosts) hosts"] + (self.remaining.map { ["\(Self.clock($0)) left"] } ?? [])
    }

    private static let leastBar = 5

    /// The line for a log.
    var plain: String {
        let percent = self.fraction.map { ["\(Int(($0 * 100).rounded(.down))) % of the list"] } ?? []
        return (percent + self.parts()).joined(separator: ", ")
    }

    private func parts(isShort: Bool = false) -> [String] {
        let tally = self.state.tally
        let connections = tally.connections - self.state.earlier.connections
        var parts = ["\(self.state.finishedHosts) hosts"]
        if self.state.skipped > 0 { parts.append("\(self.state.skipped) skipped") }
        parts.append("\(tally.ats.passed) pass, \(tally.ats.failed) fail, \(tally.ats.unknown) unknown")
        parts.append("\(Self.rate(self.state.finishedHosts, self.elapsed)) hosts/s")
        if !isShort { parts.append("\(Self.rate(connections, self.elapsed)) connections/s") }
        if let remaining { parts.append("\(Self.clock(remaining)) left") }
        return parts
    }

    /// The finished fraction of the list. Lines in progress count as not done.
    private var fraction: Double? {
        guard let size, size > 0 else { return nil }
        let begun = max(1, self.state.finishedHosts + self.state.skipped)
        let open =
            Double(self.state.readBytes) * Double(self.state.inFlight.count)
            / Double(begun + self.state.inFlight.count)
        return min(1, max(0, (Double(self.state.readBytes) - open) / Double(size)))
    }

    private var remaining: Double? {
        guard let fraction, fraction > 0.001 else { return nil }
        return Self.seconds(self.elapsed) * (1 - fraction) / fraction
    }

    static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

    private static func rate(_ count: Int, _ elapsed: Duration) -> String {
        let rate = Double(count) / max(0.001, Self.seconds(elapsed))
        return rate >= 10 ? "\(Int(rate.rounded()))" : "\((rate * 10).rounded() / 10)"
    }

    /// Formats seconds as `1:02:03` or `2:03`.
    private static func clock(_ seconds: Double) -> String {
        let whole = Int(min(seconds, 3_600_000).rounded(.up))
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        let tail = "\(rest < 10 ? "0" : "")\(rest)"
        return hours > 0 ? "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(tail)" : "\(minutes):\(tail)"
    }
}
