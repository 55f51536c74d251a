//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The files of a cache. Whatever is wrong with one, it is as if it were not there.
struct ResourceFolder: Sendable {
    private let path: String

    /// What a file begins with, before the end of its life in eight octets.
    private static let magic = Array("servertrust.1\n".utf8)
    private static let suffix = ".resource"
    private static let maximumCount = 1_024

    init(_ path: String) throws(FileError) {
        self.path = path
        if !BoundedFile.isFolder(path) {
            _ = try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        // Says why, if there is no folder now.
        _ = try BoundedFile.entries(of: path)
    }

    /// What is kept under an entry, and until when.
    func read(_ entry: ResourceCache.Entry) -> (bytes: [UInt8], end: Timestamp)? {
        let header = Self.magic.count + 8
        guard let contents = try? BoundedFile.read(self.file(Self.name(of: entry))), contents.count > header,
            contents.starts(with: Self.magic)
        else { return nil }
        let seconds = contents[Self.magic.count..<header].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return (Array(contents[header...]), Timestamp(secondsSinceEpoch: Int64(bitPattern: seconds)))
    }

    /// Writes a file beside the place and then moves it there, so that no reader sees half of it.
    func write(_ bytes: [UInt8], until end: Timestamp, _ entry: ResourceCache.Entry) {
        let seconds = UInt64(bitPattern: end.secondsSinceEpoch)
        let octets = (0..<8).map { UInt8(truncatingIfNeeded: seconds >> UInt64(56 - 8 * $0)) }
        let contents = Self.magic + octets + bytes
        guard contents.count <= BoundedFile.maximumSize else { return }
        self.makeRoom()
        // A cache that cannot be written is one that remembers nothing.
        _ = try? Data(contents).write(to: URL(fileURLWithPath: self.file(Self.name(of: entry))), options: .atomic)
    }

    /// Removes everything of the cache's own.
    func removeAll() {
        for name in self.names { self.remove(name) }
    }

    private var names: [String] {
        ((try? BoundedFile.entries(of: self.path)) ?? []).filter { $0.hasSuffix(Self.suffix) }
    }

    /// Names are digests, so that the first half of them is any half.
    private func makeRoom() {
        let names = self.names
        guard names.count >= Self.maximumCount else { return }
        for name in names.prefix(names.count / 2) { self.remove(name) }
    }

    private func remove(_ name: String) { _ = try? FileManager.default.removeItem(atPath: self.file(name)) }

    private func file(_ name: String) -> String { self.path + "/" + name }

    /// Nothing of a URL comes into a name.
    private static func name(of entry: ResourceCache.Entry) -> String {
        let digest = entry.digest.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
        return "\(entry.kind.rawValue)-\(digest)\(Self.suffix)"
    }
}
