//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Earlier results to compare with.
///
/// Only the position of each host in the file is kept in memory. A result is read again when it is compared.
struct EarlierResults: Sendable {
    private let file: SharedFile
    private var places: ResultPlaces

    /// Opens results, or returns `nil` if there is no such file.
    ///
    /// - Throws: ``FleetError`` if the file cannot be read or has no results.
    init?(_ path: String) throws {
        var places = ResultPlaces()
        let needsFile = "A comparison reads it more than once"
        guard let file = try SharedFile.results(path, needsFile: needsFile) else { return nil }
        let report = try ResultsFile(path, reading: file.descriptor).read { entry in
            places.add(entry.range, of: entry.record.identity)
        }
        if report.results == 0, let line = report.firstUnusable {
            throw FleetError(
                "\(path): line \(line) is no result of a scan. Name the file of an earlier run")
        }
        self.init(file, places)
    }

    init(_ file: SharedFile, _ places: ResultPlaces) {
        self.file = file
        self.places = places
    }

    /// Returns the latest earlier record of a host, or `nil` if there is none.
    mutating func latest(_ identity: TargetIdentity) throws(SystemError) -> ScanRecord? {
        guard let place = self.places.compare(identity) else { return nil }
        return try self.record(at: place)
    }

    /// Calls a closure with the latest record of each host that was not compared, in the order of the file.
    func forEachLeft(_ body: (ScanRecord) throws(SystemError) -> Void) throws(SystemError) {
        for place in self.places.left {
            if let record = try self.record(at: place) { try body(record) }
        }
    }

    private func record(at place: Range<Int>) throws(SystemError) -> ScanRecord? {
        var bytes: [UInt8] = []
        while bytes.count < place.count {
            let part = try self.file.descriptor.read(place.count - bytes.count, at: place.lowerBound + bytes.count)
            // The file was truncated in the meantime.
            guard !part.isEmpty else { return nil }
            bytes += part
        }
        return ResultsFile.record(bytes, JSONDecoder())
    }
}
