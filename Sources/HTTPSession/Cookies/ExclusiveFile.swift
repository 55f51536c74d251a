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

/// A small file that only its owner can access, such as a file of cookies.
package enum ExclusiveFile {
    /// Replaces a file atomically (mode 0600). A crash leaves either the old or the new contents.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - contents: The octets to write.
    /// - Throws: The error of the operating system.
    package static func replace(_ path: String, with contents: [UInt8]) throws(Errno) {
        var generator = SystemRandomNumberGenerator()
        let draft = "\(path).\(String(generator.next(), radix: 16)).new"
        do {
            try Self.create(draft, contents)
            guard rename(draft, path) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            unlink(draft)
            throw error as? Errno ?? .ioError
        }
    }

    private static func create(_ path: String, _ contents: [UInt8]) throws {
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
            permissions: [.ownerReadWrite])
        try file.closeAfter {
            // The umask of the process may remove the owner's permissions.
            guard fchmod(file.rawValue, 0o600) == 0 else { throw Errno(rawValue: errno) }
            try file.writeAll(contents)
            guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
        }
    }
}
