//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Functions for folders and files to which only one user can write, created readable by this user only.
package enum PrivateFolder {
    private static let folderMode: mode_t = 0o700
    private static let fileMode: mode_t = 0o600
    private static let writableByOthers: mode_t = 0o022
    private static let othersPermissions: mode_t = 0o077

    /// Creates a folder and its parents if they do not exist.
    ///
    /// - Throws: ``FileError`` if the folder does not exist and cannot be created, belongs to another user, or can be written to by
    ///   others, as they could choose its contents.
    static func make(_ path: String) throws(FileError) {
        if !BoundedFile.exists(path) { Self.makeFolders(path) }
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileError(path, .system(errno)) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw FileError(path, .system(ENOTDIR)) }
        guard status.st_uid == geteuid() else { throw FileError(path, .ownedByAnother) }
        guard status.st_mode & Self.writableByOthers == 0 else { throw FileError(path, .writableByOthers) }
    }

    /// Creates a folder that hides its file names from other users.
    ///
    /// - Throws: ``FileError``, also if others may read or enter the folder.
    package static func makeUnreadableByOthers(_ path: String) throws(FileError) {
        try Self.make(path)
        var status = stat()
        guard stat(path, &status) == 0 else { throw FileError(path, .system(errno)) }
        guard status.st_mode & Self.othersPermissions == 0 else { throw FileError(path, .accessibleToOthers) }
    }

    /// Creates each missing folder of a path. The caller checks the last one, so errors are ignored.
    private static func makeFolders(_ path: String) {
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            mkdir(String(path[..<end]), Self.folderMode)
        }
    }

    static func isRegularFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Writes a file under another name and then renames it, so that a reader never sees a partial file.
    static func write(_ contents: [UInt8], to name: String, in folder: String) {
        let draft = "\(folder)/.\(name).\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, Self.fileMode)
        guard descriptor >= 0 else { return }
        let isWritten = Self.write(contents[...], to: descriptor)
        guard close(descriptor) == 0, isWritten, rename(draft, "\(folder)/\(name)") == 0 else {
            unlink(draft)
            return
        }
    }

    private static func write(_ contents: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = contents
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.writeOnce(descriptor, $0) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func writeOnce(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
        Musl.write(descriptor, buffer.baseAddress, buffer.count)
        #else
        Darwin.write(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }
}
