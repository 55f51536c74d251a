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
    init(_ entry: ScanEntry, _ target: ScanTarget, server: DiagnosedServer) {
        self.init(
            server, line: entry.line, id: entry.input?.fields.id, serverName: target.serverName,
            startTLS: target.startTLS)
    }

    init(_ entry: ScanEntry, _ error: ScanEntryError, date: Date = .now) {
        self.init(
            ScanFinding(code: error.code.rawValue, message: error.message), line: entry.line,
            id: entry.input?.fields.id,
            text: entry.text, date: date)
    }
}
