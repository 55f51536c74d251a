//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

/// A scan in a process of its own, to be fed, interrupted and read while it runs.
final class ScanProcess {
    let process: TestProcess
    private let folder: TemporaryFolder

    /// Starts `servertrust` with a pipe to read from.
    ///
    /// - Parameter output: The file that receives standard output.
    init(_ arguments: [String], in folder: TemporaryFolder, output: String) throws {
        self.folder = folder
        if !FileManager.default.fileExists(atPath: output) { _ = try folder.file("out", "") }
        var program = try CommandLineTool.program(CommandLineTool.servertrustPath(), arguments, output: output)
        program.errors = try folder.file("err", "")
        program.hasInput = true
        self.process = try TestProcess(program)
    }

    /// What it has said on standard error.
    var errors: String { (try? String(contentsOfFile: self.folder.path("err"), encoding: .utf8)) ?? "" }

    func send(_ text: String) throws { try self.process.write(text) }

    /// Waits for its end.
    func end() async -> Int32 {
        self.process.closeInput()
        switch await self.process.ending() {
        case .exit(let status), .signal(let status): return status
        }
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
///
/// - Parameter body: Is given the port, and what waits for a connection.
func withSilentServer(_ body: (Int, _ connected: () async throws -> Void) async throws -> Void) async throws {
    let (connections, sink) = AsyncStream.makeStream(of: Void.self)
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.backlog, value: 512)
        .childChannelInitializer { channel in
            sink.yield()
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        .bind(host: "127.0.0.1", port: 0).get()
    do {
        try await body(try #require(channel.localAddress?.port)) {
            for await _ in connections { return }
        }
    } catch {
        try await channel.close()
        throw error
    }
    try await channel.close()
}
