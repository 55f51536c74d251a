//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The result of a challenge, as an instruction to the client. A ``ChallengeRouter`` returns it.
public enum ChallengeOutcome: Sendable {
    /// Let the rules decide about the server, as without a handler. Only for server trust.
    case performDefaultHandling

    /// Send the credential to the protection space.
    case useCredential(Credential, ProtectionSpace)

    /// Continue without a credential. The client delivers a response, such as one with status 401, or sends no client certificate
    /// in the handshake.
    case continueWithoutCredential

    /// Fail the request, and send nothing.
    case cancel(ChallengeError)
}

/// A router that selects the handler of a challenge, the session's or the task's, and interprets its answer.
///
/// | method | with a session's handler | without it |
/// |---|---|---|
/// | NTLM, Negotiate, ClientCertificate, ServerTrust | the session's | the task's |
/// | Default, Basic, Digest, HTMLForm | the task's | the task's |
///
/// If there is no such handler, default handling takes place. A session's handler never answers challenges of the scope of a task
/// (`URLSession:task:didReceiveChallenge:` in Apple's NSURLSession.h).
///
/// A router is also a ``ServerTrustHandler``, so that an enforcement can call the same handlers about servers.
public struct ChallengeRouter: Sendable {
    /// The handler of the session, or `nil` if there is none.
    public var session: (any ChallengeHandler)?

    /// The handler of the task, or `nil` if there is none.
    public var task: (any ChallengeHandler)?

    /// The number of failed credentials after which a request fails.
    public var maximumFailures = 5

    /// The time limit of a handler for each answer.
    public var timeout: Duration = .seconds(60)

    /// The clock that measures the time limit.
    public var clock: any Clock<Duration> = ContinuousClock()

    private static let maximumChallenges = 32

    /// Creates a router.
    ///
    /// - Parameters:
    ///   - session: The handler of the session.
    ///   - task: The handler of the task.
    public init(session: (any ChallengeHandler)? = nil, task: (any ChallengeHandler)? = nil) {
        self.session = session
        self.task = task
    }

    /// Answers one challenge.
    ///
    /// - Parameter challenge: The challenge.
    /// - Returns: The next step of the request.
    public func outcome(of challenge: AuthenticationChallenge) async -> ChallengeOutcome {
        await self.outcome(of: [challenge])
    }

    /// Answers the challenges of one response in order, up to the first that is not rejected.
    ///
    /// - Parameter challenges: The challenges, the one that the client prefers first.
    /// - Returns: The next step of the request. If there are no challenges, or all are rejected, it continues without a credential.
    public func outcome(of challenges: [AuthenticationChallenge]) async -> ChallengeOutcome {
        guard challenges.count <= Self.maximumChallenges else { return .cancel(ChallengeError(.tooManyChallenges)) }
        for challenge in challenges {
            if let outcome = await self.decision(on: challenge) { return outcome }
        }
        return .continueWithoutCredential
    }

    /// Returns the outcome of one challenge, or `nil` if it is rejected.
    private func decision(on challenge: AuthenticationChallenge) async -> ChallengeOutcome? {
        let isTrust = challenge.protectionSpace.authenticationMethod == .serverTrust
        guard isTrust || challenge.previousFailureCount < self.maximumFailures else {
            return .cancel(ChallengeError(.tooManyFailures))
        }
        switch await self.answer(to: challenge) {
        case .failure(let error): return .cancel(error)
        case .success(.cancelAuthenticationChallenge): return .cancel(ChallengeError(.cancelledByHandler))
        case .success(.useCredential(let credential?)): return Self.sending(credential, challenge)
        case .success(.useCredential(nil)):
            return isTrust ? .cancel(ChallengeError(.serverRefused)) : .continueWithoutCredential
        case .success(.rejectProtectionSpace): return isTrust ? .cancel(ChallengeError(.serverRefused)) : nil
        case .success(.performDefaultHandling):
            return isTrust ? .performDefaultHandling : Self.defaultHandling(of: challenge)
        }
    }

    private func answer(
        to challenge: AuthenticationChallenge
    ) async -> Result<AuthenticationDisposition, ChallengeError> {
        guard let handler = self.handler(for: challenge.protectionSpace.authenticationMethod) else {
            return .success(.performDefaultHandling)
        }
        return await HandlerQuestion.ask(handler, challenge, timeout: self.timeout, clock: self.clock)
    }

    private func handler(for method: AuthenticationMethod) -> (any ChallengeHandler)? {
        switch method.scope {
        case .session: self.session ?? self.task
        case .task: self.task
        }
    }

    private static func defaultHandling(of challenge: AuthenticationChallenge) -> ChallengeOutcome {
        guard challenge.previousFailureCount <= 0, let credential = challenge.proposedCredential else {
            return .continueWithoutCredential
        }
        return Self.sending(credential, challenge)
    }

    /// Returns the credential as the outcome, or cancels if it does not fit the challenge, such as a password in place of a
    /// certificate.
    private static func sending(_ credential: Credential, _ challenge: AuthenticationChallenge) -> ChallengeOutcome {
        guard credential.answers(challenge.protectionSpace) else { return .cancel(ChallengeError(.wrongCredential)) }
        return .useCredential(credential, challenge.protectionSpace)
    }
}

extension ChallengeRouter: CustomReflectable {
    /// A reflection without the handlers, which may hold passwords.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "hasSessionHandler": self.session != nil, "hasTaskHandler": self.task != nil,
                "maximumFailures": self.maximumFailures, "timeout": self.timeout,
            ])
    }
}

// MARK: - Servers

extension ChallengeRouter: ServerTrustHandler {
    /// Answers about a server with the handler for ``AuthenticationMethod/serverTrust``.
    ///
    /// - Parameter challenge: The server and the verdict of the rules. A refusal becomes the `error` of the handler's challenge.
    /// - Returns: The decision about the server.
    /// - Throws: `InvalidReferenceIdentity` if the host cannot be read. The server is then refused.
    public func respond(to challenge: ServerTrustChallenge) async throws -> ServerTrustDisposition {
        var space = ProtectionSpace(
            host: try Host(challenge.host), port: challenge.port, protocol: .https, method: .serverTrust)
        space.serverTrust = challenge.trust
        switch await self.outcome(of: AuthenticationChallenge(space, error: challenge.refusal)) {
        case .performDefaultHandling: return .performDefaultHandling
        case .cancel(let error): return .cancelAuthenticationChallenge(error)
        case .continueWithoutCredential: return .cancelAuthenticationChallenge(ChallengeError(.serverRefused))
        case .useCredential(let credential, _):
            guard let trust = credential.trust else {
                return .cancelAuthenticationChallenge(ChallengeError(.wrongCredential))
            }
            return .useCredential(ServerTrustCredential(trust: trust))
        }
    }
}

// MARK: - One question

/// One call of a handler, which ends with its answer, with the time limit, or with the cancellation of the calling task.
private enum HandlerQuestion {
    typealias Answer = Result<AuthenticationDisposition, ChallengeError>

    /// Calls the handler. Does not wait for a handler that ignores its cancellation.
    static func ask(
        _ handler: any ChallengeHandler, _ challenge: AuthenticationChallenge, timeout: Duration,
        clock: any Clock<Duration>
    ) async -> Answer {
        let (answers, sink) = AsyncStream.makeStream(of: Answer.self, bufferingPolicy: .bufferingOldest(1))
        let asking = Task { sink.yield(await Self.answer(of: handler, challenge)) }
        let timer = Task {
            guard (try? await clock.sleep(for: timeout)) != nil else { return }
            sink.yield(.failure(ChallengeError(.timeout)))
        }
        defer {
            asking.cancel()
            timer.cancel()
        }
        for await answer in answers { return Task.isCancelled ? .failure(ChallengeError(.cancelled)) : answer }
        return .failure(ChallengeError(.cancelled))
    }

    private static func answer(of handler: any ChallengeHandler, _ challenge: AuthenticationChallenge) async -> Answer {
        do {
            return .success(try await handler.respond(to: challenge))
        } catch let error as ChallengeError {
            return .failure(error)
        } catch {
            return .failure(ChallengeError(.handlerFailed, cause: error))
        }
    }
}
