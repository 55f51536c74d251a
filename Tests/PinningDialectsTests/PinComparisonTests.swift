//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

@testable import PinningDialects

/// A server below a new root that an old root has cross-signed. Both roots are trusted, and the server sends the cross-signature: the
/// shortest path ends at the new root, a longer one at the old.
private struct CrossSignedServer {
    private static let (old, new) = (CraftedAuthority("Old", .p256(51)), CraftedAuthority("New", .p256(52)))

    let oldRoot = Certificate(try! Self.old.authority())
    let newRoot = Certificate(try! Self.new.authority())

    var trust: Trust {
        get throws {
            var trust = try Trust(
                certificates: [Certificate(try Self.new.leaf()), Certificate(try Self.old.authority(Self.new))],
                policy: .tlsServer(hostname: "www.example.com"))
            trust.anchors = .only([self.newRoot, self.oldRoot])
            trust.verifyDate = Date(testTime)
            trust.transparency = nil
            return trust
        }
    }
}

/// A file that pins a key for www.example.com in each dialect, and the step at which the dialect compares pins.
private struct ComparingFile: Sendable, CustomTestStringConvertible {
    let dialect: PinningDialect
    let comparison: PinRequirement.Comparison
    let text: @Sendable (Pin) -> String

    var testDescription: String { "\(self.dialect), \(self.comparison)" }

    static let all = [
        ComparingFile(dialect: .ios, comparison: .duringSearch) {
            Sample.plist(
                """
                <key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict><key>www.example.com</key><dict>
                <key>NSPinnedCAIdentities</key><array><dict><key>SPKI-SHA256-BASE64</key><string>\($0.base64)</string></dict></array>
                </dict></dict></dict>
                """)
        },
        ComparingFile(dialect: .trustkit, comparison: .afterSearch) {
            Sample.plist(
                """
                <key>TSKConfiguration</key><dict><key>TSKPinnedDomains</key><dict><key>www.example.com</key><dict>
                <key>TSKPublicKeyHashes</key><array><string>\($0.base64)</string><string>\(Sample.a.base64)</string></array>
                </dict></dict></dict>
                """)
        },
        ComparingFile(dialect: .android, comparison: .afterSearch) {
            """
            <network-security-config><domain-config><domain>www.example.com</domain>
            <pin-set><pin digest="SHA-256">\($0.base64)</pin></pin-set></domain-config></network-security-config>
            """
        },
        ComparingFile(dialect: .okhttp, comparison: .afterSearch) { "www.example.com \($0)" },
        ComparingFile(dialect: .json, comparison: .duringSearch) {
            #"{"format": "servertrust.pins/1", "domains": [{"host": "www.example.com", "pins": ["\#($0)"]}]}"#
        },
        ComparingFile(dialect: .json, comparison: .afterSearch) {
            """
            {"format": "servertrust.pins/1", "domains": [
              {"host": "www.example.com", "pins": ["\($0)"], "comparison": "after-search"}]}
            """
        },
    ]
}

@Suite struct PinComparisonTests {
    @Test(
        "A pin that only a longer path has is found where the dialect searches with pins, and nowhere else",
        arguments: ComparingFile.all)
    private func longerPath(_ file: ComparingFile) throws {
        let server = CrossSignedServer()
        let decision = try self.decision(file, pinning: server.oldRoot)
        #expect(decision.isTrusted == (file.comparison == .duringSearch))
        guard file.comparison == .afterSearch else { return }
        #expect(decision.result?.path.last?.publicKey == server.newRoot.publicKey)
        #expect(decision.failure?.mismatch?.isPathTrusted == true)
        #expect(decision.failure?.code.hasSuffix("not-pinned") == true)
    }

    @Test("A pin of the path that the search chooses is found in every dialect", arguments: ComparingFile.all)
    private func chosenPath(_ file: ComparingFile) throws {
        #expect(try self.decision(file, pinning: CrossSignedServer().newRoot).isTrusted)
    }

    @Test("Where two entries are about a host, the stricter step holds in either order", arguments: [false, true])
    func united(isReversed: Bool) throws {
        let server = CrossSignedServer()
        var domains = [
            #"{"host": "www.example.com", "pins": ["\#(Sample.a)"]}"#,
            #"{"host": "www.example.com", "pins": ["\#(Pin(keyOf: server.oldRoot))"], "comparison": "after-search"}"#,
        ]
        if isReversed { domains.reverse() }
        let text = """
            {"format": "servertrust.pins/1", "combination": "union", "domains": [\(domains.joined(separator: ", "))]}
            """
        let configuration = try #require(PinningReader(.json).read(Array(text.utf8)).configuration)
        let manager = try configuration.manager(requiresPins: true)
        #expect(!manager.evaluate(try server.trust, forHost: "www.example.com").isTrusted)
    }

    @Test(
        "An untrusted path is refused for its own fault and for its pins, at whichever step they are compared",
        arguments: ComparingFile.all)
    private func untrusted(_ file: ComparingFile) throws {
        let decision = try self.decision(file, pinning: CrossSignedServer().oldRoot) {
            $0.verifyDate = Date(timeIntervalSince1970: 2_500_000_000)
        }
        guard case .untrusted(let failure)? = decision.failure?.reason else { throw CancellationError() }
        #expect(failure.primary.code == "expired")
        #expect(failure.reasons.contains { $0.code.hasSuffix("not-pinned") })
    }

    private func decision(
        _ file: ComparingFile, pinning certificate: Certificate, change: (inout Trust) -> Void = { _ in }
    ) throws -> ServerTrustDecision {
        let reading = PinningReader(file.dialect).read(Array(file.text(Pin(keyOf: certificate)).utf8))
        let manager = try #require(reading.configuration).manager(requiresPins: true)
        var trust = try CrossSignedServer().trust
        change(&trust)
        return manager.evaluate(trust, forHost: "www.example.com")
    }
}
