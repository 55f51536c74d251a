//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import Testing

@testable import PinningDialects

/// A configuration, the dialect that cannot say it, and whether what is left lets more through.
private struct Loss: Sendable, CustomTestStringConvertible {
    let dialect: PinningDialect
    let codes: [PinningDiagnostic.Code]
    let configuration: PinningConfiguration
    let testDescription: String

    init(
        _ name: String, _ dialect: PinningDialect, _ codes: [PinningDiagnostic.Code],
        _ change: (inout PinnedDomain) -> Void
    ) {
        let scope = dialect.capabilities?.scopes.first ?? .path
        var domain = PinnedDomain("example.com", pins: PinSet(unchecked: [.init([Sample.a, Sample.b], scope: scope)]))
        change(&domain)
        let combination = dialect.capabilities?.combination ?? .mostSpecific
        self.configuration = PinningConfiguration(domains: [domain], combination: combination)
        self.dialect = dialect
        self.codes = codes
        self.testDescription = "\(dialect): \(name)"
    }
}

private let end = try! PinExpiration("2030-01-31T12:00:00Z", then: .ignorePins)

private let losses: [Loss] = [
    Loss("leaf", .okhttp, [.inexpressible]) { $0.pins?.requirements[0].scope = .leaf },
    Loss("path", .ios, [.ignored]) { $0.pins?.requirements[0].scope = .path },
    Loss("anchor", .ios, [.inexpressible]) { $0.pins?.requirements[0].scope = .anchor },
    Loss("authorities", .curl, [.inexpressible]) { $0.pins?.requirements[0].scope = .authorities },
    Loss("two requirements", .android, [.inexpressible]) { $0.pins?.requirements.append(.init([Sample.c])) },
    Loss("report-only", .ios, [.ignored]) { $0.pins?.isReportOnly = true },
    Loss("reports", .okhttp, [.ignored]) { $0.reportURIs = ["https://a"] },
    Loss("an end", .okhttp, [.ignored]) { $0.pins?.expiration = end },
    Loss("an hour", .android, [.ignored]) { $0.pins?.expiration = end },
    Loss("refusal after the end", .trustkit, [.ignored]) {
        $0.pins?.expiration = PinExpiration(end.date, then: .refuse)
    },
    Loss("any depth", .ios, [.inexpressible]) { $0.subdomains = .anyDepth },
    Loss("one label", .android, [.ignored]) { $0.subdomains = .oneLabel },
    Loss("subdomains", .curl, [.inexpressible]) { $0.subdomains = .anyDepth },
    Loss("a port", .android, [.ignored]) { $0.port = 8_443 },
    Loss("a port without pins", .android, [.inexpressible]) {
        $0.port = 8_443
        $0.pins = nil
    },
    Loss("whole certificates", .curl, [.ignored]) {
        $0.pins?.requirements[0].pins.insert(Pin(certificate: Sample.certificate))
    },
    Loss("whole certificates alone", .curl, [.ignored, .inexpressible]) {
        $0.pins?.requirements[0].pins = [Pin(certificate: Sample.certificate)]
    },
    Loss("no pins", .okhttp, [.ignored]) { $0.pins = nil },
    Loss("anchors", .ios, [.inexpressible]) { $0.anchors = AnchorSources(classes: []) },
    Loss("anchors taken away", .trustkit, [.inexpressible]) { $0.anchors = AnchorSources(classes: [.user]) },
    Loss("exempt anchors", .okhttp, [.ignored]) { $0.pins?.exemptAnchors = [.user] },
    Loss("exempt anchors of nothing", .android, [.ignored]) { $0.pins?.exemptAnchors = [.user] },
    Loss("a year of five digits", .json, [.inexpressible]) {
        $0.pins?.expiration = PinExpiration(end.date + 1e12, then: .refuse)
    },
    Loss("no host", .android, [.invalidHost]) { $0.host = "*" },
]

@Suite struct PinningWriterTests {
    @Test(arguments: losses)
    private func `What is lost is said, as an error where more is let through`(loss: Loss) {
        let written = PinningWriter(loss.dialect).write(loss.configuration)
        #expect(written.diagnostics.map(\.code) == loss.codes, "\(written.diagnostics)")
        #expect(written.isFaithful == !loss.codes.contains { $0.severity == .error })
    }

    @Test func `A union becomes what its most specific domains come to`() throws {
        let union = PinningConfiguration(
            domains: [
                PinnedDomain("example.com", subdomains: .anyDepth, pins: try PinSet([Sample.a])),
                PinnedDomain("api.example.com", pins: try PinSet([Sample.b])),
            ], combination: .union)
        let written = PinningWriter(.android).write(union)
        #expect(written.diagnostics.isEmpty, "\(written.diagnostics)")
        let android = try #require(PinningReading(written.text, .android).configuration)
        #expect(try android.domain(forHost: "api.example.com")?.pins?.pins == [Sample.a, Sample.b].sorted())
        #expect(try android.domain(forHost: "b.example.com")?.pins?.pins == [Sample.a])
        #expect(try android.domain(forHost: "example.com")?.pins?.pins == [Sample.a])
    }

    @Test func `A domain that narrows down another cannot be said as a union`() throws {
        let configuration = PinningConfiguration(domains: [
            PinnedDomain("example.com", subdomains: .anyDepth, pins: try PinSet([Sample.a])),
            PinnedDomain("api.example.com", pins: try PinSet([Sample.b])),
        ])
        let written = PinningWriter(.okhttp).write(configuration)
        #expect(written.diagnostics.map(\.code) == [.inexpressible])
    }

    @Test func `Certificates of Android become resources, each once`() throws {
        var domain = PinnedDomain("example.com", pins: try PinSet([Sample.a, Sample.b]))
        domain.anchors = AnchorSources(classes: [.system], certificates: [Sample.certificate])
        var other = domain
        other.host = "example.org"
        let written = PinningWriter(.android).write(PinningConfiguration(domains: [domain, other]))
        #expect(written.certificates == ["@raw/pinned_ca_1": Sample.certificate])
    }
}
