//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
package import Musl
#elseif canImport(Darwin)
package import Darwin
#endif

/// An open file, pipe, or terminal. NIOCore has a protocol of the name that swift-system gives it.
package typealias Descriptor = FileDescriptor

/// An error of the operating system.
package typealias SystemError = Errno

extension SystemError {
    /// Whether the reader is gone.
    package var isBrokenPipe: Bool { self == .brokenPipe }

    /// Calls swift-system, which throws nothing else but does not say so in its types, or an encoder, whose errors are those of
    /// the output: a result that cannot be written is never left out in silence.
    static func only<Value>(_ body: () throws -> Value) throws(SystemError) -> Value {
        do {
            return try body()
        } catch {
            throw error as? SystemError ?? .ioError
        }
    }
}

// MARK: - Opening

extension Descriptor {
    /// Opens a file to be read from its beginning.
    package static func reading(_ path: String) throws(SystemError) -> Descriptor {
        try SystemError.only { try .open(path, .readOnly, options: [.closeOnExec, Self.noTerminal]) }
    }

    /// Opens a file to be written on at its end. What an existing one has in it stays: whether it may go is to be found out
    /// before it goes.
    static func writing(_ path: String) throws(SystemError) -> Descriptor {
        try SystemError.only {
            // A pipe that was open for reading, too, would never say that its reader has gone away; and without a reader
            // opening is an error (ENXIO) and does not wait.
            if Self.isPipe(path) {
                return try .open(path, .writeOnly, options: [.append, .nonBlocking, .closeOnExec])
            }
            return try .open(
                path, .readWrite, options: [.create, .append, .closeOnExec, Self.noTerminal],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        }
    }

    /// Whether a path leads to a named pipe: opening one waits for the other end.
    static func isPipe(_ path: String) -> Bool { NamedPipe.isAt(path) }

    /// A terminal that is opened does not become the one that controls the process.
    private static let noTerminal = OpenOptions(rawValue: O_NOCTTY)

    /// A file without a name, which goes when it is closed.
    package static func temporary() throws(SystemError) -> Descriptor {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var name = Array("\(folder)/servertrust-XXXXXX".utf8CString)
        let number = mkstemp(&name)
        guard number >= 0 else { throw SystemError(rawValue: errno) }
        unlink(name)
        return Descriptor(rawValue: number)
    }
}

/// Apart from descriptors, which have a `stat` of their own.
private enum NamedPipe {
    static func isAt(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}

// MARK: - Files

extension Descriptor {
    /// Whether it is a terminal.
    package var isTerminal: Bool { isatty(self.rawValue) == 1 }

    /// The columns of the terminal; `nil` when it is no terminal, or does not know.
    package var terminalWidth: Int? {
        var size = winsize()
        guard self.isTerminal, ioctl(self.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Goes back to the beginning of a file.
    package func rewind() { _ = try? self.seek(offset: 0, from: .start) }

    /// The bytes of a file; `nil` for pipes and terminals, which do not have a size.
    var size: Int? {
        guard let position = try? self.seek(offset: 0, from: .current),
            let end = try? self.seek(offset: 0, from: .end),
            (try? self.seek(offset: position, from: .start)) == position
        else { return nil }
        return Int(end)
    }

    /// Shortens a file.
    func truncate(to size: Int) throws(SystemError) {
        try SystemError.only { try self.resize(to: Int64(size)) }
    }

    /// Which file it is; `nil` for pipes, terminals and devices.
    var identity: FileIdentity? { FileIdentity(descriptor: self.rawValue) }

    /// Takes everything out of a file; pipes and devices do not keep anything that could be taken out.
    func empty() throws(SystemError) {
        if self.identity != nil { try self.truncate(to: 0) }
    }

    /// Claims a file for this process alone. Pipes and devices may be shared.
    ///
    /// - Returns: Whether no other process has claimed it.
    func claim() -> Bool {
        self.identity == nil || flock(self.rawValue, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }
}

// MARK: - Reading and writing

extension Descriptor {
    /// Reads the bytes that are there, and waits for some if there are none; nothing at the end.
    package func read(_ count: Int, at offset: Int? = nil) throws(SystemError) -> [UInt8] {
        while true {
            do {
                return try SystemError.only { try self.readOnce(count, at: offset) }
            } catch .resourceTemporarilyUnavailable {
                _ = Self.waitForInput([self])
            }
        }
    }

    private func readOnce(_ count: Int, at offset: Int?) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            initialized =
                if let offset { try self.read(fromAbsoluteOffset: Int64(offset), into: bytes) } else {
                    try self.read(into: bytes)
                }
        }
    }

    /// Writes everything, with one call where the system takes it.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            do {
                let count = try SystemError.only { try rest.withUnsafeBytes { try self.write($0) } }
                rest = rest.dropFirst(count)
            } catch .resourceTemporarilyUnavailable {
                _ = Self.wait(for: [(self, Int16(POLLOUT))])
            }
        }
    }

    /// Waits until one of several is ready.
    ///
    /// - Returns: For each whether it is.
    private static func wait(for descriptors: [(Descriptor, Int16)]) -> [Bool] {
        var polled = descriptors.map { pollfd(fd: $0.0.rawValue, events: $0.1, revents: 0) }
        while poll(&polled, nfds_t(polled.count), -1) < 0, errno == EINTR {}
        return polled.map { $0.revents != 0 }
    }

    /// Waits until there is something to read.
    static func waitForInput(_ descriptors: [Descriptor]) -> [Bool] {
        Self.wait(for: descriptors.map { ($0, Int16(POLLIN)) })
    }

    /// A pipe.
    static func makePipe() throws(SystemError) -> (readEnd: Descriptor, writeEnd: Descriptor) {
        try SystemError.only { try Self.pipe() }
    }
}

/// A file that is closed when it is not needed any more.
final class SharedFile: Sendable {
    let descriptor: Descriptor

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    deinit { try? self.descriptor.close() }
}
