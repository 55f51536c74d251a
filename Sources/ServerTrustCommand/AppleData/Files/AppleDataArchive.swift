//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Inflate
import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The single input file of `apple-data update`: an archive of Apple's repository (tar, optionally compressed with gzip), a list
/// of logs, or a report of the Common CA Database.
struct AppleDataArchive {
    private let files: [String: ArraySlice<UInt8>]

    /// The maximum size in bytes. Apple's repository, which also contains the sources of its tools, is smaller.
    static let maximumSize = 128 << 20
    private static let maximumContents = 512 << 20
    private static let maximumFile = 8 << 20
    private static let maximumName = 255
    /// The size of a tar header in bytes. A tar archive has zeros within its first header.
    private static let headerSize = 512

    /// Reads an archive into memory and writes nothing.
    ///
    /// - Parameters:
    ///   - contents: The archive.
    ///   - name: The name of the archive in errors.
    /// - Throws: ``CommandError`` if the contents are not an archive, or not an archive of Apple's repository.
    init(_ contents: [UInt8], name: String) throws {
        if let part = try Self.part(contents, name: name) {
            self.files = [part: contents[...]]
            return
        }
        self.files = try Self.files(in: try Self.expanded(contents, name: name), name: name)
        guard !self.files.isEmpty else {
            throw CommandError(
                "\(DisplayText.text(name)) has no folder certificates/roots. Give an archive of Apple's repository "
                    + "security_certificates")
        }
    }

    static func contents(of path: String) throws -> [UInt8] {
        do throws(FileError) {
            return try BoundedFile.read(path, maximumSize: Self.maximumSize)
        } catch {
            throw CommandError("cannot read \(DisplayText.text(path)): \(error.reason.clause)")
        }
    }

    /// Returns the path in the data folder of a file that is a part of the data by itself, or `nil` for an archive.
    private static func part(_ contents: [UInt8], name: String) throws -> String? {
        let start = contents.prefix(Self.headerSize).filter { $0 > 0x20 }
        if start.first == UInt8(ascii: "{") {
            guard try LogList(contents: contents).date == nil else {
                throw CommandError(
                    "\(DisplayText.text(name)) is Google's list of logs. Give Apple's, or use --log-list")
            }
            return AppleTrustFolder.logListFile
        }
        guard contents.prefix(Self.headerSize).allSatisfy({ $0 >= 0x20 || [0x09, 0x0A, 0x0D].contains($0) }),
            contents.contains(UInt8(ascii: ","))
        else { return nil }
        _ = try RootStatusList(contents: contents)
        return AppleTrustFolder.statusFile
    }

    private static func expanded(_ contents: [UInt8], name: String) throws -> [UInt8] {
        guard Inflate.isGzip(contents[...]) else { return contents }
        do throws(InflateError) {
            return try Inflate.gzip(contents[...], limit: Self.maximumContents)
        } catch {
            let reason =
                switch error {
                case .truncated: "it is cut off"
                case .malformed: "it is not a gzip file"
                case .wrongChecksum: "its checksum is wrong"
                case .tooLarge: "it holds more than \(Self.maximumContents >> 20) MB"
                }
            throw CommandError("cannot read \(DisplayText.text(name)): \(reason). Fetch it again")
        }
    }

    private static func files(in archive: [UInt8], name: String) throws -> [String: ArraySlice<UInt8>] {
        var reader = TarReader(archive)
        var files: [String: ArraySlice<UInt8>] = [:]
        do throws(TarReader.Malformation) {
            while let file = try reader.next() {
                guard let path = Self.place(of: file.path) else { continue }
                guard !file.isLink else {
                    throw TarReader.Malformation(description: "\(path) is a link, which is not followed")
                }
                // Apple's file names are fingerprints. Longer names cannot be created in a file system.
                guard path.split(separator: "/").allSatisfy({ $0.utf8.count <= Self.maximumName }) else {
                    throw TarReader.Malformation(
                        description: "it has a file name of more than \(Self.maximumName) octets")
                }
                guard file.contents.count <= Self.maximumFile else {
                    throw TarReader.Malformation(description: "\(path) is larger than \(Self.maximumFile >> 20) MB")
                }
                guard files.updateValue(file.contents, forKey: path) == nil else {
                    throw TarReader.Malformation(description: "it has \(path) twice")
                }
            }
        } catch {
            throw CommandError(
                "cannot read \(DisplayText.text(name)): \(DisplayText.text(error.description)). Give a folder, or a tar "
                    + "archive, compressed by gzip or not")
        }
        return files
    }

    /// Returns the path in the data folder of a known file, which may be at the top of the archive or in its only top-level
    /// folder.
    private static func place(of path: String) -> String? {
        var parts = path.split(separator: "/").filter { $0 != "." }
        if parts.count > 1, !AppleTrustFolder.parts.contains(String(parts[0])) { parts.removeFirst() }
        guard !parts.contains("..") else { return nil }
        let place = parts.joined(separator: "/")
        let folder = parts.dropLast().joined(separator: "/")
        if [AppleTrustFolder.rootsFolder, AppleTrustFolder.statusRoots].contains(folder) {
            return place.hasSuffix(".cer") ? place : nil
        }
        if parts.last == AppleTrustData.dateFile[...] {
            return folder.isEmpty || AppleTrustFolder.parts.contains(folder) ? place : nil
        }
        let files = AppleTrustFolder.rootTables + [AppleTrustFolder.logListFile, AppleTrustFolder.statusFile]
        return files.contains(place) ? place : nil
    }

    /// Writes the files to a temporary folder that other users cannot write to, passes its path to `body`, and removes it.
    func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        let manager = FileManager.default
        let parent = manager.temporaryDirectory.path
        let folder = parent + "/servertrust-\(UUID().uuidString)"
        defer { try? manager.removeItem(atPath: folder) }
        do {
            try self.write(to: folder)
        } catch {
            throw CommandError(
                "cannot unpack to \(parent): set TMPDIR to a folder that can be written to and has room")
        }
        return try body(folder)
    }

    private func write(to folder: String) throws {
        let manager = FileManager.default
        try manager.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for (path, contents) in self.files {
            let directory = path.split(separator: "/").dropLast().joined(separator: "/")
            try manager.createDirectory(atPath: folder + "/" + directory, withIntermediateDirectories: true)
            try Data(contents).write(to: URL(fileURLWithPath: folder + "/" + path))
        }
    }
}
