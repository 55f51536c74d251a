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

/// The terminal that a process was started from, wherever its input and output go.
struct ControllingTerminal: Sendable {
    private static let path = "/dev/tty"
    /// How often it is looked at whether the question is still wanted, in milliseconds.
    private static let step: CInt = 100
    private static let longestLine = 1_024

    /// Whether there is one.
    static var exists: Bool {
        guard let file = try? Self.open() else { return false }
        try? file.close()
        return true
    }

    /// Asks for a user, and for a password that is not shown.
    ///
    /// - Parameters:
    ///   - text: What is shown first.
    ///   - time: How long the answers may take together.
    /// - Returns: The answers; `nil` for an empty user, at the end of the time, when the task is cancelled, once ``close()`` is called,
    ///   and where the process runs in the background.
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

    /// Ends what is asked, has the terminal show what is typed again, and asks nothing more: for the end of the process.
    static func close() { TerminalEcho.ofProcess.keep() }

    /// Waits on a thread of its own: reading must not hold up tasks.
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
            // What is in the background would be stopped.
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

    /// A line; `nil` where none comes, or it is too long or no text.
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
