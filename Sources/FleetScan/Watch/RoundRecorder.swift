//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import Synchronization

/// Keeps what one round found out, for the next one to be compared with: on the disk, in a file that goes when no process has it
/// open any more.
final class RoundRecorder: ScanReceiver {
    private let file: SharedFile
    private let state = Mutex(State())

    private struct State {
        var size = 0
        var places = ResultPlaces()
        var failure: SystemError?
    }

    init() throws(SystemError) {
        self.file = SharedFile(try Descriptor.temporary())
    }

    /// Why not everything could be kept; `nil` when it could.
    var failure: SystemError? { self.state.withLock { $0.failure } }

    func receive(_ result: ScanResult) { self.record(result.record) }

    /// Keeps a host. A full disk ends no watch: ``failure`` says that there is nothing to compare with.
    func record(_ record: ScanRecord) {
        self.state.withLock { state in
            guard state.failure == nil else { return }
            do throws(SystemError) {
                let line = try ScanResult(record: record).line()
                try self.file.descriptor.write(line)
                state.places.add(state.size..<state.size + line.count, of: record.identity)
                state.size += line.count
            } catch {
                state.failure = error
            }
        }
    }

    func end(isComplete: Bool) {}

    /// What was recorded.
    var results: EarlierResults { EarlierResults(self.file, self.state.withLock { $0.places }) }
}

/// A round of a watch: it is compared with the one before, and kept for the next one.
struct RoundReceiver: ScanReceiver {
    private let recorder: RoundRecorder
    private var comparison: ChangeReceiver?

    /// - Parameter comparison: What compares; `nil` in the first round.
    init(_ recorder: RoundRecorder, _ comparison: ChangeReceiver?) {
        self.recorder = recorder
        self.comparison = comparison
    }

    mutating func receive(_ result: ScanResult) throws(SystemError) {
        let old = try self.comparison?.compare(result.record)
        self.recorder.record(old.map(result.record.remembering) ?? result.record)
    }

    mutating func end(isComplete: Bool) throws(SystemError) { try self.comparison?.end(isComplete: isComplete) }
}

extension ScanRecord {
    /// The same with what was known of the host before, as far as it is not known now: what has changed while it did not
    /// answer is to be said when it does.
    func remembering(_ old: ScanRecord) -> ScanRecord {
        var record = self
        let (now, before) = (self.outcome, old.lastAnswers ?? old.outcome)
        record.lastAnswers = Outcomes(
            ats: now.ats == "unknown" ? before.ats : now.ats, fcp: now.fcp == "unknown" ? before.fcp : now.fcp,
            trust: now.trust == "unknown" ? before.trust : now.trust,
            plist: now.plist == "unknown" ? before.plist : now.plist,
            pins: now.pins == "unknown" ? before.pins : now.pins)
        guard self.versions.isEmpty else { return record }
        (record.plan, record.versions) = (old.plan, old.versions)
        (record.cipherSuites, record.groups) = (old.cipherSuites, old.groups)
        (record.certificate, record.chain) = (old.certificate, old.chain)
        return record
    }
}
