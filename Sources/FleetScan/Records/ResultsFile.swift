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

/// A reader for the lines of earlier results that uses bounded memory.
struct ResultsFile {
    /// The maximum length of a line in bytes, longer than any line that a server's chain can cause.
    static let lineLimit = 1 << 24
    private static let chunkSize = 1 << 18

    let path: String
    private let descriptor: Descriptor
    /// `true` if the descriptor stays open after reading, because another part of the program uses it.
    private let staysOpen: Bool

    /// Opens a file, or standard input for `-`.
    ///
    /// - Throws: ``FleetError`` if the file cannot be read.
    init(_ path: String) throws {
        self.path = path
        self.staysOpen = path == Self.standardInput
        do {
            self.descriptor = self.staysOpen ? .standardInput : try Descriptor.reading(path)
        } catch {
            throw FleetError("\(path): cannot be read: \(error)")
        }
    }

    /// Creates a reader for an open file and rewinds it.
    init(_ path: String, reading file: Descriptor) {
        self.path = path
        self.descriptor = file
        self.staysOpen = true
        file.rewind()
    }

    static let standardInput = "-"

    /// A report of the lines of a file.
    struct Report {
        var results = 0
        /// The number of the first line that is not a result, or `nil` if there is none. A truncated last line does not count.
        var firstUnusable: Int?
        var unusable = 0
        /// The end of the last complete line, in bytes.
        var wholeBytes = 0
        /// `true` if the last line is truncated, which happens if the process that wrote it is killed.
        var isCut: Bool { self.rest > 0 }
        /// The size of a truncated last line, in bytes.
        var rest = 0
        /// `true` if the last line is complete except for its line break.
        var lacksLineBreak = false
    }

    /// A result with its bytes and its position in the file.
    struct Entry {
        let record: ScanRecord
        /// The line without its line break.
        let bytes: [UInt8]
        /// The range of the line in the file, including its line break.
        let range: Range<Int>
    }

    /// Reads all results.
    ///
    /// - Parameter body: A closure that receives each result.
    /// - Throws: ``FleetError`` if the file cannot be read, and any error of `body`.
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
        // The file was only read, so that an error of close loses no data.
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

    /// Returns a result, or `nil` for a line that is not one. The caller counts such lines, and the reason does not matter.
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
    /// `true` if a line without a line break is the truncated beginning of a result, which a killed process leaves.
    ///
    /// Only such a line may be removed. Any other line is not from a scan, or is complete except for its line break.
    fileprivate var isCutResult: Bool {
        let beginsAsOurs =
            self.bytes.starts(with: ScanResult.beginning) || ScanResult.beginning.starts(with: self.bytes)
        guard beginsAsOurs, !self.bytes.isEmpty, !self.isTooLong else { return false }
        // An object that cannot be decoded is incomplete. The kind of error does not matter.
        return (try? JSONDecoder().decode(WholeObject.self, from: Data(self.bytes))) == nil
    }

    private struct WholeObject: Decodable {}
}

extension SharedFile {
    /// Opens a file of results, or returns `nil` if there is no such file. A pipe is not opened, so that nothing waits for
    /// its other end.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - needsFile: The sentence that says why a pipe or a device does not do.
    /// - Throws: ``FleetError`` if the path is no regular file or cannot be read.
    static func results(_ path: String, needsFile: String) throws(FleetError) -> SharedFile? {
        let noFile = FleetError("\(path): is no file. \(needsFile)")
        guard !Descriptor.isPipe(path) else { throw noFile }
        let file: SharedFile
        do throws(SystemError) {
            file = SharedFile(try Descriptor.reading(path))
        } catch .noSuchFileOrDirectory {
            return nil
        } catch {
            throw FleetError("\(path): cannot be read: \(error)")
        }
        guard file.descriptor.identity != nil else { throw noFile }
        return file
    }
}
