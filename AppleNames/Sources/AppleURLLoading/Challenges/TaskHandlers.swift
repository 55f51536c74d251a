//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleChallenges
import AppleSecurity
import Foundation
import FoundationNetworking
import ServerTrust
import ServerTrustNIO

/// The trust handler that asks the delegates of a task about a server.
struct TaskTrustHandler: ServerTrustHandler, Hashable {
    private let task: URLSessionTask
    /// The scope in which evaluated connections are shared: the session if all tasks ask the same delegate, or else a single
    /// task.
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
        let answer = await self.task.answer(to: challenge.asked(about: trust), isSessionWide: true)
        if self.task.delegate == nil { self.task.session.asksForAllTasks = true }
        let disposition = challenge.disposition(answer)
        if case .cancelAuthenticationChallenge = disposition { self.task.noteRefusal() }
        return disposition
    }
}

/// The challenge handler that asks the delegates of a task for a password.
struct TaskChallengeHandler: ChallengeHandler {
    private let task: URLSessionTask

    init(_ task: URLSessionTask) { self.task = task }

    func respond(to challenge: AuthenticationChallenge) async -> AuthenticationDisposition {
        let isSessionWide = challenge.protectionSpace.authenticationMethod.scope == .session
        let answer = await self.task.answer(
            to: challenge.asked(at: self.task.currentRequest?.url), isSessionWide: isSessionWide)
        let disposition = challenge.disposition(answer)
        if disposition == .cancelAuthenticationChallenge { self.task.noteRefusal() }
        return disposition
    }
}

extension AskedAnswer {
    /// Creates the answer of a delegate's method, or returns `nil` if the default method answered.
    fileprivate init?(_ disposition: URLSession.AuthChallengeDisposition, of credential: URLCredential?) {
        guard credential !== URLCredential.noMethod else { return nil }
        self.init(AskedDisposition(rawValue: disposition.rawValue) ?? .cancelAuthenticationChallenge, credential)
    }
}

extension URLSessionTask {
    /// Asks the delegates until one has its own method. For servers and identities the session's method comes first. The task's
    /// delegate and the method for tasks of the session's delegate follow.
    func answer(to challenge: URLAuthenticationChallenge, isSessionWide: Bool) async -> AskedAnswer {
        let session = self.session
        if isSessionWide, let delegate = session.delegate {
            let answer = await session.ask(or: AskedAnswer?.some(.refusal)) { complete in
                delegate.urlSession(session, didReceive: challenge) { complete(AskedAnswer($0, of: $1)) }
            }
            if let answer { return answer }
        }
        for delegate in [self.delegate, session.delegate as? any URLSessionTaskDelegate].compactMap({ $0 }) {
            let answer = await session.ask(or: AskedAnswer?.some(.refusal)) { complete in
                delegate.urlSession(session, task: self, didReceive: challenge) { complete(AskedAnswer($0, of: $1)) }
            }
            if let answer { return answer }
        }
        return .byDefault
    }

    /// Returns the identity that the delegates provide for a server that requests one, or `nil` if there is none.
    func identity(for origin: HTTPURL.Origin) async -> SecIdentity? {
        let space = ChallengedSpace(
            host: origin.host.text, port: origin.port, protocol: "https", realm: nil,
            method: NSURLAuthenticationMethodClientCertificate)
        let asked = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
            sender: NoSender())
        let answer = await self.answer(to: asked, isSessionWide: true)
        return answer.disposition == .useCredential ? answer.credential?.identity : nil
    }
}
