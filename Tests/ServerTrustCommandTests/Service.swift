//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

/// A program that serves on a port until a test is over.
enum Service {
    /// Runs a program, waits until it says its port, and ends it after the body.
    ///
    /// - Parameters:
    ///   - name: A program that is installed, or its path.
    ///   - pattern: What stands before the port in its output.
    static func with<Result>(
        _ name: String, _ arguments: [String], _ environment: [String: String] = [:], in folder: TemporaryFolder,
        portAfter pattern: String,
        _ body: (Int) async throws -> Result
    ) async throws -> Result {
        let path = try name.hasPrefix("/") ? name : #require(CommandLineTool.installed(name))
        let file = URL(fileURLWithPath: path).lastPathComponent
        let output = try folder.file("\(file)-\(UUID().uuidString).log", "")
        var program = try CommandLineTool.program(path, arguments, environment, output: output)
        program.errors = try folder.file("\(file)-\(UUID().uuidString).errors.log", "")
        program.folder = folder.url.path
        // Some programs end with their input.
        program.hasInput = true
        let process = try TestProcess(program)
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(try await body(try await self.port(in: output, after: pattern, of: process)))
        } catch {
            outcome = .failure(error)
        }
        await process.end()
        return try outcome.get()
    }

    private static func port(in file: String, after pattern: String, of process: TestProcess) async throws -> Int {
        while process.isRunning {
            let text = try String(contentsOfFile: file, encoding: .utf8)
            if let start = text.range(of: pattern, options: .regularExpression)?.upperBound {
                let digits = text[start...].prefix(while: \.isNumber)
                // A number at the end of what was written so far may not be whole.
                if start < text.endIndex, digits.endIndex < text.endIndex, let port = Int(digits) { return port }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw ServiceError(output: try String(contentsOfFile: file, encoding: .utf8))
    }
}

/// A service that ended before it served.
struct ServiceError: Error {
    let output: String
}
