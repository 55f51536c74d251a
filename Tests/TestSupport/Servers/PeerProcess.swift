//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import Foundation
import NIOCore
import NIOPosix
package import ServerTrustTesting
import Testing

/// A program of another project that a test talks with, on 127.0.0.1, and ends by its own process.
package struct PeerProcess {
    /// The program's path; `nil` where it is not installed.
    package static func path(of program: String) -> String? { CommandLineTool.installed(program) }

    /// Runs a program that listens on a port for as long as the body runs.
    ///
    /// - Parameters:
    ///   - program: Its name.
    ///   - folder: Where it runs.
    ///   - arguments: Its arguments, by the port that it is to listen on.
    package static func listening<R>(
        _ program: String, in folder: URL, arguments: (Int) throws -> [String], _ body: (Int) async throws -> R
    ) async throws -> R {
        let port = try #require(try await FreePort.ports(1).first)
        var settings = try Self.settings(program, try arguments(port), in: folder)
        settings.hasInput = true
        let process = try TestProcess(settings)
        let outcome: Result<R, any Error>
        do {
            try await Self.wait(for: port, process)
            outcome = .success(try await body(port))
        } catch {
            outcome = .failure(error)
        }
        await process.end()
        return try outcome.get()
    }

    /// Runs a program until it ends, or has written a text, or some time is over.
    ///
    /// - Parameters:
    ///   - program: Its name.
    ///   - arguments: Its arguments.
    ///   - folder: Where it runs.
    ///   - input: What it reads; its input stays open.
    ///   - text: The text after which it is ended.
    /// - Returns: What it wrote.
    package static func output(
        _ program: String, _ arguments: [String], in folder: URL, input: String, until text: String
    ) async throws -> String {
        var settings = try Self.settings(program, arguments, in: folder)
        let output = folder.appendingPathComponent("output-\(UUID().uuidString)")
        (settings.output, settings.hasInput) = (output.path, true)
        let process = try TestProcess(settings)
        if !input.isEmpty { try process.write(input) }
        let end = ContinuousClock.now + .seconds(120)
        var written = ""
        repeat {
            let isOver = !process.isRunning
            written = String(decoding: (try? Data(contentsOf: output)) ?? Data(), as: UTF8.self)
            if isOver || written.contains(text) { break }
            try await Task.sleep(for: .milliseconds(5))
        } while ContinuousClock.now < end
        await process.end()
        return written
    }

    private static func settings(
        _ program: String, _ arguments: [String], in folder: URL
    ) throws -> TestProcess.Settings {
        var settings = TestProcess.Settings(try #require(Self.path(of: program)), arguments)
        settings.folder = folder.path
        return settings
    }

    private static func wait(for port: Int, _ process: TestProcess) async throws {
        while process.isRunning {
            let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            if let channel = try? await bootstrap.connect(host: "127.0.0.1", port: port).get() {
                try await channel.close()
                return
            }
            try await Task.sleep(for: .milliseconds(30))
        }
        Issue.record("the program does not listen")
    }
}

/// A folder for the files of one test.
package struct PeerFolder {
    /// Where it is.
    package let url: URL

    /// Makes a folder for as long as the body runs.
    package static func with<R>(_ body: (PeerFolder) async throws -> R) async throws -> R {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("peer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(PeerFolder(url: url))
    }

    /// Writes a file.
    ///
    /// - Returns: Its path.
    @discardableResult
    package func file(_ name: String, _ text: String) throws -> String {
        let url = self.url.appendingPathComponent(name)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    /// Writes a chain, the leaf first, and the leaf's key.
    ///
    /// - Returns: Their paths.
    package func identity(_ name: String, _ chain: [TestCertificate]) throws -> (chain: String, key: String) {
        let key = try chain.first.map { try $0.privateKey.pem } ?? ""
        return (try self.file("\(name).pem", chain.map(\.pem).joined()), try self.file("\(name).key", key))
    }
}
