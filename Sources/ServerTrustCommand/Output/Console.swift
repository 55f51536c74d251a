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
    /// - Throws: ``CommandError`` when the output cannot be written, for example to a full disk.
    static func write(_ text: String) throws {
        let code = Self.write(text, to: STDOUT_FILENO)
        guard code == 0 || code == EPIPE else {
            throw CommandError("cannot write the output: \(String(cString: strerror(code)))")
        }
    }

    /// Writes one line to standard error, with the program's name in front.
    static func complain(_ message: String) {
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        // Where even this cannot be written, nobody can be told.
        _ = Self.write("servertrust: \(PrintableText.text(line))\n", to: STDERR_FILENO)
    }

    /// Whether standard output is a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The columns of the terminal; `nil` when standard output is none or does not know.
    static var terminalWidth: Int? {
        var size = winsize()
        guard Self.isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes everything; returns 0 or an `errno`.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var rest = Array(text.utf8)[...]
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
}
