//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity
import Foundation
package import ServerDiagnosis
import ServerTrust
import ServerTrustNIO
package import ServerTrustTesting
package import TLSProbe
package import TLSWire

/// Servers described by facts, diagnosed by one root.
package struct DiagnosisFixture: Sendable {
    /// Names and answers that try to leave every format.
    package static let hostile =
        "=cmd|'/C calc'!A0</script><script>alert(1)</script>\"&<img src=x onerror=alert(2)>]]>{0}[x](y)\u{1B}[2J\u{202E}"

    package let authority: TestAuthority
    package let leaf: TestCertificate
    private let trust: VerdictBasis

    package init(names: [String] = ["a.test"], commonName: String? = nil) throws {
        var root = CertificateDescription.root()
        root.keyKind = .rsa2048
        self.authority = try TestAuthority(root: root)
        var leaf = CertificateDescription.leaf(dnsNames: names)
        if let commonName { leaf.commonName = commonName }
        leaf.keyKind = .rsa2048
        self.leaf = try self.authority.issue(leaf)
        var anchors = TrustAnchors.none
        anchors.add(try self.authority.root.trustCertificate)
        self.trust = VerdictBasis(TrustConfiguration(anchors: anchors))
    }

    /// What the plan `standard` finds out about a server of some suites.
    package func facts(_ suites: [(TLSProtocolVersion, [UInt16])]) -> ServerFacts {
        var facts = ServerFacts(plan: .standard, serverName: "a.test")
        facts.address = "192.0.2.1:443"
        let versions: [TLSProtocolVersion] = [.tls13, .tls12, .tls11, .tls10]
        facts.versions = versions.map { version in
            let isSpoken = suites.contains { $0.0 == version }
            return VersionFact(version, isSpoken ? .supported : .refused(.alert(TLSAlertDescription(rawValue: 70))))
        }
        facts.cipherSuites = suites.map { version, numbers in
            CipherSuiteFacts(version, numbers.map(CipherSuite.init), order: .server, isComplete: true)
        }
        facts.features.extendedMasterSecret = true
        var chain = ChainFact([self.leaf.der])
        chain.versions = suites.map(\.0)
        chain.isProven = true
        facts.chains = [chain]
        facts.effort.connections = 20
        return facts
    }

    package func server(
        _ facts: ServerFacts, url: String = "https://a.test", on system: ATSSystem = .newest,
        app: ServerDiagnoser.App? = nil
    ) async throws -> DiagnosedServer {
        var configuration = ServerDiagnoser.Configuration()
        configuration.rules = .init(system: system)
        configuration.app = app
        return try await ServerDiagnoser(trust: self.trust, configuration: configuration).judge(
            facts, of: try TLSEndpoint(host: "a.test"), url: url, date: Date(timeIntervalSince1970: 1_800_000_000.25))
    }

    /// A server whose every text is hostile.
    package static func hostileServer() async throws -> DiagnosedServer {
        let fixture = try DiagnosisFixture(names: ["a.test"], commonName: Self.hostile)
        var facts = fixture.facts([(.tls10, [0xC013])])
        facts.anomalies = [
            .choseUnoffered(Self.hostile), .notTLS(beginning: Self.hostile), .contradiction(Self.hostile),
        ]
        facts.features.applicationProtocols = [Self.hostile]
        facts.versions[0] = VersionFact(.tls13, .unknown(.unreachable(Self.hostile)))
        facts.serverName = Self.hostile
        facts.failure = .notTLS(beginning: Self.hostile)
        return try await fixture.server(facts)
    }
}
