//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrustNIO
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file of a download, with its partial file and the state that identifies the content.
struct DownloadFile {
    private let path: String
    private let part: SystemPackage.FileDescriptor
    private(set) var size: Int

    private var partPath: String { "\(self.path).part" }

    /// Opens and locks the files of a download.
    ///
    /// - Throws: `Errno`, which is `wouldBlock` if another download has locked them.
    init(_ path: String) throws {
        self.path = path
        self.part = try SystemPackage.FileDescriptor.open(
            "\(path).part", .readWrite, options: [.create, .noFollow, .closeOnExec, .nonBlocking],
            permissions: FilePermissions(rawValue: 0o666))
        do {
            guard flock(self.part.rawValue, LOCK_EX | LOCK_NB) == 0 else { throw Errno(rawValue: errno) }
            self.size = Int(try self.part.seek(offset: 0, from: .end))
        } catch {
            try? self.part.close()
            throw error
        }
    }

    func close() { try? self.part.close() }

    /// Returns the state of the partial file, or `nil` if there is none or it belongs to another URL.
    func state(for url: HTTPURL) -> HTTPDownloadState? {
        guard self.size > 0, let state = HTTPDownloadState(besides: self.path), state.url == "\(url)",
            self.size <= state.size ?? .max
        else { return nil }
        return state
    }

    /// Starts again with new content.
    ///
    /// - Parameter state: The state that identifies the content, or `nil` if the content cannot be identified.
    mutating func begin(_ state: HTTPDownloadState?) throws {
        // The state is removed first, so that a partial file is never combined with the state of other content.
        self.removeState()
        guard ftruncate(self.part.rawValue, 0) == 0 else { throw Errno(rawValue: errno) }
        try self.part.seek(offset: 0, from: .start)
        self.size = 0
        try state?.write(besides: self.path)
    }

    mutating func append(_ octets: ByteBuffer) throws {
        try self.part.writeAll(octets.readableBytesView)
        self.size += octets.readableBytes
    }

    /// Replaces the file with the partial file.
    func finish() throws {
        guard fsync(self.part.rawValue) == 0, rename(self.partPath, self.path) == 0 else {
            throw Errno(rawValue: errno)
        }
        self.removeState()
    }

    private func removeState() { unlink(HTTPDownloadState.path(besides: self.path)) }
}
