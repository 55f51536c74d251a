//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import ServerTrust

@Suite("Credentials")
struct CredentialTests {
    /// A value that holds secrets.
    struct Secretive: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable () throws -> Any
    }

    private static let secrets = ["swordfish", "ada-the-user", "session-cookie"]

    @Test("No description and no dump has a secret in it", arguments: secretive)
    func secrecy(secretive: Secretive) throws {
        let value = try secretive.make()
        var dumped = ""
        dump(value, to: &dumped)
        dump([value], to: &dumped)
        let texts = [
            "\(value)", String(describing: value), String(reflecting: value), String(reflecting: [value]),
            String(describing: Optional.some(value) as Any), dumped,
        ]
        for text in texts {
            for secret in Self.secrets { #expect(!text.contains(secret), "\(secretive.testDescription): \(text)") }
        }
    }

    @Test("A credential answers the methods of its kind alone", arguments: AuthenticationMethod.allCases)
    func kinds(method: AuthenticationMethod) throws {
        let chain = try TestChain()
        var space = try TestSpace.space(method)
        space.serverTrust = try TestTrust.trust(chain)
        let isOfTLS = method == .serverTrust || method == .clientCertificate
        #expect(TestSpace.credential().answers(space) == !isOfTLS)
        #expect(Credential(trust: try TestTrust.trust(chain)).answers(space) == (method == .serverTrust))
        let identity = TestIdentity(certificates: [Certificate(chain.leaf)])
        #expect(Credential(identity: identity, persistence: .none).answers(space) == (method == .clientCertificate))
        #expect(!Credential(identity: TestIdentity(certificates: []), persistence: .none).answers(space))
    }

    @Test("Trust answers a challenge with the same certificates alone")
    func otherTrust() throws {
        let (chain, other) = (try TestChain(), try TestChain(leaf: { $0.serialNumber = [2, 1, 0x55] }))
        let credential = Credential(trust: try TestTrust.trust(other))
        #expect(!credential.answers(try TestSpace.trust(chain)))
        #expect(credential.answers(try TestSpace.trust(other)))
        #expect(!credential.answers(try TestSpace.space(.serverTrust)))
    }

    @Test("Credentials are equal when all they hold is")
    func equality() throws {
        let (chain, other) = (try TestChain(), try TestChain(leaf: { $0.serialNumber = [2, 1, 0x55] }))
        let credentials = [
            TestSpace.credential(), TestSpace.credential("eve"), TestSpace.credential(password: "other"),
            TestSpace.credential(persistence: .permanent), Credential(trust: try TestTrust.trust(chain)),
            Credential(trust: try TestTrust.trust(other)),
            Credential(identity: TestIdentity(certificates: [Certificate(chain.leaf)]), persistence: .session),
            Credential(identity: TestIdentity(certificates: [Certificate(other.leaf)]), persistence: .session),
        ]
        for (index, one) in credentials.enumerated() {
            for (otherIndex, other) in credentials.enumerated() { #expect((one == other) == (index == otherIndex)) }
        }
    }

    @Test("The fields of a response are found in any case")
    func fields() {
        let response = FailureResponse(
            statusCode: 401, headers: [.init("WWW-Authenticate", "Basic"), .init("www-authenticate", "Digest")])
        #expect(response["Www-Authenticate"] == ["Basic", "Digest"] && response["Host"].isEmpty)
    }
}

private let password = Credential(user: "ada-the-user", password: "swordfish", persistence: .permanent)

private func challenge() throws -> AuthenticationChallenge {
    AuthenticationChallenge(
        try TestSpace.basic(), proposedCredential: password, previousFailureCount: 1,
        failureResponse: FailureResponse(statusCode: 401, headers: [.init("Set-Cookie", "session-cookie")]),
        error: NamesSecret())
}

private struct NamesSecret: Error {
    let text = "swordfish"
}

/// A handler of a program that has a password in plain sight.
private struct KnowsPassword: ChallengeHandler {
    let password = "swordfish"

    func respond(to challenge: AuthenticationChallenge) async throws -> AuthenticationDisposition {
        .rejectProtectionSpace
    }
}

private let secretive: [CredentialTests.Secretive] = [
    .init(testDescription: "password") { password },
    .init(testDescription: "identity") {
        Credential(identity: TestIdentity(certificates: []), persistence: .session)
    },
    .init(testDescription: "disposition") { AuthenticationDisposition.useCredential(password) },
    .init(testDescription: "outcome") { ChallengeOutcome.useCredential(password, try TestSpace.basic()) },
    .init(testDescription: "challenge") { try challenge() },
    .init(testDescription: "response") { try challenge().failureResponse as Any },
    .init(testDescription: "field") { FailureResponse.Field("Set-Cookie", "session-cookie") },
    .init(testDescription: "error") { ChallengeError(.handlerFailed, cause: NamesSecret()) },
    .init(testDescription: "outcome with an error") {
        ChallengeOutcome.cancel(ChallengeError(.handlerFailed, cause: NamesSecret()))
    },
    .init(testDescription: "router") { ChallengeRouter(session: KnowsPassword(), task: KnowsPassword()) },
    .init(testDescription: "exchange") { AuthenticationExchange(ChallengeRouter(task: KnowsPassword())) },
]
