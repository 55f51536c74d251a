//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrustNIO
import Synchronization
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The controlling terminal of the process, independent of its redirections.
struct ControllingTerminal: Sendable {
    private static let path = "/dev/tty"
    /// The interval in milliseconds at which the end of the question is checked.
    private static let step: CInt = 100
    private static let longestLine = 1_024

    static var exists: Bool {
        guard let file = try? Self.open() else { return false }
        try? file.close()
        return true
    }

    /// Asks for a user and a hidden password.
    ///
    /// - Parameters:
    ///   - text: The text before the questions.
    ///   - time: The time limit for both answers.
    /// - Returns: The answers, or `nil` for an empty user, at the end of the time, if the task is cancelled, after ``close()``,
    ///   or if the process runs in the background.
    static func credentials(_ text: String, within time: Duration) async -> TerminalCredentials.Answer? {
        let isCancelled = Mutex(false)
        let end = NIODeadline.now() + TimeAmount(time)
        return await withTaskCancellationHandler {
            await Self.onThread {
                try Self.read(text) {
                    isCancelled.withLock { $0 } || TerminalEcho.ofProcess.isKept || NIODeadline.now() >= end
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    /// Ends the current question, turns the echo on again, and prevents further questions. Used when the process ends.
    static func close() { TerminalEcho.ofProcess.keep() }

    /// Reads on a thread of its own, because the read must not block tasks.
    private static func onThread(
        _ read: @escaping @Sendable () throws -> TerminalCredentials.Answer?
    ) async -> TerminalCredentials.Answer? {
        await withCheckedContinuation { continuation in
            let hasThread = BlockingThread.start { continuation.resume(returning: (try? read()) ?? nil) }
            if !hasThread { continuation.resume(returning: nil) }
        }
    }

    private static func open() throws -> SystemPackage.FileDescriptor {
        try SystemPackage.FileDescriptor.open(FilePath(Self.path), .readWrite, options: .closeOnExec)
    }

    private static func read(_ text: String, _ isOver: () -> Bool) throws -> TerminalCredentials.Answer? {
        let file = try Self.open()
        return try file.closeAfter {
            // A read in the background would stop the process.
            guard tcgetpgrp(file.rawValue) == getpgrp() else { return nil }
            try file.writeAll((text + "User (empty for none): ").utf8)
            guard let user = try Self.line(file, isOver), !user.isEmpty else {
                try file.writeAll("No answer.\n".utf8)
                return nil
            }
            try file.writeAll("Password: ".utf8)
            return try TerminalEcho.ofProcess.off(file) { try Self.line(file, isOver) }.map {
                .init(user: user, password: $0)
            }
        }
    }

    /// Reads a line, or returns `nil` if there is none, or if it is too long or not text.
    private static func line(_ file: SystemPackage.FileDescriptor, _ isOver: () -> Bool) throws -> String? {
        var octets: [UInt8] = []
        while !isOver() {
            var wait = pollfd(fd: file.rawValue, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, Self.step) > 0 else { continue }
            var octet: [UInt8] = [0]
            guard try octet.withUnsafeMutableBytes({ try file.read(into: $0) }) == 1 else { return nil }
            if octet[0] == UInt8(ascii: "\n") { return String(validating: octets, as: UTF8.self) }
            octets += octet
            guard octets.count <= Self.longestLine else { return nil }
        }
        return nil
    }
}
