//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports

extension ReplaceableFile {
    /// Results in any format. One format may replace another.
    static let results = ReplaceableFile(name: "results of a scan") { bytes in
        Self.begins(bytes, with: ScanResult.beginning)
            || Self.begins(bytes, with: Array(ScanCSV.beginning.utf8))
            || Self.isPage(bytes) || ScanText.words.contains { bytes.starts(with: "\($0)  ".utf8) }
    }

    /// Returns `true` if the page's generator is any version of this program.
    private static func isPage(_ bytes: [UInt8]) -> Bool {
        let head = Array(FleetPage.head(title: "").utf8)
        guard bytes.starts(with: head.prefix(Self.telling)) else { return false }
        return head.starts(with: bytes)
            || String(decoding: bytes, as: UTF8.self).contains("<meta name=\"generator\" content=\"servertrust ")
    }
}
