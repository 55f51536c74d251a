//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust
import TLSProbe
import TLSWire
import TestSupport
import Testing

/// The connections that questions to real servers cost: measured, and not to grow.
@Suite("The connections that real servers cost", .serialized, .limitedConcurrency, .timeLimit(.minutes(10)))
struct RealServerCostTests {
    /// The library as distributions set it up, at its own security level.
    private static let servers: [RealServer] = [
        RealServer(product: .openssl, certificate: "rsa"), RealServer(product: .openssl, certificate: "p256"),
        RealServer(product: .apache, certificate: "rsa"), RealServer(product: .nginx, certificate: "rsa"),
    ]

    @Test(
        "Seven connections are enough for App Transport Security's verdict, at the default security level, too",
        arguments: Self.servers.filter(\.product.isInstalled))
    func verdict(server: RealServer) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await Self.issue(authority)
            let diagnoser = try Self.diagnoser(.ats, folder)
            try await server.run(in: folder, securityLevel: 2) { port in
                let diagnosed = try await diagnoser.diagnose("a.test:\(port)", connectAddress: "127.0.0.1")
                #expect(diagnosed.verdict == .passed, "\(diagnosed.reasons.map(\.message))")
                #expect(diagnosed.facts.effort.connections <= 7)
                // nginx 1.22 has TLS 1.3 only where it is told so.
                #expect(diagnosed.facts.supportedVersions == (server.product == .nginx ? [.tls12] : [.tls13, .tls12]))
                #expect(diagnosed.facts.versions.count == 4)
            }
        }
    }

    @Test(
        "The plan standard costs about as many connections as there are suites and groups",
        .enabled(if: RealProduct.openssl.isInstalled, "openssl is not installed"),
        arguments: [(false, 35), (true, 40)])
    func standard(hasTwoKeys: Bool, limit: Int) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await Self.issue(authority)
            let chain = folder.path("p256.pem")
            let second = ["-dcert", chain, "-dcert_chain", chain, "-dkey", folder.path("p256.key")]
            let server = RealServer(product: .openssl, certificate: "rsa", settings: hasTwoKeys ? second : [])
            try await server.run(in: folder, securityLevel: 2) { port in
                let diagnosed = try await Self.diagnoser(.standard, folder)
                    .diagnose("a.test:\(port)", connectAddress: "127.0.0.1")
                let facts = diagnosed.facts
                #expect(diagnosed.verdict == .passed && facts.effort.connections <= limit, "\(facts.effort)")
                // Fewer facts would cost less: these are all that the library has.
                #expect(facts.cipherSuites.map(\.suites.count) == [3, hasTwoKeys ? 27 : 20])
                #expect(facts.groups.map(\.groups.count) == [10, 5])
                #expect(facts.cipherSuites.allSatisfy(\.isComplete) && facts.groups.allSatisfy(\.isComplete))
                #expect(facts.chains.filter(\.isProven).count == (hasTwoKeys ? 2 : 1))
            }
        }
    }

    private static func issue(_ authority: RealAuthority) async throws {
        try await authority.issue(RealAuthority.Leaf(key: RealAuthority.rsa2048), as: "rsa")
        try await authority.issue(RealAuthority.Leaf(), as: "p256")
    }

    private static func diagnoser(_ plan: ProbePlan, _ folder: TemporaryFolder) throws -> ServerDiagnoser {
        var configuration = ServerDiagnoser.Configuration()
        (configuration.plan, configuration.followsRedirects) = (plan, false)
        let anchors = TrustAnchors.store(try TrustStore(contentsOf: folder.path("root.pem")))
        return ServerDiagnoser(trust: TrustConfiguration(anchors: anchors), configuration: configuration)
    }
}
