//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

@Suite("Apple's public trust on the command line", .limitedConcurrency, .timeLimit(.minutes(2)))
struct PublicTrustTests {
    /// A made-up program of one root without logs, and a chain below it.
    private static func program(_ folder: String, fetched date: Date) throws -> (chain: String, data: String) {
        let root = CraftedAuthority("Public root", .p256(71))
        let certificate = try root.authority()
        let data = folder + "/data"
        let roots = data + "/certificates/roots"
        try FileManager.default.createDirectory(atPath: roots, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: data + "/certificate_transparency", withIntermediateDirectories: true)
        let name = Certificate(certificate).sha256Fingerprint.map { String(format: "%02X", $0) }.joined()
        try Data(certificate.bytes).write(to: URL(fileURLWithPath: roots + "/\(name).cer"))
        let texts = [
            "certificates/constraints.json": #"{"system": {}}"#, "certificates/EVRoots.json": #"{"EV_config": {}}"#,
            "certificate_transparency/log_list.json": #"{"$schema": "\#(LogList.schema)", "operators": []}"#,
            "DATE": date.formatted(.iso8601),
        ]
        for (file, text) in texts {
            try text.write(toFile: data + "/" + file, atomically: true, encoding: .utf8)
        }
        let chain = [try root.leaf(), certificate].map { Certificate($0).pemRepresentation }.joined()
        try chain.write(toFile: folder + "/chain.pem", atomically: true, encoding: .utf8)
        return (folder + "/chain.pem", data)
    }

    private static func evaluate(_ date: Date, _ more: [String] = []) async throws -> Finished {
        try await withTemporaryFolder { folder in
            let (chain, data) = try Self.program(folder.path("."), fetched: date)
            return try await CommandLineTool.servertrust(
                ["evaluate", "--chain", chain, "--host", "www.example.com", "--at", "2026-06-01T00:00:00Z"]
                    + ["--apple-data", data] + more)
        }
    }

    @Test("A certificate below a public root without timestamps is refused, and the date of the data is told")
    func missing() async throws {
        let finished = try await Self.evaluate(Date())
        #expect(finished.status == 1, "\(finished.errors)")
        #expect(finished.output.contains("[certificate-transparency, errSecVerifyActionFailed (-67825)]"))
        #expect(finished.output.contains("Roots and logs are those of Apple's data of 20"))
        #expect(!finished.output.contains("transparency was not checked"))
        let json = try await Self.evaluate(Date(), ["--format", "json"])
        #expect(json.output.contains(#""certificateTransparency" : "missing""#) || json.output.contains("\"missing\""))
    }

    @Test("Data of sixty days refuse nothing for want of timestamps, and say so")
    func old() async throws {
        let finished = try await Self.evaluate(Date(timeIntervalSinceNow: -61 * 86_400))
        #expect(finished.status == 0, "\(finished.output)")
        #expect(finished.output.contains("sixty days old or older"))
    }

    @Test("Data that cannot be read, and timestamps without data, are errors")
    func unusable() async throws {
        let none = try await CommandLineTool.servertrust(
            ["evaluate", "--chain", "/dev/null", "--host", "a.test", "--sct", "/dev/null"])
        #expect(none.status == 2 && none.errors.contains("--apple-data"))
        let unreadable = try await Self.evaluate(Date(), ["--apple-data", "/nonexistent"])
        #expect(unreadable.status == 2 && unreadable.errors.contains("certificates/roots"))
    }
}
