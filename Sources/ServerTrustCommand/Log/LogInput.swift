//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleFiles
import FleetScan
import ServerTrust
import SystemPackage

/// The log that the command reads: a file or standard input.
struct LogInput {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Reads the whole log.
    ///
    /// - Throws: ``CommandError`` if the log cannot be read or is not text.
    func log() throws(CommandError) -> DeviceLog {
        guard !self.path.hasSuffix(".logarchive"), !BoundedFile.isFolder(self.path) else {
            throw CommandError(
                "\(self.path) is a log archive, which only a Mac can read: turn it into text there with "
                    + "`log show --archive NAME.logarchive --style ndjson > device.ndjson`")
        }
        do {
            let descriptor = self.path == "-" ? Descriptor.standardInput : try Descriptor.reading(self.path)
            defer { if self.path != "-" { try? descriptor.close() } }
            return try self.log(of: descriptor)
        } catch {
            throw error as? CommandError ?? CommandError("cannot read \(self.path): \(error)")
        }
    }

    private func log(of descriptor: Descriptor) throws -> DeviceLog {
        var reader = LogReader()
        var isFirst = true
        try reader.read { buffer in
            let count = try descriptor.read(into: buffer)
            if isFirst { try self.check(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            isFirst = false
            return count
        }
        return reader.log
    }

    /// Refuses input that is not text, by its first bytes.
    private func check(_ octets: UnsafeRawBufferPointer) throws {
        let kinds: [([UInt8], String)] = [
            ([0x1F, 0x8B], "is compressed: decompress it first, with gunzip or tar -xzf"),
            (Array("PK\u{3}\u{4}".utf8), "is a zip: unpack it first"),
            ([0xFF, 0xFE], "is text in UTF-16: turn it into UTF-8 with iconv -f UTF-16 -t UTF-8"),
            (Array("bplist".utf8), "is a binary property list, and no log"),
        ]
        for (start, advice) in kinds where octets.starts(with: start) { throw CommandError("\(self.path) \(advice)") }
        guard !octets.prefix(4_096).contains(0) else {
            throw CommandError(
                "\(self.path) is no text: a tracev3 file is part of a log archive, which a Mac turns into text with "
                    + "`log show --archive NAME.logarchive`")
        }
    }
}
