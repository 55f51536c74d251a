//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// A program that ran to its end.
package struct Finished: Sendable {
    package let status: Int32
    package let output: String
    package let errors: String

    /// Whether it ended by itself, without a trap or a signal.
    package let isCleanExit: Bool
}

/// Programs that tests run where they are installed.
package enum CommandLineTool {
    /// Returns the path of an installed program, or `nil` if it is not installed, which the end of the run then says.
    package static func installed(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin"
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin"]
        let found = folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        if found == nil { MissingPrograms.insert(name) }
        return found
    }

    /// Runs a program with nothing to read, and waits for it.
    package static func run(
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
    package static func program(
        _ path: String, _ arguments: [String], _ environment: [String: String] = [:], output: String
    ) throws -> TestProcess.Settings {
        var program = TestProcess.Settings(path, arguments)
        (program.environment, program.output) = (environment, output)
        return program
    }
}
