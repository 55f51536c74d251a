//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization
import TestSupport
import Testing

@testable import ServerTrust

@Suite("Routing of challenges", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ChallengeRouterTests {
    /// A row of the routing table.
    struct Route: Sendable, CustomTestStringConvertible {
        let method: AuthenticationMethod
        let hasSession: Bool
        let hasTask: Bool
        /// Who is asked.
        let asked: [String]

        var testDescription: String { "\(self.method), session: \(self.hasSession), task: \(self.hasTask)" }
    }

    @Test("Each method has its handler, and no other is asked", arguments: routes)
    func routing(route: Route) async throws {
        let asked = Mutex<[String]>([])
        func handler(_ name: String) -> TestHandler {
            TestHandler { _ in
                asked.withLock { $0.append(name) }
                return .cancelAuthenticationChallenge
            }
        }
        let router = ChallengeRouter(
            session: route.hasSession ? handler("session") : nil, task: route.hasTask ? handler("task") : nil)
        let outcome = await router.outcome(of: AuthenticationChallenge(try TestSpace.space(route.method)))
        #expect(asked.withLock { $0 } == route.asked)
        let unasked = route.method == .serverTrust ? "default" : "continue"
        #expect(outcome.name == (route.asked.isEmpty ? unasked : "cancelled-by-handler"))
    }

    /// An answer of a handler, and what it comes to.
    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var disposition: AuthenticationDisposition?
        var hasProposal = false
        var failures = 0
        /// For methods of HTTP, for a client's certificate, and for a server's trust.
        let outcomes: (http: String, certificate: String, trust: String)
    }

    @Test("Each disposition comes to what Apple says, with a handler and without one", arguments: answers)
    func dispositions(answer: Answer) async throws {
        let chain = try TestChain()
        let identity = Credential(
            identity: TestIdentity(certificates: [Certificate(chain.leaf)]), persistence: .session)
        let cases = [
            (try TestSpace.basic(), TestSpace.credential(), answer.outcomes.http),
            (try TestSpace.space(.clientCertificate), identity, answer.outcomes.certificate),
            (try TestSpace.trust(chain), Credential(trust: try TestTrust.trust(chain)), answer.outcomes.trust),
        ]
        for (space, proposal, expected) in cases {
            let handler = answer.disposition.map { disposition in TestHandler { _ in disposition } }
            let router = ChallengeRouter(session: handler, task: handler)
            let outcome = await router.outcome(
                of: AuthenticationChallenge(
                    space, proposedCredential: answer.hasProposal ? proposal : nil,
                    previousFailureCount: answer.failures))
            #expect(outcome.name == expected, "\(space.authenticationMethod)")
        }
    }

    @Test("A rejected challenge gives way to the next one, and after the last the response is delivered")
    func rejection() async throws {
        let asked = Mutex<[AuthenticationMethod]>([])
        let router = ChallengeRouter(
            task: TestHandler { challenge in
                let method = challenge.protectionSpace.authenticationMethod
                asked.withLock { $0.append(method) }
                return method == .httpBasic ? .useCredential(TestSpace.credential()) : .rejectProtectionSpace
            })
        let digest = AuthenticationChallenge(try TestSpace.space(.httpDigest))
        let basic = AuthenticationChallenge(try TestSpace.basic())
        let outcome = await router.outcome(of: [digest, basic, digest])
        guard case .useCredential(_, let space) = outcome else { throw Unexpected() }
        #expect(space == basic.protectionSpace)
        #expect(await router.outcome(of: [digest, digest]).name == "continue")
        #expect(asked.withLock { $0 } == [.httpDigest, .httpBasic, .httpDigest, .httpDigest])
        #expect(await router.outcome(of: []).name == "continue")
        #expect(await router.outcome(of: Array(repeating: digest, count: 33)).name == "too-many-challenges")
    }

    @Test("Default handling does not go on to a weaker challenge")
    func defaultHandling() async throws {
        let digest = AuthenticationChallenge(try TestSpace.space(.httpDigest))
        let basic = AuthenticationChallenge(try TestSpace.basic(), proposedCredential: TestSpace.credential())
        #expect(await ChallengeRouter().outcome(of: [digest, basic]).name == "continue")
        #expect(await ChallengeRouter().outcome(of: [basic, digest]).name == "use")
    }

    @Test("A credential of another kind is never sent, proposed or answered", arguments: AuthenticationMethod.allCases)
    func wrongKind(method: AuthenticationMethod) async throws {
        let space = try TestSpace.space(method)
        let credential =
            method == .serverTrust || method == .clientCertificate
            ? TestSpace.credential() : Credential(trust: try TestTrust.trust(TestChain()))
        let router = ChallengeRouter(
            session: TestHandler(.useCredential(credential)), task: TestHandler(.useCredential(credential)))
        #expect(await router.outcome(of: AuthenticationChallenge(space)).name == "wrong-credential")
        let proposed = AuthenticationChallenge(space, proposedCredential: credential)
        let outcome = await ChallengeRouter().outcome(of: proposed)
        #expect(outcome.name == (method == .serverTrust ? "default" : "wrong-credential"))
    }

    // MARK: Handlers that misbehave

    @Test("A handler that throws ends the request, with its error as the cause")
    func throwing() async throws {
        let router = ChallengeRouter(task: TestHandler { _ in throw Unexpected() })
        let outcome = await router.outcome(of: AuthenticationChallenge(try TestSpace.basic()))
        guard case .cancel(let error) = outcome else { throw Unexpected() }
        #expect(error.code == .handlerFailed && error.cause is Unexpected)
    }

    @Test("A handler that never answers is cancelled at the end of its time", arguments: [true, false])
    func silent(heedsCancellation: Bool) async throws {
        let (cancellations, sink) = AsyncStream.makeStream(of: Void.self)
        let router = Self.silentRouter(.milliseconds(50), heedsCancellation: heedsCancellation) { sink.yield() }
        #expect(await router.outcome(of: AuthenticationChallenge(try TestSpace.basic())).name == "timeout")
        for await _ in cancellations { break }
    }

    @Test("A task that is cancelled does not wait for its handler", arguments: [true, false])
    func cancelled(heedsCancellation: Bool) async throws {
        let (events, sink) = AsyncStream.makeStream(of: Void.self)
        let router = Self.silentRouter(.seconds(600), heedsCancellation: heedsCancellation) { sink.yield() }
        let challenge = AuthenticationChallenge(try TestSpace.basic())
        let asking = Task { await router.outcome(of: challenge) }
        asking.cancel()
        #expect(await asking.value.name == "cancelled")
        for await _ in events { break }
    }

    /// A router whose handler tells of its cancellation, and never answers.
    private static func silentRouter(
        _ timeout: Duration, heedsCancellation: Bool, onCancel: @escaping @Sendable () -> Void
    ) -> ChallengeRouter {
        var router = ChallengeRouter(
            task: TestHandler { _ in
                await withTaskCancellationHandler {
                    let held = AsyncStream<Void> { _ in }
                    for await _ in held {}
                    if !heedsCancellation { try? await Task.detached { try await Task.sleep(for: .seconds(2)) }.value }
                } onCancel: {
                    onCancel()
                }
                return .useCredential(TestSpace.credential())
            })
        router.timeout = timeout
        return router
    }

    @Test("The first answer counts, and a second one changes nothing")
    func twice() async throws {
        let counted = Mutex<[Bool]>([])
        let handler = CompletionChallengeHandler { _, completion in
            let first = completion(.cancelAuthenticationChallenge)
            let second = completion(.useCredential(TestSpace.credential()))
            counted.withLock { $0 = [first, second] }
        }
        let outcome = await ChallengeRouter(task: handler).outcome(of: AuthenticationChallenge(try TestSpace.basic()))
        #expect(outcome.name == "cancelled-by-handler" && counted.withLock { $0 } == [true, false])
    }

    @Test("A completion may be called later, and one that is given away is an error at once")
    func completions() async throws {
        let challenge = AuthenticationChallenge(try TestSpace.basic())
        let late = CompletionChallengeHandler { _, completion in
            Task { completion(.useCredential(TestSpace.credential())) }
        }
        #expect(await ChallengeRouter(task: late).outcome(of: challenge).name == "use")
        let forgetful = CompletionChallengeHandler { _, _ in }
        #expect(await ChallengeRouter(task: forgetful).outcome(of: challenge).name == "no-answer")
    }

    // MARK: Limits

    @Test("A handler that answers wrongly 100 times is asked five times", arguments: [0, 1, 5])
    func failing(limit: Int) async throws {
        let counts = Mutex<[Int]>([])
        var router = ChallengeRouter(
            task: TestHandler { challenge in
                counts.withLock { $0.append(challenge.previousFailureCount) }
                return .useCredential(TestSpace.credential())
            })
        router.maximumFailures = limit
        var exchange = AuthenticationExchange(router)
        var names: [String] = []
        for _ in 0..<100 {
            names.append(await exchange.outcome(of: [AuthenticationChallenge(try TestSpace.basic())]).name)
        }
        #expect(counts.withLock { $0 } == Array(0..<limit))
        #expect(names.prefix(limit).allSatisfy { $0 == "use" })
        #expect(names.dropFirst(limit).allSatisfy { $0 == "too-many-failures" })
    }

    @Test("A stale nonce is not a failure, and a server whose nonces are always stale is left")
    func stale() async throws {
        let counts = Mutex<[Int]>([])
        let router = ChallengeRouter(
            task: TestHandler { challenge in
                counts.withLock { $0.append(challenge.previousFailureCount) }
                return .useCredential(TestSpace.credential())
            })
        var exchange = AuthenticationExchange(router)
        let challenges = [AuthenticationChallenge(try TestSpace.space(.httpDigest))]
        for _ in 0..<3 { #expect(await exchange.outcome(of: challenges, isStale: true).name == "use") }
        #expect(await exchange.outcome(of: challenges).name == "use")
        #expect(counts.withLock { $0 } == [0, 0, 0, 1] && exchange.previousFailureCount == 1)
        for _ in 0..<2 { #expect(await exchange.outcome(of: challenges, isStale: true).name == "use") }
        for _ in 0..<9 {
            #expect(await exchange.outcome(of: challenges, isStale: true).name == "too-many-failures")
        }
    }

    @Test("A proposed credential that failed is not sent again")
    func proposal() async throws {
        var exchange = AuthenticationExchange(ChallengeRouter())
        let challenges = [
            AuthenticationChallenge(try TestSpace.basic(), proposedCredential: TestSpace.credential())
        ]
        #expect(await exchange.outcome(of: challenges).name == "use")
        #expect(await exchange.outcome(of: challenges).name == "continue")
    }

    // MARK: Servers

    @Test("A server is accepted with its own certificates alone, by the road that handlers of trust have")
    func servers() async throws {
        let chain = try TestChain()
        let trust = try TestTrust.trust(chain)
        let challenge = ServerTrustChallenge(
            host: "www.example.com", port: 443, trust: trust, result: nil, refusal: Unexpected())
        let space = try TestSpace.trust(chain)
        let other = Credential(trust: try TestTrust.trust(TestChain(leaf: { $0.serialNumber = [2, 1, 0x55] })))
        let cases: [(AuthenticationDisposition?, String)] = [
            (nil, "default"), (.performDefaultHandling, "default"), (.useCredential(nil), "server-refused"),
            (.rejectProtectionSpace, "server-refused"), (.cancelAuthenticationChallenge, "cancelled-by-handler"),
            (.useCredential(other), "wrong-credential"), (.useCredential(TestSpace.credential()), "wrong-credential"),
            (.useCredential(Credential(trust: trust)), "use"),
        ]
        for (disposition, expected) in cases {
            let router = ChallengeRouter(
                session: disposition.map { disposition in
                    TestHandler { challenge in
                        #expect(challenge.protectionSpace == space)
                        #expect(challenge.error is Unexpected && challenge.previousFailureCount == 0)
                        return disposition
                    }
                })
            #expect(try await router.respond(to: challenge).name == expected)
        }
    }
}

private let routes: [ChallengeRouterTests.Route] = AuthenticationMethod.allCases.flatMap {
    method -> [ChallengeRouterTests.Route] in
    let isOfSession = [AuthenticationMethod.ntlm, .negotiate, .clientCertificate, .serverTrust].contains(method)
    return [
        .init(method: method, hasSession: true, hasTask: true, asked: [isOfSession ? "session" : "task"]),
        .init(method: method, hasSession: true, hasTask: false, asked: isOfSession ? ["session"] : []),
        .init(method: method, hasSession: false, hasTask: true, asked: ["task"]),
        .init(method: method, hasSession: false, hasTask: false, asked: []),
    ]
}

private let answers: [ChallengeRouterTests.Answer] = [
    .init(testDescription: "no handler", outcomes: ("continue", "continue", "default")),
    .init(testDescription: "no handler, a proposal", hasProposal: true, outcomes: ("use", "use", "default")),
    .init(
        testDescription: "no handler, a proposal that failed", hasProposal: true, failures: 1,
        outcomes: ("continue", "continue", "default")),
    .init(
        testDescription: "default", disposition: .performDefaultHandling, outcomes: ("continue", "continue", "default")),
    .init(
        testDescription: "default, a proposal", disposition: .performDefaultHandling, hasProposal: true,
        outcomes: ("use", "use", "default")),
    .init(
        testDescription: "no credential", disposition: .useCredential(nil), hasProposal: true,
        outcomes: ("continue", "continue", "server-refused")),
    .init(
        testDescription: "reject", disposition: .rejectProtectionSpace, hasProposal: true,
        outcomes: ("continue", "continue", "server-refused")),
    .init(
        testDescription: "cancel", disposition: .cancelAuthenticationChallenge, hasProposal: true,
        outcomes: ("cancelled-by-handler", "cancelled-by-handler", "cancelled-by-handler")),
    .init(
        testDescription: "a password", disposition: .useCredential(TestSpace.credential()), failures: 4,
        outcomes: ("use", "wrong-credential", "wrong-credential")),
    .init(
        testDescription: "a password after five failures", disposition: .useCredential(TestSpace.credential()),
        failures: 5, outcomes: ("too-many-failures", "too-many-failures", "wrong-credential")),
]

/// A handler made of a function.
struct TestHandler: ChallengeHandler {
    private let body: @Sendable (AuthenticationChallenge) async throws -> AuthenticationDisposition

    init(_ body: @escaping @Sendable (AuthenticationChallenge) async throws -> AuthenticationDisposition) {
        self.body = body
    }

    init(_ disposition: AuthenticationDisposition) { self.init { _ in disposition } }

    func respond(to challenge: AuthenticationChallenge) async throws -> AuthenticationDisposition {
        try await self.body(challenge)
    }
}

private struct Unexpected: Error {}

extension ChallengeOutcome {
    fileprivate var name: String {
        switch self {
        case .performDefaultHandling: "default"
        case .useCredential: "use"
        case .continueWithoutCredential: "continue"
        case .cancel(let error): error.code.rawValue
        }
    }
}

extension ServerTrustDisposition {
    fileprivate var name: String {
        switch self {
        case .performDefaultHandling: "default"
        case .useCredential: "use"
        case .cancelAuthenticationChallenge(let error): (error as? ChallengeError)?.code.rawValue ?? "cancel"
        }
    }
}
