//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What becomes of a challenge.
public enum ChallengeOutcome: Sendable {
    /// The rules decide about the server, as they do without a handler. For server trust alone.
    case performDefaultHandling

    /// The credential is sent to the space.
    case useCredential(Credential, ProtectionSpace)

    /// The client goes on without a credential: a response is delivered, such as one with status 401, and a handshake has no
    /// client certificate in it.
    case continueWithoutCredential

    /// The request fails, and nothing is sent.
    case cancel(ChallengeError)
}

/// Decides which handler answers a challenge, the session's or the task's, and what its answer comes to.
///
/// | method | with a session's handler | without it |
/// |---|---|---|
/// | NTLM, Negotiate, ClientCertificate, ServerTrust | the session's | the task's |
/// | Default, Basic, Digest, HTMLForm | the task's | the task's |
///
/// Without the handler that is to be asked, default handling takes place. A session's handler is not asked for what is a
/// task's (`URLSession:task:didReceiveChallenge:` in Apple's NSURLSession.h).
///
/// It is a ``ServerTrustHandler`` as well, so that an enforcement that takes one asks the same handlers about servers.
public struct ChallengeRouter: Sendable {
    /// Answers for the session; `nil` without a handler.
    public var session: (any ChallengeHandler)?

    /// Answers for one task; `nil` without a handler.
    public var task: (any ChallengeHandler)?

    /// How many credentials may fail before a request does.
    public var maximumFailures = 5

    /// The time that a handler has for an answer.
    public var timeout: Duration = .seconds(60)

    /// What measures the time.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// The most challenges that one response may have.
    private static let maximumChallenges = 32

    /// A router.
    ///
    /// - Parameters:
    ///   - session: Answers for the session.
    ///   - task: Answers for one task.
    public init(session: (any ChallengeHandler)? = nil, task: (any ChallengeHandler)? = nil) {
        self.session = session
        self.task = task
    }

    /// Asks about one challenge.
    ///
    /// - Parameter challenge: The challenge.
    /// - Returns: What becomes of it.
    public func outcome(of challenge: AuthenticationChallenge) async -> ChallengeOutcome {
        await self.outcome(of: [challenge])
    }

    /// Asks about the challenges of one response, one after the other, until one is not rejected.
    ///
    /// - Parameter challenges: The challenges, the one that the client prefers first.
    /// - Returns: What becomes of the request. Without challenges, and when all are rejected, it goes on without a credential.
    public func outcome(of challenges: [AuthenticationChallenge]) async -> ChallengeOutcome {
        guard challenges.count <= Self.maximumChallenges else { return .cancel(ChallengeError(.tooManyChallenges)) }
        for challenge in challenges {
            if let outcome = await self.decision(on: challenge) { return outcome }
        }
        return .continueWithoutCredential
    }

    /// What one challenge comes to; `nil` when it is rejected.
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

    /// What does not fit is never sent: a password, say, where a certificate is asked for.
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
    /// Decides about a server, as the handlers do that are asked for ``AuthenticationMethod/serverTrust``.
    ///
    /// - Parameter challenge: The server, and what the rules make of it, which is the `error` of the handlers' challenge.
    /// - Returns: What becomes of the connection.
    /// - Throws: `InvalidReferenceIdentity` where the host cannot be read; the server is refused then.
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

/// One question to a handler, which is answered once: by the handler, by the clock, or by the end of the task that asks.
private enum HandlerQuestion {
    typealias Answer = Result<AuthenticationDisposition, ChallengeError>

    /// Asks. A handler that does not heed its cancellation is not waited for.
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
