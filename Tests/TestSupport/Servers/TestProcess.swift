//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import Foundation
import Synchronization

/// A program that a test runs, and ends by its own process identifier.
///
/// Foundation's `Process` is not used: where several processes start at once, its `waitUntilExit` was seen to wait forever for one
/// that had ended, and it crashed with more than a thousand open files.
package final class TestProcess: Sendable {
    /// What to run, and where its output goes.
    package struct Settings: Sendable {
        /// The path of the program.
        package var path: String
        /// Its arguments.
        package var arguments: [String]
        /// Variables that it gets besides those of the tests.
        package var environment: [String: String] = [:]
        /// The folder it runs in; `nil` for that of the tests.
        package var folder: String?
        /// Whether it has something to read. Its input ends when ``TestProcess/closeInput()`` is called or it is over;
        /// without it there is nothing to read.
        package var hasInput = false
        /// The file that standard output goes to; `nil` for nowhere.
        package var output: String?
        /// The file that standard error goes to; `nil` for nowhere.
        package var errors: String?

        /// A program that has nothing to read, and whose output is not kept.
        package init(_ path: String, _ arguments: [String]) {
            self.path = path
            self.arguments = arguments
        }
    }

    /// How a program ended.
    package enum Ending: Sendable, Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    private struct State {
        var ending: Ending?
        var input: Int32?
    }

    /// Its process identifier.
    package let identifier: pid_t
    private let state: Mutex<State>

    /// Starts a program.
    package init(_ settings: Settings) throws {
        let (identifier, input) = try Self.start(settings)
        self.identifier = identifier
        self.state = Mutex(State(input: input))
    }

    deinit {
        self.send(SIGKILL)
        self.closeInput()
    }

    /// Whether it has not ended.
    package var isRunning: Bool { self.state.withLock { self.reap(&$0) == nil } }

    /// Sends it a signal, unless it has ended: its identifier may be another's then.
    package func send(_ signal: Int32) {
        self.state.withLock { state in
            if self.reap(&state) == nil { kill(self.identifier, signal) }
        }
    }

    /// Gives it something to read.
    package func write(_ text: String) throws {
        guard let input = self.state.withLock(\.input) else { throw ProcessError(code: EBADF) }
        try FileHandle(fileDescriptor: input).write(contentsOf: Data(text.utf8))
    }

    /// Ends what it reads.
    package func closeInput() {
        let input = self.state.withLock { state in
            defer { state.input = nil }
            return state.input
        }
        if let input { close(input) }
    }

    /// Waits for its end, whether or not the task is cancelled.
    package func ending() async -> Ending {
        while true {
            if let ending = self.state.withLock({ self.reap(&$0) }) { return ending }
            // Cancellation ends the sleep at once.
            if Task.isCancelled { usleep(2_000) }
            try? await Task.sleep(for: .milliseconds(3))
        }
    }

    /// Waits for its end on the thread of the caller, for what has to be known before tests run.
    package func endingBlocking() -> Ending {
        while true {
            if let ending = self.state.withLock({ self.reap(&$0) }) { return ending }
            usleep(3_000)
        }
    }

    /// Ends it at once.
    package func end() async {
        self.send(SIGKILL)
        _ = await self.ending()
        self.closeInput()
    }

    private func reap(_ state: inout State) -> Ending? {
        guard state.ending == nil else { return state.ending }
        var status: Int32 = 0
        guard waitpid(self.identifier, &status, WNOHANG) == self.identifier else { return nil }
        state.ending = status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
        return state.ending
    }
}

/// A program that could not be started or written to.
package struct ProcessError: Error {
    let code: Int32
}

// Of the C library since 2.29 and 2.34, and not in what Swift imports of it.
@_silgen_name("posix_spawn_file_actions_addchdir_np")
private func addChangeOfFolder(_ actions: UnsafeMutableRawPointer, _ folder: UnsafePointer<CChar>) -> Int32

@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
private func addCloseFrom(_ actions: UnsafeMutableRawPointer, _ descriptor: Int32) -> Int32

extension TestProcess {
    private static func start(_ settings: Settings) throws -> (pid_t, input: Int32?) {
        guard settings.hasInput else { return (try Self.spawn(settings, input: nil), nil) }
        let pipe = try Self.pipe()
        defer { close(pipe.read) }
        do {
            return (try Self.spawn(settings, input: pipe.read), pipe.write)
        } catch {
            close(pipe.write)
            throw error
        }
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard Foundation.pipe(&ends) == 0 else { throw ProcessError(code: errno) }
        return (ends[0], ends[1])
    }

    private static func spawn(_ settings: Settings, input: Int32?) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        for (descriptor, file) in [(Int32(1), settings.output), (2, settings.errors)] {
            let flags = O_WRONLY | O_CREAT
            posix_spawn_file_actions_addopen(&actions, descriptor, file ?? "/dev/null", flags, 0o644)
        }
        if let folder = settings.folder { _ = addChangeOfFolder(&actions, folder) }
        // A program that inherits a socket keeps it open as long as it runs, and NIO does not mark its sockets.
        _ = addCloseFrom(&actions, 3)
        return try Self.spawn(settings, actions: &actions)
    }

    private static func spawn(_ settings: Settings, actions: inout posix_spawn_file_actions_t) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Threads of the tests may have signals blocked or ignored, and programs would inherit that.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let environment = ProcessInfo.processInfo.environment.merging(settings.environment) { $1 }
        let variables = environment.map { name, value in strdup("\(name)=\(value)") } + [nil]
        let arguments = ([settings.path] + settings.arguments).map { strdup($0) } + [nil]
        defer { for text in variables + arguments { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, settings.path, &actions, &attributes, arguments, variables)
        guard code == 0 else { throw ProcessError(code: code) }
        return identifier
    }
}
