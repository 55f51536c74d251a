//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerReports
import Synchronization

/// A receiver that writes the changes since earlier results.
struct ChangeReceiver: ScanReceiver {
    private let writer: ChangeWriter
    private let criterion: ScanCriterion
    private var earlier: EarlierResults?

    /// Creates a receiver.
    ///
    /// - Parameters:
    ///   - writer: The writer of the changes.
    ///   - earlier: The results to compare with. With `nil`, each host is new.
    ///   - criterion: The criterion that decides if a host is worse. Its answers are compared, too.
    init(_ writer: ChangeWriter, _ earlier: EarlierResults?, criterion: ScanCriterion) {
        self.writer = writer
        self.earlier = earlier
        self.criterion = criterion
    }

    mutating func receive(_ result: ScanResult) throws(SystemError) { _ = try self.compare(result.record) }

    /// Writes the changes of a host.
    ///
    /// - Returns: The earlier record of the host, or `nil` if there is none.
    mutating func compare(_ record: ScanRecord) throws(SystemError) -> ScanRecord? {
        guard let old = try self.earlier?.latest(record.identity) else {
            try self.writer.write(self.appeared(record))
            return nil
        }
        let questions = ScanChange.questions + (self.criterion == .expiry ? [.expiry] : [])
        if let change = ScanChange(from: old, to: record, questions: questions) { try self.writer.write(change) }
        return old
    }

    mutating func end(isComplete: Bool) throws(SystemError) {
        // Hosts that an incomplete scan did not reach are not reported as gone.
        guard isComplete else { return }
        let writer = self.writer
        try self.earlier?.forEachLeft { record throws(SystemError) in try writer.write(ScanChange(.disappeared, record))
        }
    }

    private func appeared(_ record: ScanRecord) -> ScanChange {
        var change = ScanChange(.appeared, record)
        let question = record.outcome(self.criterion) == nil ? .ats : self.criterion
        if record.outcome(question) == "failed" { change.worsened = [question] }
        change.changes = [ScanChange.Difference(field: "ats", old: [], new: [record.outcome.ats])]
        change.reasons = record.findings
        return change
    }
}

/// A writer of changes that counts them, and counts those for the worse.
package final class ChangeWriter: Sendable {
    private let stream: ResultStream
    private let style: TextStyle?
    let criterion: ScanCriterion
    private let counts = Mutex((all: 0, worse: 0))

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - stream: The stream to which changes are written.
    ///   - style: The style of text, or `nil` to write lines of JSON.
    ///   - criterion: The criterion that decides if a change is for the worse.
    package init(_ stream: ResultStream, _ style: TextStyle?, criterion: ScanCriterion) {
        self.stream = stream
        self.style = style
        self.criterion = criterion
    }

    var written: (all: Int, worse: Int) { self.counts.withLock { $0 } }

    func write(_ change: ScanChange) throws(SystemError) {
        self.counts.withLock { counts in
            counts.all += 1
            if change.worsened.contains(self.criterion) { counts.worse += 1 }
        }
        if let style { return try self.stream.write(ChangeText(style).line(change) + "\n") }
        try self.stream.write(try change.line())
    }
}
