//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
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
        if let path = ProcessInfo.processInfo.environment["SERVERTRUST"] { return path }
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
            var program = try self.program(path, arguments, environment, output: folder.file("out", contents: []))
            let errors = try folder.file("err", contents: [])
            program.errors = errors
            let ending = await (try TestProcess(program)).ending()
            let (status, isCleanExit) =
                switch ending {
                case .exit(let status): (status, true)
                case .signal(let signal): (signal, false)
                }
            return Finished(
                status: status,
                output: try String(contentsOfFile: folder.path("out"), encoding: .utf8),
                errors: try String(contentsOfFile: errors, encoding: .utf8),
                isCleanExit: isCleanExit)
        }
    }

    /// A program that is not running yet, its output going to a file.
    static func program(
        _ path: String, _ arguments: [String], _ environment: [String: String] = [:], output: String
    ) throws -> TestProcess.Settings {
        var program = TestProcess.Settings(path, arguments)
        (program.environment, program.output) = (environment, output)
        return program
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
