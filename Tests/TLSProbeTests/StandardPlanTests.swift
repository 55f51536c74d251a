//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire
import Testing

/// A server, and how many connections a standard probe of it takes.
struct ProbedServer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var server: FakeServer
    /// Whether all groups before TLS 1.3 can be found: not where the only certificate is on one of them.
    var hasAllCurves = true
    let connections: Int

    init(
        _ title: String, _ suites: [TLSProtocolVersion: [UInt16]], connections: Int,
        _ change: (inout FakeServer) -> Void = { _ in }
    ) {
        self.testDescription = title
        self.server = FakeServer(suites)
        self.connections = connections
        change(&self.server)
    }
}

private let intermediate = FakeServer.intermediateSuites
private let both: [UInt16] = [0xC02B, 0xC02F, 0xC02C, 0xC030, 0xCCA9, 0xCCA8]
private let tls13: [UInt16] = [0x1302, 0x1303, 0x1301]

private let probedServers: [ProbedServer] = [
    ProbedServer("modern", [.tls13: tls13, .tls12: intermediate], connections: 19),
    ProbedServer("the client's order", [.tls13: tls13, .tls12: intermediate], connections: 18) { $0.order = .client },
    ProbedServer(
        "ChaCha20 first for some", [.tls13: tls13, .tls12: [0xC030, 0xC02F, 0xC014, 0xCCA8, 0x39]], connections: 19
    ) {
        $0.prioritisesChaCha = true
    },
    ProbedServer("two chains", [.tls13: tls13, .tls12: both], connections: 22) {
        $0.ecdsaChain = [[0x30, 2]]
        $0.groups = [.secp256r1, .x25519, .secp384r1]
    },
    ProbedServer(
        "the same suites in three versions",
        [.tls12: FakeServer.oldSuites, .tls11: FakeServer.oldSuites, .tls10: FakeServer.oldSuites], connections: 23),
    ProbedServer(
        "the client's order in three versions",
        [.tls12: FakeServer.oldSuites, .tls11: FakeServer.oldSuites, .tls10: FakeServer.oldSuites], connections: 22
    ) { $0.order = .client },
    ProbedServer(
        "more in TLS 1.0", [.tls12: FakeServer.oldSuites, .tls10: FakeServer.oldSuites + [0x0005, 0x0004]],
        connections: 30),
    ProbedServer(
        "less in TLS 1.0", [.tls12: FakeServer.oldSuites, .tls10: Array(FakeServer.oldSuites.dropLast())],
        connections: 26),
    ProbedServer(
        "another order in TLS 1.1", [.tls12: FakeServer.oldSuites, .tls11: FakeServer.oldSuites.reversed()],
        connections: 25),
    ProbedServer("nothing but SSL 3.0", [.ssl30: [0x0005, 0x000A]], connections: 12),
    ProbedServer(
        "secrets, anonymous, export and nothing",
        [.tls12: [0x00A8, 0x008C, 0x0034, 0x0002, 0x003B], .tls10: [0x008C, 0x0034, 0x0003, 0x0008, 0x0001]],
        connections: 18),
    ProbedServer("TLS 1.3 alone", [.tls13: [0x1301]], connections: 8) { $0.ecdsaChain = [[0x30, 2]] },
    ProbedServer("TLS 1.2 alone, one suite", [.tls12: [0xC02F]], connections: 9),
    ProbedServer("a client certificate", [.tls13: tls13, .tls12: intermediate], connections: 19) {
        $0.clientAuthorities = [[0x30, 0]]
    },
    ProbedServer("no TLS 1.1", [.tls12: FakeServer.oldSuites, .tls10: FakeServer.oldSuites], connections: 20),
]

@Suite("The standard plan")
struct StandardPlanTests {
    @Test("What a server speaks is found out exactly, in few connections", arguments: probedServers)
    func exact(probed: ProbedServer) async {
        let (facts, exchange) = await probed.server.facts(.standard)
        probed.server.expectExactly(facts)
        #expect(facts.failure == nil && !facts.effort.isDegraded)
        #expect(facts.effort.connections == exchange.connections)
        #expect(exchange.connections == probed.connections)
        #expect(facts.effort.retries == 0 && exchange.pauses.isEmpty)
    }

    @Test("A thorough plan finds the same", arguments: probedServers)
    func deep(probed: ProbedServer) async {
        let (facts, exchange) = await probed.server.facts(.deep)
        probed.server.expectExactly(facts)
        #expect(facts.failure == nil && facts.cipherSuites.allSatisfy { $0.inferredFrom == nil })
        #expect(facts.effort.connections == exchange.connections)
    }
}

extension FakeServer {
    /// Holds facts against what the server is made of.
    func expectExactly(_ facts: ServerFacts, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(Set(facts.supportedVersions) == Set(self.suites.keys), sourceLocation: sourceLocation)
        for version in [TLSProtocolVersion.tls13, .tls12, .tls11, .tls10, .ssl30] {
            #expect(facts.support(of: version) != nil, "\(version)", sourceLocation: sourceLocation)
            let found = facts.cipherSuites(of: version)
            guard let own = self.suites[version] else {
                #expect(found == nil, "\(version)", sourceLocation: sourceLocation)
                continue
            }
            let isOrdered = self.order == .server
            let order = own.count > 1 ? self.order : .unknown
            #expect(found?.isComplete == true && found?.order == order, "\(version)", sourceLocation: sourceLocation)
            #expect(found.map { Set($0.suites) } == Set(own), "\(version)", sourceLocation: sourceLocation)
            if isOrdered { #expect(found?.suites == own, "\(version)", sourceLocation: sourceLocation) }
        }
        self.expectGroups(facts, sourceLocation)
        self.expectChains(facts, sourceLocation)
    }

    private func expectGroups(_ facts: ServerFacts, _ sourceLocation: SourceLocation) {
        for found in facts.groups {
            let own = self.groups.filter { found.version >= .tls13 ? $0.isUsableInTLS13 : $0.kind == .ellipticCurve }
            #expect(found.isComplete && found.failure == nil, sourceLocation: sourceLocation)
            #expect(Set(found.groups) == Set(own), sourceLocation: sourceLocation)
            if self.order == .server { #expect(found.groups == own, sourceLocation: sourceLocation) }
        }
        let hasCurves = self.suites.values.joined().contains { $0.keyExchange == .ecdhe }
        #expect(
            facts.groups.count == (self.suites[.tls13] == nil ? 0 : 1) + (hasCurves ? 1 : 0),
            sourceLocation: sourceLocation)
    }

    private func expectChains(_ facts: ServerFacts, _ sourceLocation: SourceLocation) {
        let suites = self.suites.values.joined()
        let usesECDSA = suites.contains { $0.authentication == .ecdsa || $0.isTLS13 }
        let usesRSA = suites.contains { $0.authentication == .rsa || $0.isTLS13 }
        let own = [usesRSA ? self.rsaChain : nil, usesECDSA ? self.ecdsaChain : nil].compactMap(\.self)
        #expect(Set(facts.chains.map(\.certificates)) == Set(own), sourceLocation: sourceLocation)
        #expect(
            (facts.features.clientCertificate != nil) == (self.clientAuthorities != nil), sourceLocation: sourceLocation
        )
    }
}
