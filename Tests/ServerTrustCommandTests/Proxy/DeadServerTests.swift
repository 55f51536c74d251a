//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustTesting
import TestSupport
import Testing

@testable import ServerTrustCommand

@Suite("The proxy and a server that is not there", .limitedConcurrency, .timeLimit(.minutes(10)))
struct DeadServerTests {
    /// Sends ten thousand requests, up to 64 at a time, and prints how often which status came.
    private static let client = """
        import asyncio, collections, sys

        port, head = int(sys.argv[1]), sys.argv[2].encode().decode('unicode_escape').encode()
        statuses = collections.Counter()

        async def worker(count):
            for _ in range(count):
                reader, writer = await asyncio.open_connection('127.0.0.1', port)
                writer.write(head)
                answer = await reader.read(-1)
                statuses[answer[9:12].decode()] += 1
                writer.close()

        async def main():
            await asyncio.gather(*(worker(10000 // 64 + (1 if i < 10000 % 64 else 0)) for i in range(64)))
            print(dict(statuses))

        asyncio.run(main())
        """

    @Test(
        "Ten thousand requests to it end, and leave neither descriptors nor much memory behind",
        .enabled(
            if: CommandLineTool.installed("python3") != nil && FileManager.default.fileExists(atPath: "/proc/self/fd")))
    func dead() async throws {
        let head = "GET http://dead.test/ HTTP/1.1\\r\\nHost: dead.test\\r\\nConnection: close\\r\\n\\r\\n"
        let python = try #require(CommandLineTool.installed("python3"))
        // A port at which nothing listens.
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["server.test"]))
        let port = try await withTestServer(TestTLSServer.Configuration(leaf)) { $0.port }
        try await withTemporaryFolder { folder in
            let given = [
                "proxy", "--listen", "127.0.0.1:0", "--allow-local", "--connect-to", "::127.0.0.1:\(port)",
                "--insecure-http", "--root-folder", folder.path("root"),
            ]
            var program = try CommandLineTool.program(
                try CommandLineTool.servertrustPath(), given, output: try folder.file("out", ""))
            program.errors = try folder.file("err", "")
            let process = try TestProcess(program)
            let proxy = try await Self.port(folder.path("out"), process)
            func run(_ body: String) async throws -> String {
                try await CommandLineTool.run(python, ["-c", body, "\(proxy)", head]).output
            }
            _ = try await run(Self.client.replacing("10000", with: "200"))
            let (descriptors, memory) = (try Self.descriptors(process), try Self.memory(process))
            #expect(try await run(Self.client) == "{'502': 10000}\n")
            for _ in 0..<3_000 where try Self.descriptors(process) > descriptors {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try Self.descriptors(process) <= descriptors)
            #expect(try Self.memory(process) - memory < 64 << 10, "KiB")
            process.send(SIGTERM)
            #expect(await process.ending() == .exit(0))
        }
    }

    private static func port(_ output: String, _ process: TestProcess) async throws -> Int {
        while process.isRunning {
            let text = try String(contentsOfFile: output, encoding: .utf8)
            if let port = text.firstMatch(of: /listens at http:\/\/127\.0\.0\.1:(\d+)\n/)?.1 {
                return try #require(Int(port))
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw ServiceError(output: try String(contentsOfFile: output, encoding: .utf8))
    }

    private static func descriptors(_ process: TestProcess) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.identifier)/fd").count
    }

    /// The memory that it takes, in KiB.
    private static func memory(_ process: TestProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)
        return try #require(status.firstMatch(of: /VmRSS:\s*(\d+) kB/).flatMap { Int($0.1) })
    }
}
