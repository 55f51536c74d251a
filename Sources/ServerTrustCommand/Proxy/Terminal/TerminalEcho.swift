//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The echo of a terminal. A process must turn it on again before it ends, because the shell may not do so.
final class TerminalEcho: Sendable {
    private struct State {
        /// The terminal without echo, and its previous settings.
        var hidden: (file: CInt, before: termios)?
        var isKept = false
    }

    /// The echo of the controlling terminal.
    static let ofProcess = TerminalEcho()

    private let state = Mutex(State())

    /// `true` if the echo is never turned off again.
    var isKept: Bool { self.state.withLock { $0.isKept } }

    /// Turns the echo off during a read.
    ///
    /// - Returns: The result of `read`, or `nil` if the file is not a terminal or after ``keep()``.
    func off(_ file: SystemPackage.FileDescriptor, _ read: () throws -> String?) rethrows -> String? {
        guard self.hide(file.rawValue) else { return nil }
        // After a stop, the process would find the terminal as the shell left it, with the echo turned on.
        let stop = signal(SIGTSTP, SIG_IGN)
        defer {
            self.show()
            _ = signal(SIGTSTP, stop)
        }
        return try read()
    }

    /// Turns the echo on again, permanently.
    func keep() {
        self.state.withLock { $0.isKept = true }
        self.show()
    }

    private func hide(_ file: CInt) -> Bool {
        self.state.withLock { state in
            var before = termios()
            guard !state.isKept, state.hidden == nil, tcgetattr(file, &before) == 0 else { return false }
            var after = before
            after.c_lflag &= ~tcflag_t(ECHO)
            after.c_lflag |= tcflag_t(ECHONL)
            // Input that was typed before the question is not an answer.
            guard tcsetattr(file, TCSAFLUSH, &after) == 0 else { return false }
            state.hidden = (file, before)
            return true
        }
    }

    private func show() {
        self.state.withLock { state in
            guard var hidden = state.hidden else { return }
            // Without a delay: output that is held back (^S) must not block the end of the process.
            tcsetattr(hidden.file, TCSANOW, &hidden.before)
            // A partially typed password must not become a command of the shell.
            tcflush(hidden.file, TCIFLUSH)
            state.hidden = nil
        }
    }
}
