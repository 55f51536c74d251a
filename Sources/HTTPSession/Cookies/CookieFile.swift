//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file of cookies in the format of ``NetscapeCookieText``.
///
/// `read` returns the octets of the file, which `NetscapeCookieText` reads into a ``CookieJar``. `write` replaces the file.
public enum CookieFile {
    /// Reads a file.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The octets of the file, or `nil` if it does not exist.
    /// - Throws: `FileError` if the file cannot be read.
    public static func read(_ path: String) throws(FileError) -> [UInt8]? {
        do {
            return try BoundedFile.read(path)
        } catch {
            guard error.reason == .system(ENOENT) else { throw error }
            return nil
        }
    }

    /// Replaces a file atomically, with access for its owner only (mode 0600). A crash leaves either the old or the new contents.
    ///
    /// - Parameters:
    ///   - contents: The octets to write.
    ///   - path: The path of the file. A symbolic link is followed.
    /// - Throws: ``CookieFileError`` if the file cannot be written, or is not a regular file.
    public static func write(_ contents: [UInt8], to path: String) throws(CookieFileError) {
        let target = BoundedFile.resolved(path)
        guard !BoundedFile.exists(target) || FileIdentity(path: target) != nil else {
            throw CookieFileError(path: path, reason: .notRegularFile)
        }
        do {
            try ExclusiveFile.replace(target, with: contents)
        } catch {
            throw CookieFileError(path: path, reason: .system(error.rawValue))
        }
    }
}

/// An error for a file of cookies that cannot be written.
public struct CookieFileError: Error, Sendable, Hashable {
    /// The kind of an error.
    public enum Reason: Sendable, Hashable {
        /// The operating system reports an error, with its `errno`.
        case system(Int32)
        /// The path is not a regular file but, for example, a folder, a device or a pipe.
        case notRegularFile
    }

    /// The path as the caller passed it.
    public let path: String
    /// The kind of the error.
    public let reason: Reason
}

extension CookieFileError: CustomStringConvertible {
    /// The path and the reason in words.
    public var description: String {
        switch self.reason {
        case .system(let code): "cannot write \(self.path): \(String(cString: strerror(code)))"
        case .notRegularFile: "\(self.path) is not a regular file: give a file, not a folder, a pipe or a device"
        }
    }
}
