//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import NIOSSL
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@testable import ServerTrustNIO

/// One judge sees all clients of a server.
@Suite("The judge of clients")
struct ClientJudgeTests {
    private static func judge(_ change: (inout ClientTrustSettings) throws -> Void = { _ in }) throws -> ClientJudge {
        ClientJudge(
            try ClientFixture.settings {
                $0.signatureCache = nil
                try change(&$0)
            })
    }

    private static func judge(
        _ judge: ClientJudge, _ chain: [TestCertificate]
    ) throws -> Result<ClientIdentity, ClientTrustError> {
        judge.judge(try chain.map { try NIOSSLCertificate(bytes: $0.der, format: .der) })
    }

    private static func isTrusted(_ judge: ClientJudge, _ chain: [TestCertificate]) throws -> Bool {
        guard case .success(let identity) = try Self.judge(judge, chain) else { return false }
        return identity.certificate.derRepresentation == chain[0].der
    }

    @Test("Clients that come in turns are each who they are, and their signatures are verified")
    func inTurns() throws {
        let judge = try Self.judge()
        let others = try (0..<4).map { number in
            try ClientFixture.chain(
                .client(commonName: "c", emailAddresses: [], uniformResourceIdentifiers: ["spiffe://e/\(number)"]))
        }
        var last = Date.distantPast
        for round in 0..<3 {
            for (number, chain) in others.enumerated() {
                let identity = try Self.judge(judge, chain).get()
                #expect(identity.spiffeID?.description == "spiffe://e/\(number)", "\(round)")
                #expect(identity.result.verifiedSignatures == 2)
                #expect(identity.result.evaluationDate > last)
                last = identity.result.evaluationDate
            }
        }
    }

    @Test("A client that was trusted is refused with other certificates, and trusted with its own again")
    func others() throws {
        let judge = try Self.judge()
        let good = try ClientFixture.good.get()
        let stranger = try TestAuthority().issue(
            .client(commonName: "client", emailAddresses: [], uniformResourceIdentifiers: []))
        let expired = try ClientFixture.chain(
            .client(commonName: "client", emailAddresses: [], uniformResourceIdentifiers: [])
        ) {
            $0.notBefore = Date.now.addingTimeInterval(-7_200)
            $0.notAfter = Date.now.addingTimeInterval(-3_600)
        }
        for chain in [[stranger], [stranger, good[1]], [good[0]], expired] {
            #expect(try Self.isTrusted(judge, good))
            #expect(try !Self.isTrusted(judge, chain))
        }
        #expect(try Self.isTrusted(judge, good))
    }

    @Test("A client whose certificate expires is refused from then on")
    func expiring() async throws {
        let judge = try Self.judge()
        let end = Date.now.addingTimeInterval(6)
        let chain = try ClientFixture.chain(
            .client(commonName: "client", emailAddresses: [], uniformResourceIdentifiers: [])
        ) { $0.notAfter = end }
        try #require(try Self.isTrusted(judge, chain))
        try await Task.sleep(for: .seconds(max(0, end.timeIntervalSinceNow) + 1.5))
        #expect(throws: ClientTrustError.self) { try Self.judge(judge, chain).get() }
    }

    @Test("Pins that end are asked about every client")
    func expiringPins() async throws {
        let chain = try ClientFixture.good.get()
        let end = Date.now.addingTimeInterval(4)
        var pins = try PinSet([chain[1].pin], backup: .off)
        pins.expiration = PinExpiration(end, then: .refuse)
        let pinned = pins
        let judge = try Self.judge { $0.pins = pinned }
        try #require(try Self.isTrusted(judge, chain))
        try await Task.sleep(for: .seconds(max(0, end.timeIntervalSinceNow) + 0.5))
        #expect(try !Self.isTrusted(judge, chain))
    }
}
