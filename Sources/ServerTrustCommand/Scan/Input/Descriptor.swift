//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An error of the operating system.
struct SystemError: Error, Equatable, CustomStringConvertible {
    let code: Int32

    /// The last one.
    static var last: SystemError { SystemError(code: errno) }
    /// Whether the reader is gone.
    var isBrokenPipe: Bool { self.code == EPIPE }
    var description: String { String(cString: strerror(self.code)) }
}

/// An open file, pipe, or terminal; closed by whoever opened it.
struct Descriptor: Sendable {
    let number: Int32

    static let standardInput = Descriptor(number: STDIN_FILENO)
    static let standardOutput = Descriptor(number: STDOUT_FILENO)
    static let standardError = Descriptor(number: STDERR_FILENO)

    /// Opens a file to be read from its beginning.
    static func reading(_ path: String) throws(SystemError) -> Descriptor {
        try Self.opened(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY))
    }

    /// Opens a file to be written on at its end. What an existing one has in it stays: whether it may go is to be found out
    /// before it goes.
    static func writing(_ path: String) throws(SystemError) -> Descriptor {
        try Self.opened(open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_APPEND, 0o644))
    }

    /// A file without a name, which goes when it is closed.
    static func temporary() throws(SystemError) -> Descriptor {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var name = Array("\(folder)/servertrust-XXXXXX".utf8CString)
        let file = try Self.opened(mkstemp(&name))
        unlink(name)
        return file
    }

    /// Goes back to the beginning of a file.
    func rewind() { lseek(self.number, 0, SEEK_SET) }

    private static func opened(_ number: Int32) throws(SystemError) -> Descriptor {
        guard number >= 0 else { throw .last }
        return Descriptor(number: number)
    }

    func close() { _ = Self.close(self.number) }

    /// Whether it is a terminal.
    var isTerminal: Bool { isatty(self.number) == 1 }

    /// The bytes of a file; `nil` for pipes and terminals, of which nobody knows.
    var size: Int? {
        let position = lseek(self.number, 0, SEEK_CUR)
        guard position >= 0 else { return nil }
        let end = lseek(self.number, 0, SEEK_END)
        guard lseek(self.number, position, SEEK_SET) == position else { return nil }
        return Int(end)
    }

    /// Shortens a file.
    func truncate(to size: Int) throws(SystemError) {
        guard ftruncate(self.number, off_t(size)) == 0 else { throw .last }
    }

    /// Which file it is; `nil` for pipes, terminals and devices.
    var identity: FileIdentity? { FileIdentity(descriptor: self.number) }

    /// Takes everything out of a file; pipes and devices have nothing that could be taken out.
    func empty() throws(SystemError) {
        if self.identity != nil { try self.truncate(to: 0) }
    }

    /// Claims a file for this process alone. Pipes and devices are everybody's.
    ///
    /// - Returns: Whether nobody else has it.
    func claim() -> Bool {
        self.identity == nil || flock(self.number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }
}

// MARK: - Reading and writing

extension Descriptor {
    /// Reads what there is; nothing at the end.
    func read(_ count: Int, at offset: Int? = nil) throws(SystemError) -> [UInt8] {
        while true {
            var result = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                result =
                    if let offset { pread(self.number, buffer.baseAddress, count, off_t(offset)) } else {
                        Self.read(self.number, buffer.baseAddress, count)
                    }
                initialized = max(0, result)
            }
            if result >= 0 { return bytes }
            try self.wait(after: errno, for: Int16(POLLIN))
        }
    }

    /// Writes everything, with one call where the system takes it.
    func write(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.write(self.number, $0.baseAddress, $0.count) }
            if count >= 0 { rest = rest.dropFirst(count) } else { try self.wait(after: errno, for: Int16(POLLOUT)) }
        }
    }

    private func wait(after code: Int32, for events: Int16) throws(SystemError) {
        guard code == EAGAIN || code == EINTR else { throw SystemError(code: code) }
        if code == EAGAIN { _ = Self.wait(for: [(self, events)]) }
    }

    /// Waits until one of several is ready.
    ///
    /// - Returns: For each whether it is.
    static func wait(for descriptors: [(Descriptor, Int16)]) -> [Bool] {
        var polled = descriptors.map { pollfd(fd: $0.0.number, events: $0.1, revents: 0) }
        while poll(&polled, nfds_t(polled.count), -1) < 0, errno == EINTR {}
        return polled.map { $0.revents != 0 }
    }

    /// Waits until there is something to read.
    static func waitForInput(_ descriptors: [Descriptor]) -> [Bool] {
        Self.wait(for: descriptors.map { ($0, Int16(POLLIN)) })
    }

    /// A pipe.
    static func pipe() throws(SystemError) -> (reading: Descriptor, writing: Descriptor) {
        var ends: [Int32] = [0, 0]
        #if canImport(Glibc)
        guard Glibc.pipe(&ends) == 0 else { throw .last }
        #elseif canImport(Musl)
        guard Musl.pipe(&ends) == 0 else { throw .last }
        #else
        guard Darwin.pipe(&ends) == 0 else { throw .last }
        #endif
        return (Descriptor(number: ends[0]), Descriptor(number: ends[1]))
    }
}

// Inside the type these names mean its own.
extension Descriptor {
    #if canImport(Glibc)
    private static func read(_ number: Int32, _ to: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
        Glibc.read(number, to, count)
    }
    private static func write(_ number: Int32, _ from: UnsafeRawPointer?, _ count: Int) -> Int {
        Glibc.write(number, from, count)
    }
    private static func close(_ number: Int32) -> Int32 { Glibc.close(number) }
    #elseif canImport(Musl)
    private static func read(_ number: Int32, _ to: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
        Musl.read(number, to, count)
    }
    private static func write(_ number: Int32, _ from: UnsafeRawPointer?, _ count: Int) -> Int {
        Musl.write(number, from, count)
    }
    private static func close(_ number: Int32) -> Int32 { Musl.close(number) }
    #else
    private static func read(_ number: Int32, _ to: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
        Darwin.read(number, to, count)
    }
    private static func write(_ number: Int32, _ from: UnsafeRawPointer?, _ count: Int) -> Int {
        Darwin.write(number, from, count)
    }
    private static func close(_ number: Int32) -> Int32 { Darwin.close(number) }
    #endif
}

/// A file that is closed when nobody needs it any more.
final class SharedFile: Sendable {
    let descriptor: Descriptor

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    deinit { self.descriptor.close() }
}
