//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import NIOCore
import NIOPosix
import ServerTrust
import ServerTrustNIO
import TestSupport
import Testing

@Suite("The shortest programs, as README prints them", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ShortestProgramTests {
    @Test(
        "Each stands in README and in its article as it is compiled",
        arguments: [
            ("evaluate", "ServerTrust/Documentation.docc/ServerTrust.md"),
            ("session", "HTTPSession/Documentation.docc/HTTPSession.md"),
            ("gate", "ServerTrustNIO/Documentation.docc/GatingConnections.md"),
        ])
    func printed(name: String, article: String) throws {
        let lines = try RepositoryText.text("Snippets/ShortestPrograms.swift").split(
            separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasSuffix("// snippet.\(name)") })
        let program = lines[(start + 1)...].prefix { !$0.hasSuffix("// snippet.end") }.map { $0.dropFirst(4) + "\n" }
        #expect(program.count == 2)
        for document in ["README.md", "Sources/\(article)"] {
            let text = try RepositoryText.text(document)
            #expect(text.contains("\n" + program.joined()), "\(document)")
        }
    }

    @Test("Each answers as check does without options, whatever the fault of the server")
    func answers() async throws {
        try await FaultRows.with { _, rows in
            for row in rows {
                let expected = try await Self.checked(row.target)
                #expect(expected.verdict == .refused, "\(row.name)")
                // A server of TLS 1.0 shows the programs no certificate, which no root of Apple's has issued either.
                let showsChain = row.expected(of: .trust, .trust) != nil
                for (program, answer) in try await Self.answers(row) {
                    #expect(answer == (showsChain ? expected : row.trust), "\(row.name), \(program)")
                }
            }
        }
    }

    private static func checked(_ target: DoorTarget) async throws -> DoorAnswer {
        let finished = try await CommandLineTool.servertrust([
            "check", target.place, "--connect-to", "127.0.0.1", "--format", "json", "--timeout", "60",
        ])
        let entry = try #require(DoorDocument.entries(of: finished.output).first)
        let evidence = try #require(DoorDocument(door: .check, object: entry).evidence[.trust])
        return DoorAnswer(evidence)
    }

    private static func answers(_ row: DoorRow) async throws -> [(String, DoorAnswer)] {
        let target = row.target
        var errors = [
            ("ServerTrustGate", await Self.connected(to: target)), ("HTTPSession", await Self.loaded(target)),
        ]
        if row.expected(of: .trust, .trust) != nil {
            errors.append(("Trust", try Trust(pem: target.pem, host: target.name).evaluate().failure))
        }
        return errors.map { program, error in (program, DoorAnswer(.library(error))) }
    }

    private static func connected(to target: DoorTarget) async -> (any Error)? {
        await DoorScene.bootstrapped(target, by: ServerTrustGate())
    }

    private static func loaded(_ target: DoorTarget) async -> (any Error)? {
        do {
            var configuration = HTTPSessionConfiguration()
            configuration.routes.add(ConnectionRoute(host: try Host("127.0.0.1"), port: target.port))
            _ = try await HTTPSession(configuration).data(from: target.url)
            return nil
        } catch {
            return error
        }
    }
}
