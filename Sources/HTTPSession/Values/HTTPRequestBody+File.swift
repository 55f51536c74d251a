//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import SystemPackage

extension HTTPRequestBody {
    /// Returns the content of a file. The file is read while it is sent, and again for each repetition.
    ///
    /// - Parameter path: The path of the file. Its size is determined now. If the size has changed when the file is sent,
    ///   the request fails.
    /// - Throws: ``HTTPSessionError`` if the file does not exist, or is a folder or a pipe.
    public static func file(_ path: String) throws(HTTPSessionError) -> HTTPRequestBody {
        do {
            let file = try SystemPackage.FileDescriptor.open(
                FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
            defer { try? file.close() }
            let size = try file.seek(offset: 0, from: .end)
            // The end of a folder is the largest number. Some folders fail only when they are read.
            guard let length = Int(exactly: size), length < Int.max else { throw Errno.isDirectory }
            return .file(path, from: 0, length: length)
        } catch {
            throw HTTPSessionError(
                .file, .cannotOpenFile, url: nil, reason: "'\(path)' cannot be read: \(error)".asSentence,
                remedy: "Name a file that is there, or give what comes through a pipe as a stream.", cause: error)
        }
    }

    /// Returns the content of a part of a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - offset: The offset of the part in octets.
    ///   - length: The size of the part in octets.
    package static func file(_ path: String, from offset: Int, length: Int) -> HTTPRequestBody {
        .stream(length: length, isReplayable: true) {
            let reader = FileReader(path, offset)
            return Octets { try reader.next() }
        }
    }

    /// A reader that opens a file on the first read. Only one task may use it.
    private final class FileReader: @unchecked Sendable {
        private let path: String
        private let offset: Int
        private var file: SystemPackage.FileDescriptor?

        init(_ path: String, _ offset: Int) { (self.path, self.offset) = (path, offset) }

        deinit { try? self.file?.close() }

        func next() throws -> ByteBuffer? {
            let file = try self.file ?? .open(FilePath(self.path), .readOnly, options: .closeOnExec)
            if self.file == nil { try file.seek(offset: Int64(self.offset), from: .start) }
            self.file = file
            var buffer = ByteBuffer()
            try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.chunkSize) {
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0.prefix(Self.chunkSize)))
            }
            return buffer.readableBytes > 0 ? buffer : nil
        }

        private static let chunkSize = 64 << 10
    }
}
