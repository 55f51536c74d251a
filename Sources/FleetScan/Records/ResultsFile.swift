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
    /// Whether the file stays open after reading, as another part of the program goes on with it.
    private let staysOpen: Bool

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: ``FleetError`` when the file cannot be read.
    init(_ path: String) throws {
        self.path = path
        self.staysOpen = path == Self.standardInput
        do {
            self.descriptor = self.staysOpen ? .standardInput : try Descriptor.reading(path)
        } catch {
            throw FleetError("\(path): cannot be read: \(error)")
        }
    }

    /// Reads a file that is open, from its beginning.
    init(_ path: String, reading file: Descriptor) {
        self.path = path
        self.descriptor = file
        self.staysOpen = true
        file.rewind()
    }

    /// What stands for standard input.
    static let standardInput = "-"

    /// What was to be read in a file.
    struct Report {
        /// The lines that are results.
        var results = 0
        /// The number of the first line that is not a result, where there is one. A cut last line does not count.
        var firstUnusable: Int?
        var unusable = 0
        /// Where the last whole line ends, in bytes.
        var wholeBytes = 0
        /// Whether the last line was cut, as a process that is killed leaves it.
        var isCut: Bool { self.rest > 0 }
        /// The bytes of a last result that is not whole.
        var rest = 0
        /// Whether the last line is whole but for its line break.
        var lacksLineBreak = false
    }

    /// A result as it stands in a file.
    struct Entry {
        let record: ScanRecord
        /// The line without its line break.
        let bytes: [UInt8]
        /// Where the line begins and ends, its line break included.
        let range: Range<Int>
    }

    /// Reads all results.
    ///
    /// - Parameter body: Receives each result.
    /// - Throws: ``FleetError`` when the file cannot be read, and what `body` throws.
    func read(_ body: (Entry) throws -> Void) throws -> Report {
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
                let record = line.isTooLong ? nil : Self.record(line.bytes, decoder)
                report.count(line, range, isResult: record != nil)
                if let record { try body(Entry(record: record, bytes: line.bytes, range: range)) }
            }
        }
        // Nothing was written to it: closing loses nothing.
        if !self.staysOpen { try? self.descriptor.close() }
        return report
    }

    private func chunk() throws -> [UInt8] {
        do {
            return try self.descriptor.read(Self.chunkSize)
        } catch {
            throw FleetError("\(self.path): cannot be read: \(error)")
        }
    }

    /// A result; `nil` for a line that is not one, which the caller counts: why it is not one decides nothing.
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

extension ResultsFile.Report {
    /// Takes note of a line.
    fileprivate mutating func count(_ line: LineSplitter.Line, _ range: Range<Int>, isResult: Bool) {
        guard isResult || line.isEnded || !line.isCutResult else {
            self.rest = range.count
            return
        }
        self.wholeBytes = range.upperBound
        self.lacksLineBreak = !line.isEnded
        if isResult {
            self.results += 1
        } else if !line.bytes.isEmpty {
            self.unusable += 1
            self.firstUnusable = self.firstUnusable ?? line.number
        }
    }
}

extension LineSplitter.Line {
    /// Whether a line without a line break is the beginning of a result, as a process that was killed leaves it. Only such a
    /// line may be taken away: anything else is not from a scan, and a whole object lacks nothing but the line break.
    fileprivate var isCutResult: Bool {
        let beginsAsOurs =
            self.bytes.starts(with: ScanResult.beginning) || ScanResult.beginning.starts(with: self.bytes)
        guard beginsAsOurs, !self.bytes.isEmpty, !self.isTooLong else { return false }
        // What cannot be decoded as an object is not whole; the kind of error does not matter.
        return (try? JSONDecoder().decode(WholeObject.self, from: Data(self.bytes))) == nil
    }

    private struct WholeObject: Decodable {}
}
