//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@Suite("Transcripts in the documents", .limitedConcurrency, .timeLimit(.minutes(10)))
struct TranscriptTests {
    private static let tools = ["python3", "bash", "curl", "openssl"].map(CommandLineTool.installed)
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("The commands print what the documents say", .enabled(if: tools.allSatisfy { $0 != nil }))
    func transcripts() async throws {
        let python = try #require(CommandLineTool.installed("python3"))
        let result = try await CommandLineTool.run(
            python,
            [
                Self.root.appendingPathComponent("docs/transcripts/run").path,
                try CommandLineTool.servertrustPath(), "--check",
            ])
        #expect(result.status == 0, "\(result.output)\(result.errors); docs/transcripts/run writes them anew")
    }

    @Test("The README tells on one screen what the package does")
    func readme() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
        #expect(text.contains("```console ran"))
    }
}
