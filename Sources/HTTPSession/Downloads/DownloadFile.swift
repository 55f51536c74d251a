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

/// The file of a download, the part of it that is there, and what says which content that is.
struct DownloadFile {
    private let path: String
    private let part: SystemPackage.FileDescriptor
    private(set) var size: Int

    private var partPath: String { "\(self.path).part" }

    /// Claims the files of a download.
    ///
    /// - Throws: `Errno`; `wouldBlock` where another download has claimed them.
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

    /// The state that says which content the part is of; `nil` where that is not known, or it is of another URL.
    func state(for url: HTTPURL) -> HTTPDownloadState? {
        guard self.size > 0, let state = HTTPDownloadState(besides: self.path), state.url == "\(url)",
            self.size <= state.size ?? .max
        else { return nil }
        return state
    }

    /// Begins again with another content.
    ///
    /// - Parameter state: What it can be told by; `nil` where nothing says so.
    mutating func begin(_ state: HTTPDownloadState?) throws {
        // Never is a part beside the state of another.
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

    /// Puts the part in the place of the file.
    func finish() throws {
        guard fsync(self.part.rawValue) == 0, rename(self.partPath, self.path) == 0 else {
            throw Errno(rawValue: errno)
        }
        self.removeState()
    }

    private func removeState() { unlink(HTTPDownloadState.path(besides: self.path)) }
}
