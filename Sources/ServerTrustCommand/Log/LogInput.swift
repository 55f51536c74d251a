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

    /// Refuses files that are no text of a log from their first character on. A log may have such text further on.
    private func checkKind(_ octets: [UInt8]) throws {
        let kind = FileKind(of: octets)
        let beginning = octets.drop { $0 <= 0x20 }
        let isWhole =
            switch kind {
            case .pem: beginning.starts(with: "-----BEGIN ".utf8)
            case .propertyList: beginning.starts(with: "<".utf8) || beginning.starts(with: "bplist".utf8)
            case .encoded: true
            default: false
            }
        guard isWhole else { return }
        let advice = kind.command(for: self.path).map { ". \($0.dropLast())" } ?? ""
        throw CommandError("\(self.path) is \(kind.title), and no log\(advice)")
    }

    /// Refuses input that is not text, by its first bytes.
    private func check(_ octets: UnsafeRawBufferPointer) throws {
        let kinds: [([UInt8], String)] = [
            ([0x1F, 0x8B], "is compressed: decompress it first, with gunzip or tar -xzf"),
            (Array("PK\u{3}\u{4}".utf8), "is a zip: unpack it first"),
            ([0xFF, 0xFE], "is text in UTF-16: turn it into UTF-8 with iconv -f UTF-16 -t UTF-8"),
        ]
        for (start, advice) in kinds where octets.starts(with: start) { throw CommandError("\(self.path) \(advice)") }
        try self.checkKind(Array(octets.prefix(1 << 16)))
        guard !octets.prefix(4_096).contains(0) else {
            throw CommandError(
                "\(self.path) is no text: a tracev3 file is part of a log archive, which a Mac turns into text with "
                    + "`log show --archive NAME.logarchive`")
        }
    }
}
