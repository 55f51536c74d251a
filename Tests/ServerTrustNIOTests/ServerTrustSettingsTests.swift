//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import NIOSSL
import ServerTrust
import ServerTrustTesting
import Testing

@testable import ServerTrustNIO

@Suite("Settings by which pools are keyed")
struct ServerTrustSettingsTests {
    @Test("Whatever changes a verdict makes other settings", arguments: changes)
    func changed(change: SettingsChange) throws {
        let settings = try Self.settings()
        var other = settings
        #expect(other == settings && other.hashValue == settings.hashValue)
        try change.apply(&other)
        #expect(other != settings, "\(change.name)")
        let copy = other
        #expect(copy == other && copy.hashValue == other.hashValue, "\(change.name)")
        #expect(Set([settings, other, copy]).count == 2, "\(change.name)")
    }

    @Test("What remembers signatures makes no other settings")
    func caches() throws {
        let settings = try Self.settings()
        var other = settings
        other.signatureCache = nil
        #expect(other == settings)
    }

    @Test("Settings with the same values are equal, and with an evaluator that cannot be compared only to their copies")
    func equality() throws {
        var (left, right) = (try Self.settings(), try Self.settings())
        right.publicSuffixes = left.publicSuffixes
        #expect(left == right && left.hashValue == right.hashValue)
        (left.evaluator, right.evaluator) = (DefaultTrustEvaluator(), DefaultTrustEvaluator())
        #expect(left == right)
        (left.evaluator, right.evaluator) = (UnknownEvaluator(), UnknownEvaluator())
        #expect(left != right)
        (left.handler, right.handler) = (nil, nil)
        let handler = AnsweringHandler { _ in .performDefaultHandling }
        left.handler = handler
        right = left
        #expect(left == right)
        right.handler = handler
        #expect(left != right, "handlers that cannot be compared")
    }

    static func settings() throws -> ServerTrustSettings {
        ServerTrustSettings(trust: TrustConfiguration(anchors: try ATSFixture.authority.get().anchors))
    }
}

struct SettingsChange: Sendable, CustomTestStringConvertible {
    let name: String
    let apply: @Sendable (inout ServerTrustSettings) throws -> Void

    var testDescription: String { self.name }
}

private struct UnknownEvaluator: ServerTrustEvaluating {
    func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision { .trusted(nil) }
}

private let changes: [SettingsChange] = [
    SettingsChange(name: "anchors") { $0.anchors = .none },
    SettingsChange(name: "an anchor more") { $0.anchors.add(try ATSFixture.intermediate.get().trustCertificate) },
    SettingsChange(name: "no ATS") { $0.transportSecurity = .withoutAppTransportSecurity },
    SettingsChange(name: "another ATS") { settings in
        var dictionary = ATSDictionary()
        dictionary.allowsArbitraryLoads = true
        settings.transportSecurity = .appTransportSecurity(ATSPolicy(dictionary))
    },
    SettingsChange(name: "what is local") { settings in
        var configuration = ATSPolicy.Configuration()
        configuration.isLocal = { _ in true }
        settings.transportSecurity = .appTransportSecurity(ATSPolicy(ATSDictionary(), configuration: configuration))
    },
    SettingsChange(name: "the client") { $0.client = .deviceManagement },
    SettingsChange(name: "an evaluator") { $0.evaluator = DefaultTrustEvaluator() },
    SettingsChange(name: "a handler") { $0.handler = AnsweringHandler { _ in .performDefaultHandling } },
    SettingsChange(name: "ALPN") { $0.tls.applicationProtocols = ["h2"] },
    SettingsChange(name: "an identity") { settings in
        let leaf = try ATSFixture.ecdsa.get()[0]
        settings.tls.certificateChain = [.certificate(try NIOSSLCertificate(bytes: leaf.der, format: .der))]
    },
    SettingsChange(name: "no suffixes") { $0.publicSuffixes = $0.publicSuffixes == nil ? .init(parsing: []) : nil },
    SettingsChange(name: "no revocation") { $0.revocation = .off },
    SettingsChange(name: "a list") { $0.revocation.lists = [try RevokedServer.shared.get().list] },
    SettingsChange(name: "transparency") { $0.transparency = TransparencyRequest(logs: TransparencyLogs()) },
    SettingsChange(name: "the handshake's time") { $0.handshakeTimeout = .seconds(1) },
    SettingsChange(name: "the handler's time") { $0.handlerTimeout = .seconds(1) },
    SettingsChange(name: "the number of certificates") { $0.maximumCertificateCount = 1 },
    SettingsChange(name: "the bytes that wait") { $0.maximumPendingBytes = 1 },
]
