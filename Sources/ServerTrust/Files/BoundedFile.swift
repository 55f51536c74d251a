//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A reader of untrusted files and folders: never more than a limit, never a device or a pipe.
package enum BoundedFile {
    /// The maximum size of a file, in octets: enough for a bundle of ten thousand certificates.
    package static let maximumSize = 32 << 20
    package static let maximumEntries = 65_536

    /// Reads a regular file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - maximumSize: The maximum size, in octets.
    /// - Throws: ``FileError`` if the file cannot be opened, is a folder or device, or is larger.
    package static func read(_ path: String, maximumSize: Int = Self.maximumSize) throws(FileError) -> [UInt8] {
        do {
            // Without this option, a named pipe without a writer would block the open call.
            let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            return try file.closeAfter { try Self.contents(of: file, path, maximumSize: maximumSize) }
        } catch let error as FileError {
            throw error
        } catch {
            throw FileError(path, .system((error as? Errno ?? .ioError).rawValue))
        }
    }

    static func contents(of file: FileDescriptor, _ path: String, maximumSize: Int) throws -> [UInt8] {
        let status = try file.stat()
        guard status.type != .directory else { throw FileError(path, .isFolder) }
        guard status.type == .regular else { throw FileError(path, .notRegularFile) }
        guard status.size <= Int64(maximumSize) else { throw FileError(path, .tooLarge(maximumSize: maximumSize)) }
        var contents: [UInt8] = []
        contents.reserveCapacity(Int(status.size))
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
            guard count > 0 else { return contents }
            contents.append(contentsOf: buffer[0..<count])
            // The file may have grown after the call of `stat`.
            guard contents.count <= maximumSize else { throw FileError(path, .tooLarge(maximumSize: maximumSize)) }
        }
    }

    /// Returns the path without symbolic links, or the path itself if it does not exist.
    package static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0
    }

    /// Returns `true` if the path is a symbolic link, even a broken one.
    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Returns the names of a folder's entries, sorted, without hidden ones.
    package static func entries(of path: String) throws(FileError) -> [String] {
        guard let folder = opendir(path) else { throw FileError(path, .system(errno)) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix(".") else { continue }
            names.append(name)
            guard names.count <= Self.maximumEntries else {
                throw FileError(path, .tooManyEntries(maximum: Self.maximumEntries))
            }
        }
        return names.sorted()
    }
}

/// An error for a file or folder that cannot be used.
///
/// The description says how to solve the problem.
public struct FileError: Error, Sendable, Hashable {
    /// The kinds of reasons.
    public enum Reason: Sendable, Hashable {
        /// The operating system refused, with its `errno`.
        case system(Int32)
        /// The path is a folder, where a file is expected.
        case isFolder
        /// The path is a device, pipe or socket, where a file is expected.
        case notRegularFile
        /// The file, or the files of a folder together, have more bytes than are read.
        case tooLarge(maximumSize: Int)
        /// The folder has more entries than are read.
        case tooManyEntries(maximum: Int)
        /// Others can write to a folder that must be the user's own.
        case writableByOthers
        /// A file or folder that must be the user's own belongs to another user.
        case ownedByAnother
        /// Others have permissions for a file that must be private.
        case accessibleToOthers
        /// The path is a symbolic link, where the file itself is expected.
        case isLink
        /// Another program is writing to the file.
        case busy

        /// Returns a size in the largest unit that divides it.
        fileprivate static func text(_ size: Int) -> String {
            switch size {
            case _ where size % (1 << 20) == 0: "\(size >> 20) MiB"
            case _ where size % (1 << 10) == 0: "\(size >> 10) KiB"
            default: "\(size) bytes"
            }
        }

        /// The reason as a clause, without the path.
        package var clause: String {
            switch self {
            case .system(let code): "it cannot be read (\(String(cString: strerror(code))))"
            case .isFolder: "it is a folder"
            case .notRegularFile: "it is a pipe or a device"
            case .tooLarge(let size): "it has more than \(Self.text(size))"
            case .tooManyEntries(let maximum): "it has more than \(maximum) entries"
            case .writableByOthers: "others can write to it"
            case .ownedByAnother: "it belongs to another user"
            case .accessibleToOthers: "others have permissions for it"
            case .isLink: "it is a symbolic link"
            case .busy: "another program is writing to it"
            }
        }
    }

    /// The path, as the caller gave it.
    public let path: String
    /// The reason.
    public let reason: Reason

    init(_ path: String, _ reason: Reason) {
        self.path = path
        self.reason = reason
    }
}

extension FileError: CustomStringConvertible {
    /// The path, the reason and its remedy, for people.
    public var description: String {
        switch self.reason {
        case .system(let code): "cannot read \(self.path): \(String(cString: strerror(code)))"
        case .isFolder: "\(self.path) is a folder: give a file with certificates in PEM or DER"
        case .notRegularFile: "\(self.path) is not a regular file: give a file, not a pipe or device"
        case .tooLarge(let size):
            "\(self.path) is too large: more than \(Reason.text(size)). Give a smaller file, or fewer of them"
        case .tooManyEntries(let maximum):
            "the folder \(self.path) has more than \(maximum) entries. Give a folder of certificates alone"
        case .writableByOthers:
            "others can write to \(self.path): remove their permission with chmod go-w, or give another folder"
        case .ownedByAnother:
            "\(self.path) belongs to another user: give a file or folder of the user that runs this program"
        case .accessibleToOthers:
            "others have permissions for \(self.path): remove them with chmod go=, and change what they may have read"
        case .isLink: "\(self.path) is a symbolic link: give the file that it leads to"
        case .busy: "another program is writing to \(self.path): repeat this when it is done"
        }
    }
}
