//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Keeps what one round found out, for the next one to be compared with: on the disk, in a file that goes when nobody has it
/// open any more.
final class RoundRecorder: ScanReceiver {
    private let file: Descriptor
    private let places = Mutex((size: 0, places: ResultPlaces()))

    init() throws(SystemError) {
        self.file = try Descriptor.temporary()
    }

    func receive(_ result: ScanResult) throws(SystemError) {
        guard let line = try? ScanResult(record: result.record).line() else { return }
        try self.file.write(line)
        self.places.withLock { state in
            state.places.add(state.size..<state.size + line.count, of: result.record.identity)
            state.size += line.count
        }
    }

    func end(isComplete: Bool) {}

    /// What was recorded. Whoever takes it closes it.
    var results: EarlierResults { EarlierResults(self.file, self.places.withLock { $0.places }) }
}
