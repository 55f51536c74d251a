//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Warns before certificates end: each level once for each certificate and address.
///
/// The levels are those that the records have. A certificate is told by its own digest, so that of two machines of one name the
/// one that was not renewed is warned of, and a renewed one silences no other.
package final class ExpiryWarner: ScanReceiver {
    private let writer: ChangeWriter
    private let memory: WarningMemory

    /// A warner.
    ///
    /// - Parameters:
    ///   - writer: The writer of warnings.
    ///   - memory: The warnings that were given before.
    package init(_ writer: ChangeWriter, _ memory: WarningMemory = WarningMemory()) {
        self.writer = writer
        self.memory = memory
    }

    /// Writes the warnings that are due.
    package func receive(_ result: ScanResult) throws(SystemError) {
        let date = Self.seconds(result.record.date)
        for (address, certificate) in result.record.presentedCertificates {
            let warned = WarnedCertificate(result.record, address: address, certificate)
            guard self.memory.isNew(warned, certificate.expiry, at: date), let level = certificate.expiry else {
                continue
            }
            // A warning that cannot be written must be given again. One that is written twice does less harm than one that is lost.
            try self.writer.write(Self.warning(result.record, address: address, certificate, level))
            self.memory.remember(warned, level, at: date)
        }
    }

    /// Saves the warnings that were given.
    package func end(isComplete: Bool) { self.memory.save() }

    /// Returns the date of a record in seconds since 1970.
    private static func seconds(_ date: String) -> Int64 {
        (try? Date(date, strategy: .iso8601)).map { Int64($0.timeIntervalSince1970) } ?? 0
    }

    private static func warning(
        _ record: ScanRecord, address: String?, _ certificate: ScanCertificate, _ level: ExpiryLevel
    ) -> ScanChange {
        var change = ScanChange(.expiring, record)
        change.level = level
        let values = [
            ("notAfter", certificate.notAfter), ("daysLeft", "\(certificate.daysLeft)"),
            ("percentLeft", "\(certificate.percentLeft ?? 0)"), ("address", address ?? ""),
            ("certificate", certificate.sha256),
        ]
        change.changes = values.filter { !$0.1.isEmpty }.map {
            ScanChange.Difference(field: $0.0, old: [], new: [$0.1])
        }
        return change
    }
}
