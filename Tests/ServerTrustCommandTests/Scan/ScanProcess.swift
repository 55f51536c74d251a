//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

/// A scan in a process of its own, to be fed, interrupted and read while it runs.
final class ScanProcess {
    let process: Process
    let input = Pipe()
    private let folder: TemporaryFolder
    private let ended = AsyncStream.makeStream(of: Void.self)

    /// Starts `servertrust` with a pipe to read from.
    ///
    /// - Parameter output: The file that receives standard output.
    init(_ arguments: [String], in folder: TemporaryFolder, output: String) throws {
        self.folder = folder
        if !FileManager.default.fileExists(atPath: output) { _ = try folder.file("out", "") }
        self.process = try CommandLineTool.process(CommandLineTool.servertrustPath(), arguments, output: output)
        self.process.standardError = try FileHandle(
            forWritingTo: URL(fileURLWithPath: try folder.file("err", "")))
        self.process.standardInput = self.input
        let continuation = self.ended.continuation
        self.process.terminationHandler = { _ in continuation.finish() }
        try CommandLineTool.start(self.process)
    }

    /// What it has said on standard error.
    var errors: String { (try? String(contentsOfFile: self.folder.path("err"), encoding: .utf8)) ?? "" }

    func send(_ text: String) throws { try self.input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    /// Waits for its end.
    func end() async -> Int32 {
        try? self.input.fileHandleForWriting.close()
        for await _ in self.ended.stream {}
        return self.process.terminationStatus
    }
}

/// The results in a file.
enum ScanFile {
    /// All whole lines.
    static func records(_ path: String) throws -> [ScanRecord] {
        var records: [ScanRecord] = []
        _ = try ResultsFile(path).read { records.append($0.record) }
        return records
    }

    /// Waits until a file has so many lines.
    static func wait(for count: Int, in path: String) async throws {
        for _ in 0..<1_200 {
            let lines = (try? Data(contentsOf: URL(fileURLWithPath: path)))?.count { $0 == 0x0A } ?? 0
            if lines >= count { return }
            try await Task.sleep(for: .milliseconds(25))
        }
        throw CommandError("\(path) never had \(count) lines")
    }
}

/// Runs a test with a server that takes connections and never says anything.
func withSilentServer(_ body: (Int) async throws -> Void) async throws {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.backlog, value: 512).bind(host: "127.0.0.1", port: 0).get()
    do {
        try await body(try #require(channel.localAddress?.port))
    } catch {
        try await channel.close()
        throw error
    }
    try await channel.close()
}
