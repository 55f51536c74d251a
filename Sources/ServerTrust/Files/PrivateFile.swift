//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file with secrets: for one user only, replaced as a whole, and changed by one program at a time.
///
/// The same folder has its lock, with the suffix `.lock`, and during a change its next contents, with the suffix `.new`.
package struct PrivateFile: Sendable {
    /// The steps of a change, for tests that let one fail.
    package enum Step: Sendable, Hashable {
        case create, write, sync, rename, syncFolder
    }

    package let path: String
    private let folder: String
    private let before: @Sendable (Step) throws -> Void

    private static let othersPermissions: mode_t = 0o077
    private static let mode: mode_t = 0o600
    private static let pieceSize = 4_096
    /// The number of attempts, ten milliseconds apart: five seconds in all.
    private static let lockAttempts = 500

    /// Opens a file, in a folder that is created if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The file, which does not need to exist.
    ///   - before: A function called before each step, which may throw to let it fail.
    /// - Throws: ``FileError`` if the folder belongs to another user or others can write to it, as they could replace the file.
    package init(_ path: String, before: @escaping @Sendable (Step) throws -> Void = { _ in }) throws(FileError) {
        let folder = FilePath(path).removingLastComponent().string
        self.path = path
        self.before = before
        self.folder = folder.isEmpty ? "." : folder
        guard FilePath(path).lastComponent?.kind == .regular else { throw FileError(path, .notRegularFile) }
        try PrivateFolder.make(self.folder)
    }

    // MARK: Reading

    /// Returns the contents, or `nil` if the file does not exist.
    package func read() throws(FileError) -> [UInt8]? {
        try PrivateFolder.make(self.folder)
        do {
            return try self.only { () throws -> [UInt8] in
                try Self.contents(of: self.path, options: [.noFollow])
            }
        } catch {
            guard error.reason == .system(ENOENT) else { throw error }
            return nil
        }
    }

    /// Returns the contents of a file in any folder, or `nil` if the file does not exist.
    ///
    /// - Throws: ``FileError`` if the file belongs to another user, or others have permissions for it.
    package static func contents(of path: String) throws(FileError) -> [UInt8]? {
        do {
            return try Self.contents(of: path, options: [])
        } catch {
            if error as? Errno == .noSuchFileOrDirectory { return nil }
            throw error as? FileError ?? FileError(path, .system((error as? Errno ?? .ioError).rawValue))
        }
    }

    private static func contents(of path: String, options: FileDescriptor.OpenOptions) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly, options: options.union([.closeOnExec, .nonBlocking]))
        return try file.closeAfter {
            try Self.check(file, path)
            return try BoundedFile.contents(of: file, path, maximumSize: BoundedFile.maximumSize)
        }
    }

    private static func check(_ file: FileDescriptor, _ path: String) throws {
        let status = try file.stat()
        guard status.type == .regular else { throw FileError(path, .notRegularFile) }
        guard status.userID.rawValue == geteuid() else { throw FileError(path, .ownedByAnother) }
        guard status.permissions.rawValue & Self.othersPermissions == 0 else {
            throw FileError(path, .accessibleToOthers)
        }
    }

    // MARK: Writing

    /// Locks the file for a change of its contents, and waits a limited time for other programs.
    ///
    /// - Returns: The lock, which ends when it is closed.
    /// - Throws: ``FileError``, with `busy` if another program holds the lock too long, or the task is cancelled.
    package func lock() async throws(FileError) -> FileDescriptor {
        let path = self.path + ".lock"
        let file = try self.only { () throws -> FileDescriptor in
            let file = try FileDescriptor.open(
                path, .readWrite, options: [.create, .noFollow, .closeOnExec, .nonBlocking],
                permissions: [.ownerReadWrite])
            do {
                try Self.check(file, path)
                return file
            } catch {
                try? file.close()
                throw error
            }
        }
        for _ in 0..<Self.lockAttempts {
            if flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 { return file }
            guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { break }
        }
        try? file.close()
        throw FileError(self.path, .busy)
    }

    /// Replaces the contents. The caller must hold the lock. A crash at any time leaves the old contents or the new ones.
    ///
    /// - Parameter contents: The new contents.
    /// - Throws: ``FileError``. If it is thrown before the last step, the old contents remain.
    package func replace(with contents: [UInt8]) throws(FileError) {
        guard contents.count <= BoundedFile.maximumSize else {
            throw FileError(self.path, .tooLarge(maximumSize: BoundedFile.maximumSize))
        }
        try PrivateFolder.make(self.folder)
        let draft = self.path + ".new"
        try self.only {
            // A program that crashed during a write may have left it.
            unlink(draft)
            do {
                try self.write(contents, to: draft)
                try self.before(.rename)
                guard rename(draft, self.path) == 0 else { throw Errno(rawValue: errno) }
            } catch {
                unlink(draft)
                throw error
            }
            try self.syncFolder()
        }
    }

    private func write(_ contents: [UInt8], to draft: String) throws {
        try self.before(.create)
        let file = try FileDescriptor.open(
            draft, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
            permissions: [.ownerReadWrite])
        try file.closeAfter {
            // The umask of the process may remove the owner's permissions.
            guard fchmod(file.rawValue, Self.mode) == 0 else { throw Errno(rawValue: errno) }
            var rest = contents[...]
            while !rest.isEmpty {
                try self.before(.write)
                let count = try rest.prefix(Self.pieceSize).withUnsafeBytes { try file.write($0) }
                guard count > 0 else { throw Errno.ioError }
                rest = rest.dropFirst(count)
            }
            try self.before(.sync)
            guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
        }
    }

    /// Syncs the folder, without which the new name may not be on the disk.
    private func syncFolder() throws {
        try self.before(.syncFolder)
        let folder = try FileDescriptor.open(self.folder, .readOnly, options: [.directory, .closeOnExec])
        try folder.closeAfter {
            guard fsync(folder.rawValue) == 0 else { throw Errno(rawValue: errno) }
        }
    }

    private func only<Value>(_ body: () throws -> Value) throws(FileError) -> Value {
        do {
            return try body()
        } catch let error as FileError {
            throw error
        } catch {
            let code = error as? Errno ?? .ioError
            throw FileError(self.path, code == .tooManySymbolicLinkLevels ? .isLink : .system(code.rawValue))
        }
    }
}
