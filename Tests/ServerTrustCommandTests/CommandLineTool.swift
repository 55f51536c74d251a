//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Synchronization
import Testing

/// A program that ran to its end.
struct Finished: Sendable {
    let status: Int32
    let output: String
    let errors: String

    /// Whether it ended by itself, without a trap or a signal.
    let isCleanExit: Bool
}

/// Programs run by the tests: the built `servertrust`, and others where they are installed.
enum CommandLineTool {
    /// Runs the built command.
    static func servertrust(_ arguments: [String], environment: [String: String] = [:]) async throws -> Finished {
        try await self.run(try self.servertrustPath(), arguments, environment: environment)
    }

    /// The path of the built command, beside the test bundle.
    static func servertrustPath() throws -> String {
        let bundles = [Bundle.main.executableURL] + Bundle.allBundles.map { Optional($0.bundleURL) }
        let folders = bundles.compactMap { $0?.deletingLastPathComponent() }
        let candidates = folders.map { $0.appendingPathComponent("servertrust").path }
        return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0) })
    }

    /// The path of an installed program; `nil` when it is not installed.
    static func installed(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program with nothing to read, and waits for it.
    static func run(
        _ path: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> Finished {
        try await withTemporaryFolder { folder in
            let process = try self.process(path, arguments, environment, output: folder.file("out", contents: []))
            let errors = try folder.file("err", contents: [])
            process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
            try await self.end(of: process)
            return Finished(
                status: process.terminationStatus,
                output: try String(contentsOfFile: folder.path("out"), encoding: .utf8),
                errors: try String(contentsOfFile: errors, encoding: .utf8),
                isCleanExit: process.terminationReason == .exit)
        }
    }

    /// A process that is not running yet, its output going to a file.
    static func process(
        _ path: String, _ arguments: [String], _ environment: [String: String] = [:], output: String
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        return process
    }

    /// Starts a process, one at a time, and closes the files it writes to on this side: Foundation keeps them open for long,
    /// and was seen to crash when it starts a process while more than a thousand are open.
    static func start(_ process: Process) throws {
        try Self.starting.withLock { _ in try process.run() }
        for case let file as FileHandle in [process.standardOutput, process.standardError] {
            // What was not set is this process's own, which it goes on writing to.
            if file.fileDescriptor > STDERR_FILENO, file !== FileHandle.nullDevice { try? file.close() }
        }
    }

    private static let starting = Mutex(())

    /// Starts a process and waits for its end without blocking a thread.
    static func end(of process: Process) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try CommandLineTool.start(process)
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}

/// A folder that exists as long as a test needs it.
struct TemporaryFolder: Sendable {
    let url: URL

    func path(_ name: String) -> String { self.url.appendingPathComponent(name).path }

    /// Writes a file and returns its path.
    func file(_ name: String, contents: some Collection<UInt8>) throws -> String {
        try Data(contents).write(to: self.url.appendingPathComponent(name))
        return self.path(name)
    }

    /// Writes a text file and returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        try self.file(name, contents: Array(text.utf8))
    }
}

/// Runs a test with a folder of its own.
func withTemporaryFolder<Result>(_ body: (TemporaryFolder) async throws -> Result) async throws -> Result {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("servertrust-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { _ = try? FileManager.default.removeItem(at: url) }
    return try await body(TemporaryFolder(url: url))
}
