//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TestSupport
import Testing

@Suite("A pinned site", .limitedConcurrency, .timeLimit(.minutes(10)))
struct PinnedSiteTests {
    @Test("Is not made for what is no host", arguments: ["", "*.example.com", "a b", "https://a.test", "a.test:443"])
    func noHost(host: String) {
        #expect(throws: TLSEndpointError.self) { try PinnedSite(host: host) }
    }

    @Test("Is trusted under the host it was made for and no other", arguments: ["api.example.com", "192.0.2.7", "::1"])
    func hosts(host: String) async throws {
        let site = try PinnedSite(host: host)
        let manager = try ServerTrustManager(
            allHostsMustBeEvaluated: false, evaluators: [host: .pins([site.pins.leaf, site.pins.backup])])
        for scenario in PinningScenario.allCases {
            let decision = manager.evaluate(try site.trust(for: scenario), forHost: host)
            #expect(decision.isTrusted == scenario.isTrusted(pinning: [.leaf, .backup]), "\(scenario)")
            #expect(!manager.evaluate(try site.trust(for: scenario), forHost: "other.test").isTrusted, "\(scenario)")
        }
        try await withPinningServer(.genuine, of: site) { server in
            let decision = manager.evaluate(try await server.trust(), forHost: host, port: server.port)
            #expect(decision.isTrusted)
        }
    }

    @Test("A server sends what the question without a server has", arguments: [PinningScenario.genuine, .appendedLeaf])
    func sameWithAndWithoutServer(scenario: PinningScenario) async throws {
        let site = try PinnedSite()
        let count = try await withPinningServer(scenario, of: site) { server in
            let presented = try await server.trust().certificates
            #expect(presented.map(\.derRepresentation) == server.certificates)
            return presented.count
        }
        #expect(try site.trust(for: scenario).certificates.count == count)
    }

    @Test("Appended and misplaced certificates are sent where the scenario says")
    func placesOfCertificates() async throws {
        let site = try PinnedSite()
        let last: [PinningScenario: TestCertificate] = [
            .appendedLeaf: site.leaf, .appendedIntermediate: site.intermediate, .appendedRoot: site.root,
            .imitatedIntermediate: site.intermediate, .wrongOrder: site.intermediate,
        ]
        for (scenario, certificate) in last {
            let chain = try site.trust(for: scenario).certificates
            #expect(chain.last == (try certificate.trustCertificate), "\(scenario)")
            #expect(chain.count == 3, "\(scenario)")
        }
    }

    @Test("Has pins of the keys, of which the backup has no certificate yet")
    func pins() throws {
        let site = try PinnedSite()
        #expect(Set(PinnedSite.Part.allCases.map { site.pins[$0] }).count == PinnedSite.Part.allCases.count)
        #expect(site.pins.leaf == (try site.leaf.privateKey.pin))
        #expect(site.pins.backup == (try site.backupKey.pin))
        #expect(site.anchors.certificates == (try [site.root, site.middlemanRoot].map { try $0.trustCertificate }))
        #expect(try site.trust(for: .renewedCertificate).key == site.leaf.publicKey)
        #expect(try site.trust(for: .rotatedKey).key == site.backupKey.publicKey)
        #expect(try site.trust(for: .renewedCertificate).certificates.first != site.leaf.trustCertificate)
    }
}
