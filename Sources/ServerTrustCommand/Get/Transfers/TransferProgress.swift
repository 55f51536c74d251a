//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The progress of a download on one line of a terminal, which is removed at the end.
struct TransferProgress {
    private let total: Int?
    private let write: (String) -> Void
    private let clock: () -> ContinuousClock.Instant
    private let start: ContinuousClock.Instant
    private var shownAt: ContinuousClock.Instant?
    private var count: Int
    private let offset: Int

    private static let interval = Duration.milliseconds(200)

    /// Creates a progress display.
    ///
    /// - Parameters:
    ///   - offset: The number of bytes that existed before.
    ///   - announced: The number of bytes that the server announces, or `nil` if it announces none.
    ///   - clock: Returns the current time.
    ///   - write: Writes to the terminal.
    init(
        from offset: Int, announced: Int?, clock: @escaping () -> ContinuousClock.Instant = { .now },
        write: @escaping (String) -> Void
    ) {
        self.offset = offset
        self.count = offset
        self.clock = clock
        self.write = write
        self.total = announced.map { $0.addingReportingOverflow(offset).partialValue }
        self.start = clock()
    }

    /// Counts bytes and updates the line from time to time.
    mutating func add(_ octets: Int) {
        self.count += octets
        let now = self.clock()
        guard now - (self.shownAt ?? self.start) >= Self.interval else { return }
        self.shownAt = now
        self.write("\r\u{1B}[K" + self.line(at: now))
    }

    func end() { if self.shownAt != nil { self.write("\r\u{1B}[K") } }

    private func line(at now: ContinuousClock.Instant) -> String {
        let rate = Double(self.count - self.offset) / max((now - self.start) / .seconds(1), 0.001)
        let pace = "\(Self.size(Int(rate)))/s"
        guard let total, total > 0 else { return "\(Self.size(self.count)), \(pace)" }
        let share = min(100, Int(Double(self.count) / Double(total) * 100))
        let bar = String(repeating: "#", count: share / 5) + String(repeating: ".", count: 20 - share / 5)
        return "[\(bar)] \(share) % of \(Self.size(total)), \(pace)"
    }

    private static func size(_ octets: Int) -> String {
        guard octets >= 1_000 else { return "\(octets) B" }
        var (value, units) = (Double(octets) / 1_000, ["kB", "MB", "GB", "TB"][...])
        while value >= 1_000, units.count > 1 { (value, units) = (value / 1_000, units.dropFirst()) }
        let tenths = Int(value * 10)
        return "\(tenths / 10).\(tenths % 10) \(units.first ?? "")"
    }
}
