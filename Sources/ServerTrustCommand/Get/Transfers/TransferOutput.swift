//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import SystemPackage

/// Where the content of a response goes: standard output, or a file that is opened when there is something to write.
struct TransferOutput {
    private let path: String?
    private let appends: Bool
    private let standardOutput: ([UInt8]) throws -> Bool
    private var file: FileDescriptor?

    /// - Parameters:
    ///   - path: The file; `nil` or `-` for standard output.
    ///   - appends: Whether what is there stays.
    ///   - standardOutput: Writes to standard output; `false` where no reader is left.
    init(_ path: String?, appends: Bool, standardOutput: @escaping ([UInt8]) throws -> Bool) throws {
        self.path = path == "-" ? nil : path
        self.appends = appends
        self.standardOutput = standardOutput
    }

    /// The size of a file; `nil` for a file that is not there.
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

    /// A file comes about without content, too.
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
