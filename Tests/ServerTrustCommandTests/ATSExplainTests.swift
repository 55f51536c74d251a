//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

private let plist = """
    <plist version="1.0">
    <dict>
        <key>NSAppTransportSecurity</key>
        <dict>
            <key>NSAllowsArbitraryLoads</key>
            <true/>
            <key>NSAllowsLocalNetworking</key>
            <false/>
            <key>NSExceptionDomains</key>
            <dict>
                <key>legacy.example.com</key>
                <dict>
                    <key>NSExceptionAllowsInsecureHTTPLoads</key>
                    <true/>
                </dict>
            </dict>
        </dict>
    </dict>
    </plist>
    """

@Suite("servertrust ats explain", .limitedConcurrency)
struct ATSExplainTests {
    private func explain(_ arguments: [String], _ text: String = plist) async throws -> Finished {
        try await withTemporaryFolder { folder in
            try await CommandLineTool.servertrust(
                ["ats", "explain", try folder.file("Info.plist", text)] + arguments)
        }
    }

    @Test("Names the key and the line that decide, and those that did not count")
    func lines() async throws {
        let finished = try await self.explain(["http://legacy.example.com", "--target-os", "ios26"])
        #expect(finished.status == 0)
        #expect(finished.output.hasPrefix("ALLOWED  http://legacy.example.com\n"))
        #expect(finished.output.contains("legacy.example.com › NSExceptionAllowsInsecureHTTPLoads, line 13: "))
        #expect(finished.output.contains("    NSAllowsArbitraryLoads, line 5: The exception for the host takes"))
        #expect(finished.output.contains("Understood for the app itself, on iOS 26, by Apple's engine."))
    }

    @Test("A load over http that is refused ends with 1 and Apple's code")
    func refused() async throws {
        let finished = try await self.explain(["https://example.com", "http://example.com"])
        #expect(finished.status == 1)
        #expect(finished.output.contains("REQUIRES  https://example.com\n"))
        #expect(finished.output.contains("REFUSED  http://example.com\n"))
        #expect(finished.output.contains("NSURLErrorAppTransportSecurityRequiresSecureConnection (-1022)"))
        #expect(finished.output.contains("NSAllowsLocalNetworking takes it out of force by being there."))
    }

    @Test("The documentation reads the same file otherwise")
    func strictness() async throws {
        let finished = try await self.explain(["http://example.com", "--strict", "documentation"])
        #expect(finished.status == 0 && finished.output.hasPrefix("ALLOWED"))
    }

    @Test("JSON has the same", arguments: [("app", "refused"), ("management", "refused")])
    func json(client: String, plainHTTP: String) async throws {
        struct Answer: Decodable {
            let format: String
            let client: String
            let system: String
            let loads: [Load]
            struct Load: Decodable {
                let host: String
                let isRefused: Bool
                let decisions: [Decision]
                let requirements: Requirements
            }
            struct Decision: Decodable {
                let part: String
                let value: String
                let key: [String]
                let line: Int?
            }
            struct Requirements: Decodable {
                let requiresTLS: Bool
                let minimumTLSVersion: String?
                let requiresExtendedMasterSecret: Bool
            }
        }
        let finished = try await self.explain(["example.com", "--client", client, "--format", "json"])
        let answer = try JSONDecoder().decode(Answer.self, from: Data(finished.output.utf8))
        let load = try #require(answer.loads.first)
        #expect(answer.format == "servertrust.ats-explain/1" && answer.client == client && answer.system == "iOS 27")
        #expect(load.decisions.map(\.part) == ATSExplanation.Part.allCases.map(\.rawValue))
        #expect(load.decisions.first?.value == plainHTTP && load.host == "example.com" && !load.isRefused)
        #expect(load.requirements.requiresTLS && load.requirements.minimumTLSVersion == "TLS 1.2")
        #expect(load.requirements.requiresExtendedMasterSecret == (client == "management"))
    }

    @Test(
        "What cannot be read is never taken for a file without the key", arguments: ["", "nonsense", "<plist/>", "[]"])
    func unreadable(text: String) async throws {
        let finished = try await self.explain(["http://example.com"], text)
        #expect(finished.status == 2 && finished.output.isEmpty && finished.errors.contains("Info.plist"))
    }

    @Test("What a file says moves no terminal's cursor, as text or as JSON", arguments: ["text", "json"])
    func controlCharacters(format: String) async throws {
        let hostile = #"{"NSAppTransportSecurity": {"NSAllows\u001b[2J\u202e": true}}"#
        let finished = try await self.explain(["https://example.com", "--format", format], hostile)
        #expect(finished.status == 0 && finished.output.contains("NSAllows"))
        #expect(!finished.output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
        #expect(!finished.output.contains("\\u001b"))
    }

    @Test(
        "Arguments that make no sense are refused",
        arguments: [["ftp://a.test"], ["a.test", "--target-os", "bsd9"], []])
    func arguments(arguments: [String]) async throws {
        #expect(try await self.explain(arguments).status == 2)
    }
}
