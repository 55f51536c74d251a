//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@Suite("What a client makes of a test server", .limitedConcurrency, .timeLimit(.minutes(10)))
struct TestServerTrustTests {
    @Test("Trusts as every fault calls for")
    func everyFault() async throws {
        try await withTestServers { range in
            for target in range.targets {
                let result = try await target.trust().evaluate()
                #expect(result.isTrusted == (target.expectation != .refused), "\(target.fault)")
            }
        }
    }

    @Test(
        "Makes one server as it makes the whole range", arguments: [TLSFault.goodRSA, .weakRSA, .expired, .tls10Only])
    func oneFault(fault: TLSFault) async throws {
        try await withTestServer(fault) { server in
            #expect(server.fault == fault)
            let result = try await server.trust().evaluate()
            #expect(result.isTrusted == (server.expectation != .refused))
        }
    }

    @Test("Trusts certificates of one's own below the authority that made them, and below no other")
    func ownCertificates() async throws {
        let authority = try TestAuthority()
        let intermediate = try authority.issue(.intermediate())
        let leaf = try authority.issue(.leaf(dnsNames: ["own.test"]), by: intermediate)
        try await withTestServer(TestTLSServer.Configuration(leaf, sending: [intermediate])) { server in
            let anchors = try authority.anchors
            #expect(try await server.trust(forHost: "own.test", anchors: anchors).evaluate().isTrusted)
            #expect(try await !server.trust(forHost: "other.test", anchors: anchors).evaluate().isTrusted)
            let stranger = try TestAuthority().anchors
            #expect(try await !server.trust(forHost: "own.test", anchors: stranger).evaluate().isTrusted)
        }
    }

    @Test("Names are found, and those that are not are told what there is")
    func names() throws {
        let error = #expect(throws: UnknownNameError.self) { try TLSFault(named: "expird") }
        #expect(error?.name == "expird")
        #expect(error?.known == TLSFault.allCases.map(\.rawValue))
        #expect(error?.description.hasPrefix("no fault is named \"expird\": use one of good-rsa, good-ecdsa") == true)
        #expect(throws: UnknownNameError.self) { try PinningScenario(named: "trustedMiddleman") }
        for fault in TLSFault.allCases { #expect(try TLSFault(named: "\(fault)") == fault) }
        for scenario in PinningScenario.allCases { #expect(try PinningScenario(named: "\(scenario)") == scenario) }
    }

    @Test("Names and summaries of pinning scenarios are distinct and fit a line")
    func namesAndSummaries() {
        #expect(Set(PinningScenario.allCases.map(\.summary)).count == PinningScenario.allCases.count)
        for scenario in PinningScenario.allCases {
            #expect(scenario.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
            #expect(scenario.summary.count <= 80)
        }
    }
}
