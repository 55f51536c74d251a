//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleSecurity
import Foundation
import FoundationNetworking
import ServerTrust
import ServerTrustNIO

/// Asks the delegates of a task about a server.
struct TaskTrustHandler: ServerTrustHandler, Hashable {
    private let task: URLSessionTask
    /// What connections belong to that were judged by it: to all tasks of a session, where each asks the same.
    private let scope: ObjectIdentifier

    init(_ task: URLSessionTask) {
        self.task = task
        let isShared = task.delegate == nil && task.session.asksForAllTasks
        self.scope = isShared ? ObjectIdentifier(task.session) : ObjectIdentifier(task)
    }

    static func == (left: Self, right: Self) -> Bool { left.scope == right.scope }
    func hash(into hasher: inout Hasher) { hasher.combine(self.scope) }

    func respond(to challenge: ServerTrustChallenge) async -> ServerTrustDisposition {
        let trust = SecTrust(challenge.trust, result: challenge.result)
        self.task.noteChallenge(trust)
        let space = ChallengedSpace(
            host: challenge.host, port: challenge.port ?? 443, protocol: "https", realm: nil,
            method: NSURLAuthenticationMethodServerTrust, trust: trust)
        let asked = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: URLCredential(trust: trust), previousFailureCount: 0,
            failureResponse: nil, error: challenge.refusal, sender: NoSender())
        switch await self.task.answer(to: asked, isSessionWide: true) {
        case (.performDefaultHandling, _): return .performDefaultHandling
        case (.useCredential, let credential?):
            guard let accepted = credential.trust?.trust, accepted.certificates == challenge.trust.certificates else {
                return self.refuse()
            }
            return .useCredential(ServerTrustCredential(trust: accepted))
        // Continuing without a credential is nothing that a server can be trusted by.
        case (.useCredential, nil), (.cancelAuthenticationChallenge, _), (.rejectProtectionSpace, _):
            return self.refuse()
        }
    }

    private func refuse() -> ServerTrustDisposition {
        self.task.noteRefusal()
        return .cancelAuthenticationChallenge(nil)
    }
}

/// Asks the delegates of a task about a password.
struct TaskChallengeHandler: ChallengeHandler {
    let task: URLSessionTask

    init(_ task: URLSessionTask) { self.task = task }

    func respond(to challenge: AuthenticationChallenge) async -> AuthenticationDisposition {
        let space = challenge.protectionSpace
        let response = challenge.failureResponse.flatMap { failure in
            self.task.currentRequest?.url.flatMap { url in
                HTTPURLResponse(
                    url: url, statusCode: failure.statusCode, httpVersion: nil,
                    headerFields: Dictionary(
                        failure.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { "\($0), \($1)" }))
            }
        }
        let asked = URLAuthenticationChallenge(
            protectionSpace: ChallengedSpace(
                host: space.host.text, port: space.port ?? 0, protocol: space.protocol?.rawValue, realm: space.realm,
                method: space.authenticationMethod.rawValue),
            proposedCredential: challenge.proposedCredential.flatMap { credential in
                guard let user = credential.user, let password = credential.password else { return nil }
                return URLCredential(user: user, password: password, persistence: .none)
            }, previousFailureCount: challenge.previousFailureCount, failureResponse: response, error: challenge.error,
            sender: NoSender())
        let isSessionWide = space.authenticationMethod.scope == .session
        switch await self.task.answer(to: asked, isSessionWide: isSessionWide) {
        case (.performDefaultHandling, _): return .performDefaultHandling
        case (.useCredential, let credential?):
            guard credential.isPassword, let user = credential.user, let password = credential.password else {
                return .cancelAuthenticationChallenge
            }
            return .useCredential(Credential(user: user, password: password, persistence: .session))
        case (.useCredential, nil): return .useCredential(nil)
        case (.cancelAuthenticationChallenge, _):
            self.task.noteRefusal()
            return .cancelAuthenticationChallenge
        case (.rejectProtectionSpace, _): return .rejectProtectionSpace
        }
    }
}

extension URLSessionTask {
    typealias ChallengeAnswer = (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Asks the delegates until one has a method of its own: about what is the session's first its delegate's method of
    /// sessions, then the task's delegate, then the session's delegate's method of tasks.
    func answer(to challenge: URLAuthenticationChallenge, isSessionWide: Bool) async -> ChallengeAnswer {
        let session = self.session
        if isSessionWide, let delegate = session.delegate {
            let answer = await session.ask(or: Self.unanswered) { complete in
                delegate.urlSession(session, didReceive: challenge) { complete(($0, $1)) }
            }
            guard answer.1 === URLCredential.noMethod else {
                session.asksForAllTasks = true
                return answer
            }
        }
        for delegate in [self.delegate, session.delegate as? any URLSessionTaskDelegate].compactMap({ $0 }) {
            let answer = await session.ask(or: Self.unanswered) { complete in
                delegate.urlSession(session, task: self, didReceive: challenge) { complete(($0, $1)) }
            }
            guard answer.1 === URLCredential.noMethod else { return answer }
        }
        return (.performDefaultHandling, nil)
    }

    /// A completion that is never called refuses.
    private static let unanswered: ChallengeAnswer = (.cancelAuthenticationChallenge, nil)

    /// The identity that the delegates have for a server that wants one; `nil` without.
    func identity(for origin: HTTPURL.Origin) async -> SecIdentity? {
        let space = ChallengedSpace(
            host: origin.host.text, port: origin.port, protocol: "https", realm: nil,
            method: NSURLAuthenticationMethodClientCertificate)
        let asked = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
            sender: NoSender())
        guard case (.useCredential, let credential?) = await self.answer(to: asked, isSessionWide: true) else {
            return nil
        }
        return credential.identity
    }
}

/// What Foundation wants and no delegate of today uses: a challenge is answered by the completion.
final class NoSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
