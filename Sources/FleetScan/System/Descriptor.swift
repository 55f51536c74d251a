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

/// An open file, pipe, or terminal. NIOCore has a protocol with the same name as swift-system's `FileDescriptor`.
package typealias Descriptor = FileDescriptor

/// An error of the operating system.
package typealias SystemError = Errno

extension SystemError {
    package var isBrokenPipe: Bool { self == .brokenPipe }

    /// Calls a closure that throws only errors of swift-system or of an encoder.
    ///
    /// swift-system does not declare its errors in its types. An error of an encoder becomes an I/O error, so that a result that
    /// cannot be written is never omitted silently.
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
    package static func reading(_ path: String) throws(SystemError) -> Descriptor {
        try SystemError.only { try .open(path, .readOnly, options: [.closeOnExec, Self.noTerminal]) }
    }

    /// Opens a file for appending and creates it if necessary. Existing contents are kept until the caller has checked them.
    static func writing(_ path: String) throws(SystemError) -> Descriptor {
        try SystemError.only {
            // A pipe opened for reading as well would hide that its reader has closed it. With `nonBlocking`, a pipe without a
            // reader is an error (ENXIO) instead of a wait.
            if Self.isPipe(path) {
                return try .open(path, .writeOnly, options: [.append, .nonBlocking, .closeOnExec])
            }
            return try .open(
                path, .readWrite, options: [.create, .append, .closeOnExec, Self.noTerminal],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        }
    }

    /// Returns `true` if a path is a named pipe, which blocks on opening until the other end is open.
    static func isPipe(_ path: String) -> Bool { NamedPipe.isAt(path) }

    /// The option that keeps an opened terminal from becoming the controlling terminal of the process.
    private static let noTerminal = OpenOptions(rawValue: O_NOCTTY)

    /// Creates a file without a name. The system deletes it when it is closed.
    package static func temporary() throws(SystemError) -> Descriptor {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var name = Array("\(folder)/servertrust-XXXXXX".utf8CString)
        let number = mkstemp(&name)
        guard number >= 0 else { throw SystemError(rawValue: errno) }
        unlink(name)
        return Descriptor(rawValue: number)
    }
}

/// A test for named pipes, outside of `Descriptor` because that has a method named `stat`.
private enum NamedPipe {
    static func isAt(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}

// MARK: - Files

extension Descriptor {
    package var isTerminal: Bool { isatty(self.rawValue) == 1 }

    /// The number of columns of the terminal, or `nil` if it is unknown or the descriptor is not a terminal.
    package var terminalWidth: Int? {
        var size = winsize()
        guard self.isTerminal, ioctl(self.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    package func rewind() { _ = try? self.seek(offset: 0, from: .start) }

    /// The size of a file in bytes, or `nil` for pipes and terminals.
    var size: Int? {
        guard let position = try? self.seek(offset: 0, from: .current),
            let end = try? self.seek(offset: 0, from: .end),
            (try? self.seek(offset: position, from: .start)) == position
        else { return nil }
        return Int(end)
    }

    func truncate(to size: Int) throws(SystemError) {
        try SystemError.only { try self.resize(to: Int64(size)) }
    }

    /// The identity of the file, or `nil` for pipes, terminals and devices.
    var identity: FileIdentity? { FileIdentity(descriptor: self.rawValue) }

    /// Empties a file. Pipes and devices are left as they are.
    func empty() throws(SystemError) {
        if self.identity != nil { try self.truncate(to: 0) }
    }

    /// Locks a file for this process. Pipes and devices may be shared.
    ///
    /// - Returns: `false` if another process has locked the file.
    func claim() -> Bool {
        self.identity == nil || flock(self.rawValue, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }
}

// MARK: - Reading and writing

extension Descriptor {
    /// Reads available bytes, and waits for some if there are none. Returns an empty array at the end.
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

    /// Writes all bytes, with one call if the system accepts them.
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

    /// Waits until at least one descriptor is ready.
    ///
    /// - Returns: For each descriptor, `true` if it is ready.
    private static func wait(for descriptors: [(Descriptor, Int16)]) -> [Bool] {
        var polled = descriptors.map { pollfd(fd: $0.0.rawValue, events: $0.1, revents: 0) }
        while poll(&polled, nfds_t(polled.count), -1) < 0, errno == EINTR {}
        return polled.map { $0.revents != 0 }
    }

    static func waitForInput(_ descriptors: [Descriptor]) -> [Bool] {
        Self.wait(for: descriptors.map { ($0, Int16(POLLIN)) })
    }

    static func makePipe() throws(SystemError) -> (readEnd: Descriptor, writeEnd: Descriptor) {
        try SystemError.only { try Self.pipe() }
    }
}

/// A file that is closed when its last reference is released.
final class SharedFile: Sendable {
    let descriptor: Descriptor

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    deinit { try? self.descriptor.close() }
}
