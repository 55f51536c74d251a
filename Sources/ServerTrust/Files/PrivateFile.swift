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

/// A file with secrets: for one user alone, replaced as a whole, by one program at a time.
///
/// Beside it are its lock, with `.lock` at the end of the name, and while it is written its next contents, with `.new`.
package struct PrivateFile: Sendable {
    /// What is about to be done to the disk.
    package enum Step: Sendable, Hashable {
        case create, write, sync, rename, syncFolder
    }

    package let path: String
    private let folder: String
    private let before: @Sendable (Step) throws -> Void

    private static let othersPermissions: mode_t = 0o077
    private static let mode: mode_t = 0o600
    private static let pieceSize = 4_096
    /// Five seconds, at ten milliseconds each.
    private static let lockAttempts = 500

    /// A file, in a folder that is made if it is not there.
    ///
    /// - Parameters:
    ///   - path: The file. It need not be there.
    ///   - before: Hears of each step before it is done, and may fail in its place.
    /// - Throws: ``FileError`` when the folder is another user's or others can write to it: they could replace the file.
    package init(_ path: String, before: @escaping @Sendable (Step) throws -> Void = { _ in }) throws(FileError) {
        let folder = FilePath(path).removingLastComponent().string
        self.path = path
        self.before = before
        self.folder = folder.isEmpty ? "." : folder
        guard FilePath(path).lastComponent?.kind == .regular else { throw FileError(path, .notRegularFile) }
        try PrivateFolder.make(self.folder)
    }

    // MARK: Reading

    /// The contents; `nil` when nothing is there.
    package func read() throws(FileError) -> [UInt8]? {
        try PrivateFolder.make(self.folder)
        do {
            return try self.only { () throws -> [UInt8] in
                let file = try FileDescriptor.open(
                    self.path, .readOnly, options: [.closeOnExec, .nonBlocking, .noFollow])
                return try file.closeAfter {
                    try self.check(file, self.path)
                    return try BoundedFile.contents(of: file, self.path, maximumSize: BoundedFile.maximumSize)
                }
            }
        } catch {
            guard error.reason == .system(ENOENT) else { throw error }
            return nil
        }
    }

    private func check(_ file: FileDescriptor, _ path: String) throws {
        let status = try file.stat()
        guard status.type == .regular else { throw FileError(path, .notRegularFile) }
        guard status.userID.rawValue == geteuid() else { throw FileError(path, .ownedByAnother) }
        guard status.permissions.rawValue & Self.othersPermissions == 0 else {
            throw FileError(path, .accessibleToOthers)
        }
    }

    // MARK: Writing

    /// Claims the file for a change of its contents, and waits for others for a limited time.
    ///
    /// - Returns: The claim, which ends when it is closed.
    /// - Throws: ``FileError``, `busy` when others hold it for long, or the task is cancelled.
    package func lock() async throws(FileError) -> FileDescriptor {
        let path = self.path + ".lock"
        let file = try self.only { () throws -> FileDescriptor in
            let file = try FileDescriptor.open(
                path, .readWrite, options: [.create, .noFollow, .closeOnExec, .nonBlocking],
                permissions: [.ownerReadWrite])
            do {
                try self.check(file, path)
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

    /// Replaces the contents, by the program that holds the lock. A crash at any moment leaves the old contents or the new ones.
    ///
    /// - Parameter contents: The new contents.
    /// - Throws: ``FileError``; before the last step, the old contents are still there.
    package func replace(with contents: [UInt8]) throws(FileError) {
        guard contents.count <= BoundedFile.maximumSize else { throw FileError(self.path, .tooLarge) }
        try PrivateFolder.make(self.folder)
        let draft = self.path + ".new"
        try self.only {
            // Left by a program that ended while it wrote.
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
            // The process may have a mask that takes the owner's permissions away.
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

    /// The new name is on the disk when its folder is.
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
