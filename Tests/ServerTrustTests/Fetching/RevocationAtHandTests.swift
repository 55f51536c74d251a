//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust
import TestSupport
import Testing

/// Apple evaluates what a server stapled whatever the policies are (SecRevocationServer.c).
@Suite("What is at hand about revocation counts without being asked for")
struct RevocationAtHandTests {
    static let host = "www.example.com"

    /// A way to put evidence at hand.
    struct Place: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let put: @Sendable (inout Trust) throws -> Void
    }

    static let places = [
        Place(testDescription: "stapled") { $0.revocation.stapledResponses = [try revokedResponse().view()] },
        Place(testDescription: "a response") { $0.revocation.responses = [try revokedResponse().view()] },
        Place(testDescription: "a response that was asked for") { trust in
            let leaf = try testRoot.leaf { $0.serialNumber = leafSerial }
            let request = OCSPRequest(for: leaf, issuer: try testRoot.authority())
            trust.revocation.requestedResponses = [RequestedOCSPResponse(try revokedResponse().view(), to: request)]
        },
        Place(testDescription: "a list") {
            $0.revocation.lists = [try TestRevocationList(testRoot, revoking: [leafSerial]).view()]
        },
    ]

    private static func revokedResponse() -> TestOCSPResponse {
        var response = TestOCSPResponse()
        response.status = revokedStatus
        return response
    }

    /// A question as it is asked by default.
    private func trust(policies: [TrustPolicy] = []) throws -> Trust {
        var trust = try fetchingTrust(policies: policies)
        trust.revocation = try Trust(
            certificates: trust.certificates, policy: .basicX509, configuration: .only([])
        ).revocation
        return trust
    }

    @Test("A certificate that it shows to be revoked is refused", arguments: places)
    func refused(place: Place) throws {
        var trust = try self.trust()
        #expect(trust.evaluate().isTrusted)
        #expect(trust.evaluate().revocationStatuses == [.unknown(.noInformation)])
        try place.put(&trust)
        let statuses = trust.evaluate().revocationStatuses
        guard statuses.count == 1, case .revoked? = statuses.first else {
            Issue.record("\(statuses)")
            return
        }
        #expect(trust.evaluate().failure?.primary.check == .revocation)
        #expect(trust.evaluate().resultType == .fatalTrustFailure)
        trust.revocation.mode = .off
        #expect(trust.evaluate().isTrusted)
    }

    @Test("Every evaluator refuses it, too", arguments: places)
    func evaluators(place: Place) throws {
        var trust = try self.trust()
        try place.put(&trust)
        let root = Certificate(try testRoot.authority())
        let evaluators: [any ServerTrustEvaluating] = [
            DefaultTrustEvaluator(), DefaultTrustEvaluator(validateHost: false),
            RevocationTrustEvaluator(performDefaultValidation: false),
            PublicKeysTrustEvaluator(keys: [root.publicKey]), PinnedCertificatesTrustEvaluator(certificates: [root]),
            ServerTrustEvaluator.default, ServerTrustEvaluator.pins([Pin(keyOf: root)]),
        ]
        for evaluator in evaluators {
            #expect(evaluator.evaluate(trust, forHost: Self.host).failure?.code == "revoked", "\(evaluator)")
        }
    }

    @Test("Nothing is fetched for it, and something is where a mode was chosen or a policy asks")
    func fetching() async throws {
        let trust = try self.trust()
        let fetcher = MemoryFetcher([TestURL.ocsp: ocspAnswer { $0.status = revokedStatus }])
        #expect(try await trust.evaluate(fetching: fetcher, testOptions()).result.isTrusted)
        #expect(fetcher.urls.isEmpty)
        var asked = trust
        asked.revocation.mode = .soft
        #expect(try await asked.evaluate(fetching: fetcher, testOptions()).result.isTrusted == false)
        let policy = try self.trust(policies: [.revocation(.ocspMethod)])
        #expect(try await policy.evaluate(fetching: fetcher, testOptions()).result.isTrusted == false)
        #expect(fetcher.urls == [TestURL.ocsp, TestURL.ocsp])
    }
}
