//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports

/// Writes the page of a fleet while its hosts are being asked. Interrupted, it is a whole page of those that are finished;
/// cut off, it shows them and says that there were more.
struct HTMLReceiver: ScanReceiver {
    let stream: ResultStream
    private let title: String
    private var isBegun = false
    /// The oldest date of Apple's data of a host.
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
