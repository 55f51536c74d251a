//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import SystemPackage

/// The output for the content of a response: standard output, or a file that is opened at the first write.
struct TransferOutput {
    private let path: String?
    private let appends: Bool
    private let standardOutput: ([UInt8]) throws -> Bool
    private var file: FileDescriptor?

    /// Creates an output.
    ///
    /// - Parameters:
    ///   - path: The file, or `nil` or `-` for standard output.
    ///   - appends: `true` to keep the current content of the file.
    ///   - standardOutput: Writes to standard output and returns `false` if it is closed.
    init(_ path: String?, appends: Bool, standardOutput: @escaping ([UInt8]) throws -> Bool) throws {
        self.path = path == "-" ? nil : path
        self.appends = appends
        self.standardOutput = standardOutput
    }

    /// Returns the size of a file, or `nil` if it does not exist.
    static func size(of path: String) -> Int? {
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly) else { return nil }
        defer { try? file.close() }
        return (try? file.seek(offset: 0, from: .end)).map { Int($0) }
    }

    mutating func write(_ octets: [UInt8]) throws {
        guard self.path != nil else {
            guard try self.standardOutput(octets) else { throw CommandError("the reader of the output has gone away") }
            return
        }
        do {
            _ = try self.opened().writeAll(octets)
        } catch {
            throw CommandError("cannot write '\(self.path ?? "-")': \(error)")
        }
    }

    /// Creates the file even if there was no content.
    mutating func finish() throws {
        guard self.path != nil else { return }
        do {
            _ = try self.opened()
        } catch {
            throw CommandError("cannot write '\(self.path ?? "-")': \(error)")
        }
    }

    mutating func close() {
        try? self.file?.close()
        self.file = nil
    }

    private mutating func opened() throws -> FileDescriptor {
        if let file { return file }
        let options: FileDescriptor.OpenOptions = self.appends ? [.create, .append] : [.create, .truncate]
        let file = try FileDescriptor.open(
            FilePath(self.path ?? "-"), .writeOnly, options: options, permissions: FilePermissions(rawValue: 0o666))
        self.file = file
        return file
    }
}
