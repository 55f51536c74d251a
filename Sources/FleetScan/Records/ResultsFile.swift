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

/// The lines of earlier results, read one after the other, however many there are.
struct ResultsFile {
    /// More than a server's chain can make a line of.
    static let lineLimit = 1 << 24
    private static let chunkSize = 1 << 18

    let path: String
    private let descriptor: Descriptor

    /// - Throws: ``FleetError`` when the file cannot be read.
    init(_ path: String) throws {
        self.path = path
        do {
            self.descriptor = try Descriptor.reading(path)
        } catch {
            throw FleetError("\(path): cannot be read: \(error)")
        }
    }

    /// What was to be read in a file.
    struct Report {
        /// The lines that are results.
        var results = 0
        /// The number of the first line that is none, where there is one. A cut last line does not count.
        var firstUnusable: Int?
        var unusable = 0
        /// Where the last whole line ends, in bytes.
        var wholeBytes = 0
        /// Whether the last line was cut, as a process that is killed leaves it.
        var isCut: Bool { self.rest > 0 }
        /// The bytes of a last line that is not whole.
        var rest = 0
        /// Whether nothing but its line break is missing.
        var lacksLineBreak = false
    }

    /// Reads all results.
    ///
    /// - Parameter body: Receives each with the place of its line: where it begins and its bytes.
    /// - Throws: ``FleetError`` when the file cannot be read, and what `body` throws.
    func read(_ body: (ScanRecord, Range<Int>) throws -> Void) throws -> Report {
        var report = Report()
        var splitter = LineSplitter(limit: Self.lineLimit)
        let decoder = JSONDecoder()
        var start = 0
        var isAtEnd = false
        while !isAtEnd {
            let bytes = try self.chunk()
            isAtEnd = bytes.isEmpty
            if isAtEnd { splitter.finish() } else { splitter.append(bytes) }
            while let line = splitter.next() {
                let range = start..<line.end
                start = line.end
                try Self.take(line, range, decoder, &report, body)
            }
        }
        try? self.descriptor.close()
        return report
    }

    private static func take(
        _ line: LineSplitter.Line, _ range: Range<Int>, _ decoder: JSONDecoder, _ report: inout Report,
        _ body: (ScanRecord, Range<Int>) throws -> Void
    ) throws {
        let record = line.isTooLong ? nil : Self.record(line.bytes, decoder)
        // A last line that is an object is whole: only the line break was cut off.
        report.lacksLineBreak = !line.isEnded && record != nil
        if line.isEnded || record != nil { report.wholeBytes = range.upperBound } else { report.rest = range.count }
        if let record {
            report.results += 1
            try body(record, range)
        } else if line.isEnded, !line.bytes.isEmpty {
            report.unusable += 1
            report.firstUnusable = report.firstUnusable ?? line.number
        }
    }

    private func chunk() throws -> [UInt8] {
        do {
            return try self.descriptor.read(Self.chunkSize)
        } catch {
            throw FleetError("\(self.path): cannot be read: \(error)")
        }
    }

    /// A result; `nil` for what is none.
    static func record(_ bytes: [UInt8], _ decoder: JSONDecoder) -> ScanRecord? {
        try? decoder.decode(Line.self, from: Data(bytes)).record
    }

    private struct Line: Decodable {
        let record: ScanRecord

        enum CodingKeys: CodingKey { case format }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            guard try container.decode(String.self, forKey: .format) == ScanRecord.format else {
                throw DecodingError.dataCorruptedError(forKey: .format, in: container, debugDescription: "another kind")
            }
            self.record = try ScanRecord(from: decoder).printable
        }
    }
}
