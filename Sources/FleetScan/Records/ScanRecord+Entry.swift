//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
import ServerReports

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ScanRecord {
    /// Creates the record of an entry's host.
    init(_ entry: ScanEntry, _ target: ScanTarget, server: DiagnosedServer) {
        self.init(
            server, line: entry.line, id: entry.input?.fields.id, serverName: target.serverName,
            startTLS: target.startTLS)
    }

    /// Creates the record of a line that has an error.
    init(_ entry: ScanEntry, _ error: ScanEntryError, date: Date = .now) {
        self.init(
            ScanFinding(code: error.code.rawValue, message: error.message), line: entry.line,
            id: entry.input?.fields.id,
            text: entry.text, date: date)
    }
}
