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

/// One judge sees all clients of a server, and keeps its last answers.
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
        let result = judge.judge(try chain.map { try NIOSSLCertificate(bytes: $0.der, format: .der) })
        // As after a handshake in which the client proves that it holds its key.
        if case .success(let identity) = result { judge.remember(identity) }
        return result
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
                #expect(identity.result.verifiedSignatures == 2 && identity.result.isAffirmed == (round > 0))
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

    private static func answer(
        _ chain: [TestCertificate], _ anchors: TrustAnchors? = nil, _ change: (inout Trust) throws -> Void = { _ in }
    ) throws -> TrustResult {
        var trust = try Trust(
            certificates: chain.map { try $0.trustCertificate }, policy: .tlsClient(),
            anchors: anchors ?? ClientFixture.authority.get().anchors)
        try change(&trust)
        return trust.evaluate()
    }

    private static func client(_ change: (inout CertificateDescription) -> Void = { _ in }) throws -> [TestCertificate]
    {
        try ClientFixture.chain(
            .client(commonName: "c", emailAddresses: [], uniformResourceIdentifiers: []), change)
    }

    @Test("No more answers are kept than there is room for, and those in use stay")
    func room() throws {
        let answers = TrustedAnswers(capacity: 4)
        let clients = try (0..<12).map { _ in try Self.client() }
        func isKnown(_ index: Int) -> Bool { answers.affirmed(clients[index].map(\.der)) != nil }
        for index in clients.indices {
            answers.remember(try Self.answer(clients[index]))
            #expect(isKnown(index) && isKnown(0))
        }
        #expect(clients.indices.filter(isKnown).count <= 4)
        answers.removeAll()
        #expect(!clients.indices.contains(where: isKnown))
    }

    @Test("An answer is given again about the same certificates alone")
    func sameCertificates() throws {
        let answers = TrustedAnswers(capacity: 4)
        let (one, other) = (try Self.client(), try Self.client())
        answers.remember(try Self.answer(one))
        func isKnown(_ chain: [TestCertificate]) -> Bool { answers.affirmed(chain.map(\.der)) != nil }
        #expect(isKnown(one))
        for chain in [[], [one[0]], [one[1]], [one[1], one[0]], [one[0], other[0]], one + [one[1]], other] {
            #expect(!isKnown(chain))
        }
        var changed = one.map(\.der)
        changed[0][40] ^= 1
        #expect(answers.affirmed(changed) == nil)
    }

    @Test("What cannot be affirmed is not remembered")
    func notRemembered() throws {
        let chain = try Self.client()
        let stranger = try TestAuthority()
        let list = try ClientFixture.intermediate.get().revocationList(revoking: [4_711])
        let large = try Self.client { $0.dnsNames = (0..<1_000).map { "host-\($0).a-long-domain.example" } }
        let expired = try Self.client {
            $0.notBefore = Date.now.addingTimeInterval(-7_200)
            $0.notAfter = Date.now.addingTimeInterval(-3_600)
        }
        let results: [(chain: [TestCertificate], result: TrustResult)] = [
            (chain, try Self.answer(chain, TrustAnchors.none)),
            (chain + [stranger.root], try Self.answer(chain + [stranger.root])),
            (large, try Self.answer(large)),
            (chain, try Self.answer(chain) { $0.revocation.lists = [list] }),
            (chain, try Self.answer(chain) { $0.policies.append(.revocation(.useAnyAvailableMethod)) }),
            (chain, try Self.answer(chain) { $0.extendedValidation = ExtendedValidationProgram(policies: [:]) }),
            (expired, try Self.answer(expired) { $0.setExceptions($0.currentExceptions()) }),
        ]
        for (index, (chain, result)) in results.enumerated() {
            let answers = TrustedAnswers(capacity: 4)
            answers.remember(result)
            #expect(answers.affirmed(chain.map(\.der)) == nil, "\(index)")
        }
    }
}
