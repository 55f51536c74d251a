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

/// A file of cookies, in the format of ``NetscapeCookieText``.
public enum CookieFile {
    /// Reads a file.
    ///
    /// - Parameter path: The file.
    /// - Returns: Its octets; `nil` when nothing is there.
    /// - Throws: ``FileError`` when it cannot be read.
    public static func read(_ path: String) throws(FileError) -> [UInt8]? {
        do {
            return try BoundedFile.read(path)
        } catch {
            guard error.reason == .system(ENOENT) else { throw error }
            return nil
        }
    }

    /// Replaces a file as a whole, for its owner alone (mode 0600). A crash at any moment leaves the old contents or the new ones.
    ///
    /// - Parameters:
    ///   - contents: The octets.
    ///   - path: The file. A symbolic link is followed.
    /// - Throws: ``CookieFileError``. Nothing but a regular file is replaced.
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

/// A file of cookies that cannot be written.
public struct CookieFileError: Error, Sendable, Hashable {
    /// Why.
    public enum Reason: Sendable, Hashable {
        /// The operating system refused, with its `errno`.
        case system(Int32)
        /// A folder, a device or a pipe stands where a file is expected.
        case notRegularFile
    }

    /// The path as it was given.
    public let path: String
    /// Why.
    public let reason: Reason
}

extension CookieFileError: CustomStringConvertible {
    /// The path and the reason, for a person.
    public var description: String {
        switch self.reason {
        case .system(let code): "cannot write \(self.path): \(String(cString: strerror(code)))"
        case .notRegularFile: "\(self.path) is not a regular file: give a file, not a folder, a pipe or a device"
        }
    }
}
