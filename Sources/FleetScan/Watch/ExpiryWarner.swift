//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import Synchronization

/// A receiver that warns of certificates that expire soon.
///
/// It warns a configured number of days before the expiry, a week before, a day before, and after the expiry.
package final class ExpiryWarner: ScanReceiver {
    private let writer: ChangeWriter
    private let thresholds: [Int]
    private let warned = Mutex<[TargetIdentity: Warning]>([:])

    private struct Warning {
        let certificate: String
        let level: Int
    }

    /// Creates a receiver.
    ///
    /// - Parameters:
    ///   - writer: The writer of the warnings.
    ///   - days: The number of days before the expiry at which the first warning is written.
    package init(_ writer: ChangeWriter, days: Int) {
        self.writer = writer
        self.thresholds = [days] + [7, 1, 0].filter { $0 < days }
    }

    package func receive(_ result: ScanResult) throws(SystemError) {
        let (record, identity) = (result.record, result.record.identity)
        guard let certificate = record.certificate else { return }
        let level = self.thresholds.count { certificate.daysLeft < $0 }
        let isNew = self.warned.withLock { warned in
            let last = warned[identity]
            warned[identity] = level == 0 ? nil : Warning(certificate: certificate.sha256, level: level)
            return level > (last?.certificate == certificate.sha256 ? last?.level ?? 0 : 0)
        }
        guard isNew else { return }
        try self.writer.write(Self.warning(record, certificate))
    }

    /// Does nothing, because warnings are written at once.
    package func end(isComplete: Bool) {}

    private static func warning(_ record: ScanRecord, _ certificate: ScanCertificate) -> ScanChange {
        var change = ScanChange(.expiring, record)
        change.changes = [
            ScanChange.Difference(field: "notAfter", old: [], new: [certificate.notAfter]),
            ScanChange.Difference(field: "daysLeft", old: [], new: ["\(certificate.daysLeft)"]),
        ]
        return change
    }
}
