//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import Foundation
import NIOCore
import NIOPosix
package import ServerTrustTesting
import Synchronization
import Testing

/// A program of another project that a test talks with, on 127.0.0.1, and ends by its own process.
package struct PeerProcess {
    /// The program's path; `nil` where it is not installed.
    package static func path(of program: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin"
        let folders = path.components(separatedBy: ":") + ["/usr/sbin"]
        return folders.map { folder in "\(folder)/\(program)" }
            .first { file in FileManager.default.isExecutableFile(atPath: file) }
    }

    /// Runs a program that listens on a port for as long as the body runs.
    ///
    /// - Parameters:
    ///   - program: Its name.
    ///   - folder: Where it runs.
    ///   - arguments: Its arguments, by the port that it is to listen on.
    package static func listening<R>(
        _ program: String, in folder: URL, arguments: (Int) throws -> [String], _ body: (Int) async throws -> R
    ) async throws -> R {
        let port = try await Self.freePort()
        let process = try Self.process(program, try arguments(port), in: folder)
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        let ended = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in ended.continuation.finish() }
        try process.run()
        let outcome: Result<R, any Error>
        do {
            try await Self.wait(for: port, process)
            outcome = .success(try await body(port))
        } catch {
            outcome = .failure(error)
        }
        kill(process.processIdentifier, SIGKILL)
        for await _ in ended.stream {}
        _ = input
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
        let process = try Self.process(program, arguments, in: folder)
        let (stdin, stdout) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (stdin, stdout)
        let written = Written()
        let ended = AsyncStream.makeStream(of: Void.self)
        stdout.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                ended.continuation.finish()
            } else if written.append(data).contains(text) {
                kill(process.processIdentifier, SIGKILL)
            }
        }
        try process.run()
        stdin.fileHandleForWriting.write(Data(input.utf8))
        let clock = Task {
            try await Task.sleep(for: .seconds(30))
            kill(process.processIdentifier, SIGKILL)
        }
        for await _ in ended.stream {}
        clock.cancel()
        process.waitUntilExit()
        return written.text
    }

    private final class Written: Sendable {
        private let data = Mutex(Data())

        var text: String { self.data.withLock { String(decoding: $0, as: UTF8.self) } }

        func append(_ more: Data) -> String {
            self.data.withLock { data in
                data += more
                return String(decoding: data, as: UTF8.self)
            }
        }
    }

    private static func process(_ program: String, _ arguments: [String], in folder: URL) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.path(of: program)))
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        return process
    }

    private static func freePort() async throws -> Int {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = listener.localAddress?.port
        try await listener.close()
        return try #require(port)
    }

    private static func wait(for port: Int, _ process: Process) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end, process.isRunning {
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
