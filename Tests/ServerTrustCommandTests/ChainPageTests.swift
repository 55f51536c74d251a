//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustTesting
import TestSupport
import Testing

@Suite("The page of check and evaluate", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ChainPageTests {
    @Test("It says the verdict and the reason first, marks the certificate at fault alone, and explains its codes")
    func evaluated() async throws {
        let (certificates, root) = try TestChain.wrongHost.make()
        try await withTemporaryFolder { folder in
            let options = [
                "evaluate", "--chain", try folder.file("chain", certificates.joined()), "--roots",
                try folder.file("root", root), "--anchors-only", "--format", "html", "--host",
            ]
            let refused = try await CommandLineTool.servertrust(options + [TestChain.host])
            #expect(refused.status == 1 && Self.isClosed(refused.output))
            #expect(refused.output.contains("<h1>server.test</h1>"))
            #expect(
                refused.output.contains(
                    "<p class=\"lead\">server.test is not trusted. The certificate is for other.test"))
            #expect(refused.output.components(separatedBy: "class=\"certificate guilty\"").count == 2)
            #expect(refused.output.components(separatedBy: "class=\"certificate\"").count == 3)
            #expect(
                refused.output.contains("href=\"#code-name-mismatch\"")
                    && refused.output.contains("id=\"code-name-mismatch\""))
            #expect(refused.output.contains("class=\"lifetime pass\""))
            let trusted = try await CommandLineTool.servertrust(options + ["other.test"])
            #expect(trusted.status == 0 && trusted.output.contains("other.test is trusted."), "\(trusted.errors)")
            #expect(!trusted.output.contains("guilty\""))
        }
    }

    @Test("The bar of a certificate that --warn warns of has the color of a warning", arguments: ["100%", "1%"])
    func warned(rule: String) async throws {
        try await withRange([.goodECDSA]) { range, root, _ in
            let target = range.targets[0]
            let finished = try await CommandLineTool.servertrust([
                "check", "\(target.referenceIdentity):\(target.port)", "--connect-to", "127.0.0.1", "--roots", root,
                "--anchors-only", "--format", "html", "--warn", rule,
            ])
            #expect(finished.status == 0, "\(finished.errors)")
            #expect(finished.output.contains("class=\"lifetime unknown\"") == (rule == "100%"))
            #expect(finished.output.contains("class=\"lifetime pass\"") == (rule == "1%"))
        }
    }

    @Test("It has each server that was checked, also one that nothing was heard of")
    func checked() async throws {
        try await withRange { range, root, _ in
            let good = try #require(range.targets.first { $0.expectation == .trusted })
            let finished = try await CommandLineTool.servertrust([
                "check", "\(good.referenceIdentity):\(good.port)", "b.test:1", "--connect-to", "127.0.0.1", "--roots",
                root,
                "--anchors-only", "--format", "html",
            ])
            #expect(finished.status == 2 && Self.isClosed(finished.output))
            #expect(finished.output.contains("1 of 2 servers are trusted."))
            #expect(finished.output.contains("Whether b.test:1 is trusted is not known."))
        }
    }

    /// Whether elements are closed in the order of their beginning.
    private static func isClosed(_ page: String) -> Bool {
        var open: [Substring] = []
        for match in page.matches(of: /<(\/?)([a-z0-9]+)[^>]*>/) where match.2 != "meta" {
            if match.1.isEmpty {
                open.append(match.2)
            } else if open.popLast() != match.2 {
                return false
            }
        }
        return open.isEmpty
    }
}
