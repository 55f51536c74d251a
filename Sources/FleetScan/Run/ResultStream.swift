//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import SystemPackage

/// An output for results that writes each result completely, with one call, and without a buffer.
package struct ResultStream: Sendable {
    let descriptor: Descriptor
    /// `true` if the output is a file of this command, from which a partial write can be removed.
    private let isOwnFile: Bool
    /// `true` if the file had other results, which were removed.
    private(set) var replacesResults = false
    /// The progress line on the same terminal, which is cleared before each write.
    private let progress: ScanProgress?

    package init(progress: ScanProgress?) {
        self.descriptor = .standardOutput
        self.isOwnFile = false
        self.progress = Descriptor.standardOutput.isTerminal ? progress : nil
    }

    private init(file: Descriptor) {
        self.descriptor = file
        self.isOwnFile = true
        self.progress = nil
    }

    /// Returns a stream to a file that is emptied first.
    ///
    /// - Parameters:
    ///   - file: The open file.
    ///   - path: The path of the file, for messages.
    ///   - kinds: The kinds of contents that may be replaced.
    static func replacing(_ file: Descriptor, _ path: String, kinds: [ReplaceableFile]) throws -> ResultStream {
        try ReplaceableFile.requireReplaceable(file, path, kinds: kinds)
        var stream = ResultStream(file: file)
        stream.replacesResults = file.identity != nil && (file.size ?? 0) > 0
        do {
            try file.empty()
        } catch {
            throw FleetError("\(path): cannot be written: \(error)")
        }
        return stream
    }

    /// Returns a stream that appends to a file of results. A truncated last line is removed.
    static func appending(to file: Descriptor, _ path: String) throws -> ResultStream {
        let stream = ResultStream(file: file)
        guard file.identity != nil, let size = file.size, size > 0 else { return stream }
        let report = try ResultsFile(path, reading: file).read { _ in }
        if report.results == 0, let line = report.firstUnusable {
            throw FleetError(
                "\(path): line \(line) is no result of a scan. Name another file to write to")
        }
        do {
            if report.isCut { try file.truncate(to: report.wholeBytes) }
            if report.lacksLineBreak { try stream.write([0x0A]) }
        } catch {
            throw FleetError("\(path): cannot be written: \(error)")
        }
        return stream
    }

    func write(_ bytes: [UInt8]) throws(SystemError) {
        let size = self.isOwnFile ? self.descriptor.size : nil
        self.progress?.makeRoom()
        do {
            try self.descriptor.write(bytes)
        } catch {
            // If truncation fails too, a truncated last line stays, which readers of the file handle. The first error is thrown.
            if let size { try? self.descriptor.truncate(to: size) }
            throw error
        }
    }

    func write(_ text: String) throws(SystemError) { try self.write(Array(text.utf8)) }
}
