//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The files of a cache, in a folder to which only this user can write. A file with any fault counts as missing.
struct ResourceFolder: Sendable {
    private let path: String

    /// The beginning of a file, followed by the end of its lifetime in eight octets.
    private static let magic = Array("servertrust.1\n".utf8)
    private static let suffix = ".resource"
    private static let maximumCount = 1_024

    /// Opens a folder, which is created for this user only if it does not exist.
    init(_ path: String) throws(FileError) {
        self.path = path
        try PrivateFolder.make(path)
        _ = try BoundedFile.entries(of: path)
    }

    /// Returns the octets of an entry and the end of their lifetime.
    func read(_ entry: ResourceCache.Entry) -> (bytes: [UInt8], end: Timestamp)? {
        let header = Self.magic.count + 8
        guard let contents = try? BoundedFile.read(self.file(Self.name(of: entry))), contents.count > header,
            contents.starts(with: Self.magic)
        else { return nil }
        let seconds = contents[Self.magic.count..<header].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return (Array(contents[header...]), Timestamp(secondsSinceEpoch: Int64(bitPattern: seconds)))
    }

    /// Writes a file. If that fails, the entry is not cached.
    func write(_ bytes: [UInt8], until end: Timestamp, entry: ResourceCache.Entry) {
        let seconds = UInt64(bitPattern: end.secondsSinceEpoch)
        let octets = (0..<8).map { UInt8(truncatingIfNeeded: seconds >> UInt64(56 - 8 * $0)) }
        let contents = Self.magic + octets + bytes
        guard contents.count <= BoundedFile.maximumSize, self.hasRoom() else { return }
        PrivateFolder.write(contents, to: Self.name(of: entry), in: self.path)
    }

    func removeAll() {
        for name in self.files() ?? [] { self.remove(name) }
    }

    // MARK: The cache's own files

    /// Returns the regular files with names from ``name(of:)``, or `nil` if the folder cannot be read or has too many entries.
    private func files() -> [String]? {
        guard let names = try? BoundedFile.entries(of: self.path) else { return nil }
        return names.filter { Self.isOwn($0) && PrivateFolder.isRegularFile(self.file($0)) }
    }

    /// Removes half of the files if the folder is full. Names are digests, so the first half is an arbitrary one.
    private func hasRoom() -> Bool {
        guard let names = self.files() else { return false }
        guard names.count >= Self.maximumCount else { return true }
        for name in names.prefix(names.count / 2) { self.remove(name) }
        return true
    }

    private func remove(_ name: String) { unlink(self.file(name)) }

    private func file(_ name: String) -> String { self.path + "/" + name }

    /// Returns the name of a file, which contains no part of a URL.
    private static func name(of entry: ResourceCache.Entry) -> String {
        let digest = entry.digest.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
        return "\(entry.kind.rawValue)-\(digest)\(Self.suffix)"
    }

    private static func isOwn(_ name: String) -> Bool {
        guard name.hasSuffix(Self.suffix),
            let kind = ResourceKind.allCases.first(where: { name.hasPrefix($0.rawValue + "-") })
        else { return false }
        let digest = name.utf8.dropFirst(kind.rawValue.utf8.count + 1).dropLast(Self.suffix.utf8.count)
        return digest.count == 64 && digest.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
