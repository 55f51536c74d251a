//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Inflate
import SystemPackage

/// An app in a zip archive: an .ipa file or a zipped folder.
struct AppArchive {
    private let path: String
    private let file: ArchiveFile
    private let archive: ZipArchive

    /// The largest Info.plist that is read, in octets.
    private static let maximumSize = 4 << 20
    private static let maximumLists = 200
    /// The largest total size of the Info.plists, in octets. A small archive may unpack to far more than its own size.
    private static let maximumTotal = 16 << 20

    /// Opens an archive, or returns `nil` if the file cannot be opened or is not a zip archive.
    init?(_ path: String) throws(InfoPropertyListError) {
        guard let file = ArchiveFile(path), file.isZip else { return nil }
        self.path = path
        self.file = file
        do throws(ZipError) {
            self.archive = try ZipArchive(size: file.size, source: file.read)
        } catch {
            throw InfoPropertyListError("\(error)", at: nil)
        }
    }

    /// Returns the Info.plists of the app and of its extensions and watch apps.
    func propertyLists() throws(InfoPropertyListError) -> [AppPropertyList] {
        let entries = self.archive.entries.filter { entry in
            entry.name.hasSuffix("/Info.plist") && AppPropertyList.Owner(path: entry.name) != .file
                && !entry.name.split(separator: "/").contains("Frameworks")
        }
        guard !entries.isEmpty else {
            throw InfoPropertyListError("the zip archive has no app. Give an .ipa, or a packed .app", at: nil)
        }
        var names: Set<String> = []
        if let twice = entries.first(where: { !names.insert($0.name).inserted }) {
            throw InfoPropertyListError("\(ZipError.duplicate(twice.name))", at: nil)
        }
        let total = entries.reduce(0 as UInt64) { $0 &+ min($1.size, UInt64(Self.maximumTotal)) }
        guard entries.count <= Self.maximumLists, total <= UInt64(Self.maximumTotal) else {
            throw InfoPropertyListError(
                "the zip archive has more than \(Self.maximumLists) Info.plists, or more than \(Self.maximumTotal >> 20) MB of "
                    + "them. Give one app", at: nil)
        }
        return entries.sorted { ($0.name.utf8.count, $0.name) < ($1.name.utf8.count, $1.name) }.map(self.list)
    }

    private func list(_ entry: ZipArchive.Entry) -> AppPropertyList {
        let (place, owner) = ("\(self.path):\(entry.name)", AppPropertyList.Owner(path: entry.name))
        do throws(ZipError) {
            let octets = try self.archive.contents(of: entry, limit: Self.maximumSize, source: self.file.read)
            return AppPropertyList(place, owner, octets: octets)
        } catch {
            return AppPropertyList(place, owner, result: .failure(InfoPropertyListError("\(error)", at: nil)))
        }
    }
}

/// A file that is read in ranges.
private final class ArchiveFile {
    private let descriptor: FileDescriptor
    let size: Int

    init?(_ path: String) {
        guard let descriptor = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking]) else {
            return nil
        }
        guard let status = try? descriptor.stat(), status.type == .regular, let size = Int(exactly: status.size) else {
            try? descriptor.close()
            return nil
        }
        self.descriptor = descriptor
        self.size = size
    }

    deinit { try? self.descriptor.close() }

    var isZip: Bool { (try? self.read(0..<min(4, self.size))).map { ZipArchive.isZip($0[...]) } ?? false }

    func read(_ range: Range<Int>) throws(ZipError) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < octets.count {
            let offset = Int64(range.lowerBound + done)
            let count = try? octets.withUnsafeMutableBytes { buffer in
                try self.descriptor.read(
                    fromAbsoluteOffset: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
            }
            guard let count, count > 0 else { throw count == nil ? .unreadable : .truncated }
            done += count
        }
        return octets
    }
}
