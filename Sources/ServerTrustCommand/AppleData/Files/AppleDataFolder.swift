//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The folder with the default data. It is a symbolic link to a sibling folder, so that readers see either the old or the new
/// data, and never a mixture.
struct AppleDataFolder {
    private let link: FilePath
    private let parent: FilePath
    private let name: String

    init(_ path: String) {
        self.link = FilePath(path)
        let parent = self.link.removingLastComponent()
        self.parent = parent.isEmpty ? "." : parent
        self.name = self.link.lastComponent?.string ?? "apple-data"
    }

    /// Replaces the current data. Parts that the source does not have remain unchanged.
    ///
    /// - Parameters:
    ///   - data: The data that were read from the source.
    ///   - source: The source folder.
    /// - Throws: ``CommandError`` if the data cannot be written. The old data then remain unchanged.
    func replace(with data: AppleTrustData, from source: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: self.parent.string, withIntermediateDirectories: true)
        } catch {
            throw CommandError(
                "cannot write \(self.link.string): no folder can be made there. Give another one: --to DIR")
        }
        let lock: FileDescriptor
        do {
            lock = try FileDescriptor.open(self.parent, .readOnly, options: [.directory, .closeOnExec])
        } catch {
            throw CommandError("cannot write \(self.link.string): \(error). Give another folder: --to DIR")
        }
        try lock.closeAfter {
            // Each of two concurrent updates would delete the other's new folder as an old one.
            guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 else {
                throw CommandError(
                    "another update is writing to \(self.parent.string). Repeat this one when it is over")
            }
            try self.replaceAlone(with: data, from: source)
        }
    }

    private func replaceAlone(with data: AppleTrustData, from source: String) throws {
        let fresh = "\(self.name)-\(UUID().uuidString)"
        let folder = self.parent.appending(fresh)
        do {
            for part in AppleTrustFolder.parts {
                guard let old = [source, self.link.string].first(where: { BoundedFile.exists("\($0)/\(part)") }) else {
                    continue
                }
                try self.copy(part, of: data, from: old, to: folder)
            }
            try self.write(Array(data.date.formatted(.iso8601).utf8), in: folder, as: AppleTrustData.dateFile)
            // The files of the source have been read a second time, so they must still be equal to the checked data.
            guard try AppleTrustData(folder: folder.string, completedBy: .builtIn).hasSameContents(as: data) else {
                throw CommandError("the data changed while they were read. Try again")
            }
            try self.point(to: fresh)
        } catch {
            try? FileManager.default.removeItem(atPath: folder.string)
            let reason =
                error is CommandError || error is AppleTrustDataError || error is FileError ? "\(error)" : nil
            throw CommandError(
                "cannot write \(self.link.string): \(reason ?? "no folder can be made there. Give another one: --to DIR")"
            )
        }
    }

    /// Copies the files of a part and writes the date of the part.
    private func copy(_ part: String, of data: AppleTrustData, from old: String, to folder: FilePath) throws {
        let (date, files, roots) = Self.contents(of: part, data)
        try FileManager.default.createDirectory(
            atPath: "\(folder.string)/\(part)" + (roots.isEmpty ? "" : "/roots"), withIntermediateDirectories: true)
        for file in files { try self.write(try BoundedFile.read(old + "/" + file), in: folder, as: file) }
        for root in roots {
            let name = JSONText.hexadecimal(root.sha256Fingerprint).uppercased()
            try self.write(root.derRepresentation, in: folder, as: "\(part)/roots/\(name).cer")
        }
        try self.write(Array(date.formatted(.iso8601).utf8), in: folder, as: "\(part)/\(AppleTrustData.dateFile)")
    }

    private static func contents(
        of part: String, _ data: AppleTrustData
    ) -> (date: Date, files: [String], roots: [Certificate]) {
        let parts = data.parts
        return switch part {
        case "certificates": (parts.roots.date, AppleTrustFolder.rootTables, data.certificates)
        case "root_status":
            (
                parts.rootStatus?.date ?? parts.roots.date, [AppleTrustFolder.statusFile],
                data.certificatesBesidesRelease
            )
        default: (parts.logList.date, [AppleTrustFolder.logListFile], [])
        }
    }

    private func write(_ contents: [UInt8], in folder: FilePath, as name: String) throws {
        try Data(contents).write(to: URL(fileURLWithPath: "\(folder.string)/\(name)"))
    }

    /// Points the link to a sibling folder. The old folder remains until the next update for its current readers.
    private func point(to fresh: String) throws {
        let manager = FileManager.default
        let old = try? manager.destinationOfSymbolicLink(atPath: self.link.string)
        // A link to a deleted folder of this command is repaired.
        if let old, !self.isOwn(old), BoundedFile.exists(self.link.string) || !self.hasOwnName(old) {
            throw CommandError("it is a link that this command did not make. Remove it, or give --to DIR")
        }
        if old == nil, BoundedFile.exists(self.link.string) {
            throw CommandError("it is a file or folder that this command did not make. Remove it, or give --to DIR")
        }
        let draft = self.parent.appending("\(fresh).link").string
        try manager.createSymbolicLink(atPath: draft, withDestinationPath: fresh)
        guard rename(draft, self.link.string) == 0 else {
            let error = Errno(rawValue: errno)
            try? manager.removeItem(atPath: draft)
            throw CommandError("\(error)")
        }
        for name in (try? BoundedFile.entries(of: self.parent.string)) ?? [] where name != fresh && name != old {
            if self.isOwn(name) { try? manager.removeItem(atPath: self.parent.appending(name).string) }
        }
    }

    private func hasOwnName(_ name: String) -> Bool {
        let prefix = self.name + "-"
        return name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil
    }

    /// Returns `true` if a sibling of the link is a folder of this command, named after the link with a unique identifier.
    private func isOwn(_ name: String) -> Bool {
        guard self.hasOwnName(name) else { return false }
        let path = self.parent.appending(name).string
        return BoundedFile.isFolder(path) && BoundedFile.exists("\(path)/\(AppleTrustData.dateFile)")
    }
}

extension AppleTrustData {
    /// Returns `true` if two sets of data have the same roots, constraints, policies, status and logs.
    fileprivate func hasSameContents(as other: AppleTrustData) -> Bool {
        self.certificates == other.certificates && self.program == other.program
            && self.rootStatus == other.rootStatus
            && self.certificatesBesidesRelease == other.certificatesBesidesRelease
            && self.extendedValidationPolicies == other.extendedValidationPolicies
            && self.logList.logs.map(\.identifier) == other.logList.logs.map(\.identifier)
            && self.logList.logs.map(\.state) == other.logList.logs.map(\.state)
            && self.logList.logs.map(\.subjectPublicKeyInfo) == other.logList.logs.map(\.subjectPublicKeyInfo)
    }
}
