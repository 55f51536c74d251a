//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports

/// A receiver that writes the HTML page of a fleet row by row.
///
/// An interrupted scan leaves a complete page of the finished hosts. A truncated page shows them and states that rows are missing.
struct HTMLReceiver: ScanReceiver {
    let stream: ResultStream
    private let title: String
    private var isBegun = false
    /// The oldest date of Apple's data in the results.
    private var appleData: String?

    init(stream: ResultStream, title: String) {
        self.stream = stream
        self.title = title
    }

    mutating func receive(_ result: ScanResult) throws(SystemError) {
        try self.begin()
        self.appleData = [self.appleData, result.record.appleData].compactMap(\.self).min()
        try self.stream.write(try SystemError.only { try FleetPage.row(result.record) })
    }

    mutating func end(isComplete: Bool) throws(SystemError) {
        try self.begin()
        try self.stream.write(FleetPage.tail(appleData: self.appleData))
    }

    private mutating func begin() throws(SystemError) {
        guard !self.isBegun else { return }
        self.isBegun = true
        try self.stream.write(FleetPage.head(title: self.title))
    }
}
