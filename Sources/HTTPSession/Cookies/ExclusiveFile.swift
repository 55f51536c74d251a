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

/// A small file for its owner alone, such as one of cookies.
package enum ExclusiveFile {
    /// Replaces a file as a whole (mode 0600). A crash at any moment leaves the old contents or the new ones.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - contents: The octets.
    /// - Throws: What the operating system says.
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
            // The process may have a mask that takes the owner's permissions away.
            guard fchmod(file.rawValue, 0o600) == 0 else { throw Errno(rawValue: errno) }
            try file.writeAll(contents)
            guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
        }
    }
}
