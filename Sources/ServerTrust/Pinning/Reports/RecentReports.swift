//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The recently delivered reports.
struct RecentReports: Sendable {
    /// The values that make two reports equal.
    struct Key: Hashable {
        let host: String
        let port: Int?
        let pattern: HostPattern?
        let path: [[UInt8]]
        let pins: PinSet
        let failureCode: String?

        init(_ report: PinReport) {
            self.host = report.host
            self.port = report.port
            self.pattern = report.pattern
            self.path = report.mismatch.path.map(\.sha256Fingerprint)
            self.pins = report.mismatch.pins
            self.failureCode = report.failureCode
        }
    }

    /// The number of reports about one host since a date.
    private struct Share {
        var start: Date
        var count: Int
    }

    private let interval: TimeInterval
    private let capacity: Int
    private let perHost: Int
    private var dates: [Key: Date] = [:]
    private var order: [Key] = []
    private var shares: [String: Share] = [:]

    init(interval: Duration, capacity: Int, perHost: Int) {
        let (seconds, attoseconds) = interval.components
        self.interval = TimeInterval(seconds) + TimeInterval(attoseconds) * 1e-18
        self.capacity = max(1, capacity)
        self.perHost = max(1, perHost)
    }

    /// Returns `true` if no equal report was delivered within the interval and the host is below its limit, by the dates of the
    /// evaluations.
    func isNew(_ key: Key, at date: Date) -> Bool {
        if let share = self.shares[key.host], share.count >= self.perHost, !self.isOver(share.start, at: date) {
            return false
        }
        guard let last = self.dates[key] else { return true }
        return self.isOver(last, at: date)
    }

    mutating func remember(_ key: Key, at date: Date) {
        if self.dates.updateValue(date, forKey: key) == nil { self.order.append(key) }
        if self.order.count > self.capacity { self.dates.removeValue(forKey: self.order.removeFirst()) }
        // Only wildcards make the hosts many. Their counts are then all forgotten at once.
        if self.shares.count >= self.capacity { self.shares.removeAll() }
        var share = self.shares[key.host] ?? Share(start: date, count: 0)
        if self.isOver(share.start, at: date) { share = Share(start: date, count: 0) }
        share.count += 1
        self.shares[key.host] = share
    }

    private func isOver(_ start: Date, at date: Date) -> Bool { abs(date.timeIntervalSince(start)) >= self.interval }
}
