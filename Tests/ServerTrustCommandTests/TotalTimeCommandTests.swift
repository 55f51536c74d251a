//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import TLSProbe
import TLSWire
import TestSupport
import Testing

/// Servers that send something for ever, or nothing.
private let costlyServers: [(name: String, behaviour: RawServer.Behaviour, startTLS: String?)] = [
    ("silence", .silent, nil), ("endless records", .endless([22, 3, 3, 0, 0]), nil),
    ("drips", .slow([22, 3, 3, 0x40, 0] + [UInt8](repeating: 2, count: 10_000), every: .milliseconds(100)), nil),
    ("a greeting in drips", .slow([UInt8](repeating: 0x32, count: 10_000), every: .milliseconds(100)), "smtp"),
]

@Suite("What one server costs a command", .limitedConcurrency, .timeLimit(.minutes(10)))
struct TotalTimeCommandTests {
    @Test("The time of --total-timeout holds for everything that is asked", arguments: costlyServers)
    private func total(server: (name: String, behaviour: RawServer.Behaviour, startTLS: String?)) async throws {
        try await RawServer.with(server.behaviour) { raw in
            try await withTemporaryFolder { folder in
                let list = try folder.file("list", "127.0.0.1:\(raw.port)\n")
                let startTLS = server.startTLS.map { ["--starttls", $0] } ?? []
                let limits = ["--plan", "deep", "--timeout", "2", "--total-timeout", "3"] + startTLS
                for command in [["diagnose", "127.0.0.1:\(raw.port)"], ["scan", list, "--quiet"]] {
                    let start = ContinuousClock.now
                    let finished = try await CommandLineTool.servertrust(command + limits)
                    // Starting a process on a loaded machine takes seconds of this; without the limit it would be minutes.
                    #expect(start.duration(to: .now) < .seconds(30), "\(server.name): \(command)")
                    #expect(finished.status == 2 || finished.status == 1, "\(finished.errors)")
                }
            }
        }
    }

    @Test("A check takes the time of its connection", arguments: costlyServers.filter { $0.startTLS == nil })
    private func check(server: (name: String, behaviour: RawServer.Behaviour, startTLS: String?)) async throws {
        try await RawServer.with(server.behaviour) { raw in
            let start = ContinuousClock.now
            let finished = try await CommandLineTool.servertrust(["check", "127.0.0.1:\(raw.port)", "--timeout", "8"])
            #expect(start.duration(to: .now) < .seconds(30), "\(server.name)")
            // Records without content are no handshake: no client connects, whichever command is asked.
            let expected: Int32 = server.name == "endless records" ? 1 : 2
            #expect(finished.status == expected, "\(finished.errors)")
            let limits = ["--plan", "ats", "--timeout", "2", "--total-timeout", "3"]
            let diagnosed = try await CommandLineTool.servertrust(["diagnose", "127.0.0.1:\(raw.port)"] + limits)
            #expect(diagnosed.status == expected, "\(diagnosed.output)")
        }
    }
}
