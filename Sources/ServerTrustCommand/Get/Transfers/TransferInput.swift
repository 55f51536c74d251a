//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import NIOCore
import ServerTrust
import SystemPackage

/// The content of a request from files and standard input.
enum TransferInput {
    private static let chunkSize = 256 << 10
    private static let smallSize = 1 << 20
    /// The most bytes that are kept in memory, such as forms and fields.
    private static let maximumSize = 256 << 20

    /// Returns `true` if a file of --upload-file is standard input. curl reads the period without blocking. Here the response is
    /// always read in parallel with the request.
    static func isStandardInput(_ path: String) -> Bool { path == "-" || path == "." }

    /// Reads the bytes of a file. `-` is standard input.
    ///
    /// - Throws: ``CommandError`` if the file cannot be read.
    static func octets(of path: String) throws(CommandError) -> [UInt8] {
        do {
            let (file, isOwn) = try Self.open(path)
            defer { if isOwn { try? file.close() } }
            var octets: [UInt8] = []
            while let chunk = try Self.read(file) {
                octets += chunk
                guard octets.count <= Self.maximumSize else {
                    throw CommandError("'\(path)' is too large to be sent so. Use --upload-file")
                }
            }
            return octets
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError("cannot read '\(path)': \(error)")
        }
    }

    /// Returns the content of a file of --upload-file, from an offset on. The length of standard input is not known.
    ///
    /// - Throws: ``CommandError`` if the file cannot be read.
    static func body(_ path: String, from offset: Int = 0, length given: Int? = nil) throws(CommandError) -> (
        HTTPRequestBody, size: Int?
    ) {
        guard !Self.isStandardInput(path) else {
            return (try Self.pipe(.standardInput, from: offset, length: given), nil)
        }
        do {
            let file = try SystemPackage.FileDescriptor.open(FilePath(path), .readOnly)
            guard let end = try Self.end(of: file) else {
                return (try Self.pipe(file, from: offset, length: given), nil)
            }
            defer { try? file.close() }
            let size = Int(end)
            guard size < Int.max else { throw CommandError("'\(path)' is a folder. Name a file") }
            guard offset <= size else {
                throw CommandError("'\(path)' has \(size) bytes, and nothing behind \(offset)")
            }
            if size - offset <= Self.smallSize {
                // A small file is read into memory, so that a digest can cover it.
                try file.seek(offset: Int64(offset), from: .start)
                var octets: [UInt8] = []
                while let chunk = try Self.read(file) {
                    octets += chunk
                    guard octets.count <= Self.smallSize else {
                        throw CommandError(
                            "'\(path)' has more bytes than it says. Send it by standard input, with --upload-file -")
                    }
                }
                return (.octets(ByteBuffer(bytes: octets)), size)
            }
            return (.file(path, from: offset, length: given ?? size - offset), size)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError("cannot read '\(path)': \(error)")
        }
    }

    /// Returns the size of a file, or `nil` for a pipe.
    private static func end(of file: SystemPackage.FileDescriptor) throws -> Int64? {
        do {
            return try file.seek(offset: 0, from: .end)
        } catch Errno.illegalSeek {
            return nil
        } catch {
            try? file.close()
            throw error
        }
    }

    /// Returns a body that can be read only once, as its content arrives. The file is closed when the process ends.
    private static func pipe(
        _ file: SystemPackage.FileDescriptor, from offset: Int, length: Int?
    ) throws(CommandError) -> HTTPRequestBody {
        guard offset == 0 else {
            throw CommandError("--continue-at is about files, and the content comes through a pipe")
        }
        return .stream(length: length, isReplayable: false) {
            HTTPRequestBody.Octets {
                try await BlockingInput.read { try Self.read(file).map { ByteBuffer(bytes: $0) } }
            }
        }
    }

    private static func open(_ path: String) throws -> (file: SystemPackage.FileDescriptor, isOwn: Bool) {
        path == "-" ? (.standardInput, false) : (try SystemPackage.FileDescriptor.open(FilePath(path), .readOnly), true)
    }

    private static func read(_ file: SystemPackage.FileDescriptor) throws -> [UInt8]? {
        let octets = try [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, count in
            count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        return octets.isEmpty ? nil : octets
    }
}
