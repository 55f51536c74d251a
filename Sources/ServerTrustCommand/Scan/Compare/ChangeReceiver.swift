//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes what has changed since earlier results.
struct ChangeReceiver: ScanReceiver {
    private let writer: ChangeWriter
    private let criterion: ScanCriterion
    private var earlier: EarlierResults

    init(_ writer: ChangeWriter, _ earlier: EarlierResults, _ criterion: ScanCriterion) {
        self.writer = writer
        self.earlier = earlier
        self.criterion = criterion
    }

    mutating func receive(_ result: ScanResult) throws(SystemError) {
        guard let old = try self.earlier.take(result.record.identity) else {
            return try self.writer.write(self.appeared(result.record))
        }
        if let change = ScanChange(from: old, to: result.record) { try self.writer.write(change) }
    }

    mutating func end(isComplete: Bool) throws(SystemError) {
        defer { self.earlier.close() }
        // Of hosts that were not asked yet nobody knows whether they are gone.
        guard isComplete else { return }
        let writer = self.writer
        try self.earlier.forEachLeft { record throws(SystemError) in try writer.write(ScanChange(.disappeared, record))
        }
    }

    private func appeared(_ record: ScanRecord) -> ScanChange {
        var change = ScanChange(.appeared, record)
        let outcome = record.outcome(self.criterion) ?? record.outcome.ats
        change.isWorse = outcome == "failed"
        change.changes = [ScanChange.Difference(field: "ats", old: [], new: [record.outcome.ats])]
        change.reasons = record.findings
        return change
    }
}

/// Writes changes, and remembers whether one of them is for the worse.
final class ChangeWriter: Sendable {
    private let stream: ResultStream
    private let style: TextStyle?
    private let counts = Mutex((all: 0, worse: 0))

    /// - Parameter style: The style of text; `nil` writes lines of JSON.
    init(_ stream: ResultStream, _ style: TextStyle?) {
        self.stream = stream
        self.style = style
    }

    /// How many changes there were, and how many for the worse.
    var written: (all: Int, worse: Int) { self.counts.withLock { $0 } }

    func write(_ change: ScanChange) throws(SystemError) {
        self.counts.withLock { counts in
            counts.all += 1
            if change.isWorse { counts.worse += 1 }
        }
        if let style { return try self.stream.write(ChangeText(style).line(change) + "\n") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(change) else { return }
        try self.stream.write(Array(line) + [0x0A])
    }
}
