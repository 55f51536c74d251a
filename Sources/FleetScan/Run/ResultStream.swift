//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import SystemPackage

/// Where results are written: each whole, with one call, and at once.
package struct ResultStream: Sendable {
    let descriptor: Descriptor
    /// Whether what was written in part can be taken back: a file of this command's own.
    private let isOwnFile: Bool
    /// Whether there were other results in the file, which are gone.
    private(set) var replacesResults = false
    /// Whether something is shown on the same terminal, which has to make room.
    private let progress: ScanProgress?

    /// Standard output.
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

    /// A file that is emptied first.
    ///
    /// - Parameter kinds: What may be in the file.
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

    /// A file of results that is written on where it ends. What a killed process left of a last line is taken away.
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

    /// Writes something.
    func write(_ bytes: [UInt8]) throws(SystemError) {
        let size = self.isOwnFile ? self.descriptor.size : nil
        self.progress?.makeRoom()
        do {
            try self.descriptor.write(bytes)
        } catch {
            // Where even this fails, a cut last line stays, which whatever reads the file knows. The first error is said.
            if let size { try? self.descriptor.truncate(to: size) }
            throw error
        }
    }

    func write(_ text: String) throws(SystemError) { try self.write(Array(text.utf8)) }
}
