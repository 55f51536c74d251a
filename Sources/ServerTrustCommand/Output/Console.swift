//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The two streams a command writes to.
enum Console {
    /// Writes to standard output, whole and at once.
    ///
    /// A reader that has gone away, as `head` does, is no error: the exit code still tells the verdict.
    ///
    /// - Returns: Whether there is a reader.
    /// - Throws: ``CommandError`` when the output cannot be written, for example to a full disk.
    @discardableResult
    static func write(_ text: String) throws -> Bool { try Self.write(Array(text.utf8)) }

    /// Writes bytes to standard output as ``write(_:)-(String)`` writes text.
    @discardableResult
    static func write(_ bytes: [UInt8]) throws -> Bool {
        let code = Self.write(bytes, to: STDOUT_FILENO)
        guard code == 0 || code == EPIPE else {
            throw CommandError("cannot write the output: \(String(cString: strerror(code)))")
        }
        return code == 0
    }

    /// Reads what standard input has ready, and waits for something if it has nothing.
    ///
    /// - Returns: The bytes; none at the end.
    /// - Throws: ``CommandError`` when the input cannot be read.
    static func read() throws -> [UInt8] {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.readSize) { buffer, initialized in
                count = Self.readOnce(STDIN_FILENO, UnsafeMutableRawBufferPointer(buffer))
                initialized = max(0, count)
            }
            if count >= 0 { return bytes }
            guard errno == EINTR else {
                throw CommandError("cannot read the input: \(String(cString: strerror(errno)))")
            }
        }
    }

    private static let readSize = 1 << 16

    /// Writes one line to standard error, with the program's name in front.
    static func complain(_ message: String) {
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        // Where even this cannot be written, nobody can be told.
        _ = Self.write(Array("servertrust: \(PrintableText.text(line))\n".utf8), to: STDERR_FILENO)
    }

    /// Writes text to standard error as it is.
    static func say(_ text: String) { _ = Self.write(Array(text.utf8), to: STDERR_FILENO) }

    /// Whether standard output is a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The columns of the terminal; `nil` when standard output is none or does not know.
    static var terminalWidth: Int? { Self.width(of: STDOUT_FILENO) }

    /// The columns of the terminal that standard error is.
    static var errorWidth: Int? { Self.width(of: STDERR_FILENO) }

    private static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }

    /// Writes everything; returns 0 or an `errno`.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.writeOnce(descriptor, $0) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&ready, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    private static func writeOnce(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    private static func readOnce(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.read(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.read(descriptor, bytes.baseAddress, bytes.count)
        #else
        Darwin.read(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
