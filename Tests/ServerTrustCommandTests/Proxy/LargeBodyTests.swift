//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustTesting
import TestSupport
import Testing

/// Large content through the proxy, in memory that does not grow with it.
///
/// With `SERVERTRUST_LARGE_BODIES` it has 2 GiB, and the figures are printed.
@Suite("The proxy and large content", .limitedConcurrency, .timeLimit(.minutes(10)))
struct LargeBodyTests {
    private static let isLarge = ProcessInfo.processInfo.environment["SERVERTRUST_LARGE_BODIES"] != nil
    private static let size = isLarge ? 2 << 30 : 200 << 20
    /// Beyond what the proxy has after a first small request.
    private static let growth = 64 << 10

    @Test(
        "Content passes both ways in memory that does not grow with it",
        .enabled(if: CommandLineTool.installed("curl") != nil && FileManager.default.fileExists(atPath: "/proc/self")),
        arguments: ["--http1.1", "--http2"])
    func memory(version: String) async throws {
        let curl = try #require(CommandLineTool.installed("curl"))
        let authority = try TestAuthority()
        try await BulkServer.with(try authority.issue(.leaf(dnsNames: ["server.test"]))) { server in
            try await ProxyCommandTests.with(good: server.port, bad: server.port, authority: authority) { scene in
                let file = try scene.folder.file("large", "")
                // A sparse file: nothing is on the disk.
                try FileHandle(forWritingTo: URL(fileURLWithPath: file)).truncate(atOffset: UInt64(Self.size))
                let given = ["-sS", "-m", "500", version, "-x", scene.url, "--cacert", scene.rootFile]
                let url = "https://server.test/"
                _ = try await CommandLineTool.run(curl, given + [url + "1"])
                let process = try #require(try Self.process(with: scene.folder.path("root")))
                let before = try Self.peak(of: process)
                let start = ContinuousClock.now
                let download = try await CommandLineTool.run(
                    curl, given + ["-o", "/dev/null", "-w", "%{size_download}", url + "\(Self.size)"])
                #expect(download.output == "\(Self.size)", "\(download.errors)")
                let middle = ContinuousClock.now
                let upload = try await CommandLineTool.run(curl, given + ["-T", file, url])
                #expect(upload.output == "\(Self.size)", "\(upload.errors)")
                let growth = try Self.peak(of: process) - before
                #expect(growth < Self.growth, "\(growth) KiB more")
                guard Self.isLarge else { return }
                print("\(version): down \(middle - start), up \(.now - middle), from \(before) KiB by \(growth) KiB")
            }
        }
    }

    /// The process that was given a folder.
    private static func process(with folder: String) throws -> Int? {
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
            guard let process = Int(name), let octets = FileManager.default.contents(atPath: "/proc/\(name)/cmdline")
            else { continue }
            if String(decoding: octets, as: UTF8.self).contains("\(folder)\0") { return process }
        }
        return nil
    }

    /// The most memory that a process has had, in KiB.
    private static func peak(of process: Int) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        return try #require(status.firstMatch(of: /VmHWM:\s+([0-9]+) kB/).flatMap { Int($0.1) })
    }
}
