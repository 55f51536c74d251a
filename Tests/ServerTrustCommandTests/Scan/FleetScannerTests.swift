//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import FleetScan
import Foundation
import ServerDiagnosisNIO
import ServerTrust
import ServerTrustTesting
import TLSProbe
import TestSupport
import Testing

@Suite("Scanning a list from a program", .limitedConcurrency, .timeLimit(.minutes(10)))
struct FleetScannerTests {
    private static func scanner(_ authority: TestAuthority) throws -> FleetScanner {
        var configuration = ServerDiagnoser.Configuration()
        configuration.plan = .ats
        configuration.connections.timeout = .seconds(2)
        let anchors = TrustAnchors.store(try TrustStore([authority.root.trustCertificate]))
        return FleetScanner(ServerDiagnoser(anchors: anchors, configuration: configuration), hostsAtOnce: 2)
    }

    @Test("Each line is counted, and has a line of results, behind those that were there")
    func list() async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["localhost"]))
        let server = try await TestTLSServer.start(
            TestTLSServer.Configuration(certificates: [leaf.der], privateKey: leaf.privateKey))
        do {
            try await withTemporaryFolder { folder in
                let list = try folder.file("list", "localhost:\(server.port)\n# nothing\nlocalhost:1\nno host\n")
                for run in 1...2 {
                    let counts = try await Self.scanner(authority).scan(list, to: folder.path("results"))
                    #expect(counts.passed == 1 && counts.failed == 0 && counts.unknown == 1)
                    #expect(counts.unusableLines == 1)
                    let text = try String(contentsOfFile: folder.path("results"), encoding: .utf8)
                    #expect(text.split(separator: "\n").count == 3 * run && text.hasSuffix("}\n"))
                }
            }
        } catch {
            try await server.shutdown()
            throw error
        }
        try await server.shutdown()
    }

    @Test("A list that cannot be read, or is written to as well, is an error and stays as it is")
    func badFiles() async throws {
        let scanner = try Self.scanner(TestAuthority())
        try await withTemporaryFolder { folder in
            let list = try folder.file("list", "localhost:1\n")
            await #expect(throws: FleetError.self) { try await scanner.scan(list, to: list) }
            #expect(try String(contentsOfFile: list, encoding: .utf8) == "localhost:1\n")
            await #expect(throws: FleetError.self) {
                try await scanner.scan(folder.path("missing"), to: folder.path("results"))
            }
            #expect(!FileManager.default.fileExists(atPath: folder.path("results")))
            await #expect(throws: FleetError.self) { try await scanner.scan(list, to: folder.path("no/folder")) }
        }
    }
}
