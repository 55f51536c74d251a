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

/// Whether a terminal shows what is typed. A process that ends must not leave it hidden: the shell may not turn it on again.
final class TerminalEcho: Sendable {
    private struct State {
        /// The terminal without echo, and what it was set to before.
        var hidden: (file: CInt, before: termios)?
        var isKept = false
    }

    /// That of the terminal that the process was started from.
    static let ofProcess = TerminalEcho()

    private let state = Mutex(State())

    /// Whether no terminal is set to hide what is typed from now on.
    var isKept: Bool { self.state.withLock { $0.isKept } }

    /// Has a terminal hide what is typed while something is read.
    ///
    /// - Returns: What was read; `nil` for what is no terminal, and once ``keep()`` was called.
    func off(_ file: SystemPackage.FileDescriptor, _ read: () throws -> String?) rethrows -> String? {
        guard self.hide(file.rawValue) else { return nil }
        // A process that goes on after a stop finds the terminal as the shell left it, which shows what is typed.
        let stop = signal(SIGTSTP, SIG_IGN)
        defer {
            self.show()
            _ = signal(SIGTSTP, stop)
        }
        return try read()
    }

    /// Has the terminal show what is typed again, for good.
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
            // What was typed before the question is no answer.
            guard tcsetattr(file, TCSAFLUSH, &after) == 0 else { return false }
            state.hidden = (file, before)
            return true
        }
    }

    private func show() {
        self.state.withLock { state in
            guard var hidden = state.hidden else { return }
            // At once: output that is held back (^S) must not hold the end of the process back.
            tcsetattr(hidden.file, TCSANOW, &hidden.before)
            // What was typed of a password is no command of the shell.
            tcflush(hidden.file, TCIFLUSH)
            state.hidden = nil
        }
    }
}
