//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppleURLLoading
public import Foundation
import Synchronization

/// AFNetworking's manager, as far as it answers challenges: a session with a policy that judges servers.
///
/// Set everything before the first task.
public final class AFURLSessionManager: NSObject, @unchecked Sendable {
    /// Answers a challenge about a server or an identity, in place of the policy. The credential is used with `.useCredential`.
    public typealias SessionChallengeBlock =
        @Sendable (URLSession, URLAuthenticationChallenge, inout URLCredential?) -> URLSession.AuthChallengeDisposition

    /// Answers a challenge of a task.
    public typealias ChallengeHandler =
        @Sendable (URLSession, URLSessionTask, URLAuthenticationChallenge, @escaping Completion) -> ChallengeAnswer

    /// Takes the answer to a challenge.
    public typealias Completion = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    /// The value that a handler of tasks returns.
    public enum ChallengeAnswer: Sendable {
        /// The handler calls the completion: AFNetworking's `nil`.
        case later
        /// The request fails with an error.
        case error(any Error)
        /// A credential is used.
        case credential(URLCredential)
        /// AFNetworking's number. Default handling of a server is the policy's.
        case disposition(URLSession.AuthChallengeDisposition)
    }

    /// The policy that judges servers. To change it while tasks run, replace it.
    public var securityPolicy: AFSecurityPolicy {
        get { self.settings.withLock { $0.policy.value } }
        set { self.settings.withLock { [box = Unshared(newValue)] in $0.policy = box } }
    }
    fileprivate var sessionChallengeBlock: SessionChallengeBlock? { self.settings.withLock { $0.sessionBlock } }
    private let settings = Mutex(Settings())
    private let state = Mutex(State())
    private let configuration: URLSessionConfiguration

    /// A value that is guarded by the lock around it.
    private struct Unshared<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private struct Settings: Sendable {
        var policy = Unshared(AFSecurityPolicy.default())
        var sessionBlock: SessionChallengeBlock?
        var handler: ChallengeHandler?
    }

    private struct State {
        var session: URLSession?
        /// Errors in place of a cancelled task's, by the number of the task.
        var errors: [Int: any Error] = [:]
    }

    /// A manager.
    ///
    /// - Parameter configuration: The session's; `nil` for the defaults.
    public init(sessionConfiguration configuration: URLSessionConfiguration? = nil) {
        self.configuration = configuration ?? .default
    }

    deinit { self.state.withLock { $0.session }?.finishTasksAndInvalidate() }

    /// The session, which is made when it is first needed.
    public var session: URLSession {
        let delegate = Forwarder(self)
        return self.state.withLock { state in
            if let session = state.session { return session }
            let session = URLSession(configuration: self.configuration, delegate: delegate, delegateQueue: nil)
            state.session = session
            return session
        }
    }

    /// Sets what answers challenges of the session. The policy is not asked then, as with AFNetworking.
    public func setSessionDidReceiveAuthenticationChallenge(_ block: SessionChallengeBlock?) {
        self.settings.withLock { $0.sessionBlock = block }
    }

    /// Sets what answers challenges of tasks.
    public func setAuthenticationChallengeHandler(_ handler: @escaping ChallengeHandler) {
        self.settings.withLock { $0.handler = handler }
    }

    /// Makes a task.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - completionHandler: Is given the response, the content, and the error.
    public func dataTask(
        with request: URLRequest, completionHandler: (@Sendable (URLResponse?, Data?, (any Error)?) -> Void)? = nil
    ) -> URLSessionDataTask {
        let number = TaskNumber()
        let task = self.session.dataTask(with: request) { [weak self] data, response, error in
            let refusal = self?.takeError(of: number.value)
            completionHandler?(response, data, error.map { refusal ?? $0 })
        }
        number.value = task.taskIdentifier
        return task
    }

    /// Invalidates the session. The next task makes another one.
    ///
    /// - Parameter cancelPendingTasks: Whether tasks are cancelled.
    public func invalidateSessionCancelingTasks(_ cancelPendingTasks: Bool) {
        let session = self.state.withLock { state in
            defer { state.session = nil }
            return state.session
        }
        if cancelPendingTasks { session?.invalidateAndCancel() } else { session?.finishTasksAndInvalidate() }
    }

    private func takeError(of task: Int) -> (any Error)? {
        self.state.withLock { $0.errors.removeValue(forKey: task) }
    }
}

/// The number of a task that is not made yet.
private final class TaskNumber: Sendable {
    private let number = Mutex(0)

    var value: Int {
        get { self.number.withLock { $0 } }
        set { self.number.withLock { $0 = newValue } }
    }
}

// MARK: - Challenges

extension AFURLSessionManager {
    /// AFURLSessionManager.m `URLSession:task:didReceiveChallenge:completionHandler:`.
    fileprivate func answer(
        _ challenge: URLAuthenticationChallenge, _ session: URLSession, task: URLSessionTask,
        _ complete: @escaping Completion
    ) {
        let isAboutServer = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
        switch self.settings.withLock({ $0.handler })?(session, task, challenge, complete) {
        case .later?: return
        case .error(let error)?:
            self.note(error, of: task)
            complete(.cancelAuthenticationChallenge, nil)
        case .credential(let credential)?: complete(.useCredential, credential)
        case .disposition(.performDefaultHandling)? where isAboutServer: self.judge(challenge, task, complete)
        case .disposition(let disposition)?: complete(disposition, nil)
        case nil where isAboutServer: self.judge(challenge, task, complete)
        case nil: complete(.performDefaultHandling, nil)
        }
    }

    private func judge(_ challenge: URLAuthenticationChallenge, _ task: URLSessionTask, _ complete: Completion) {
        let space = challenge.protectionSpace
        guard let trust = space.serverTrust else { return complete(.cancelAuthenticationChallenge, nil) }
        do {
            try self.securityPolicy.verify(trust, forDomain: space.host)
            complete(.useCredential, URLCredential(trust: trust))
        } catch {
            self.note(Self.untrusted(trust, task.currentRequest?.url, error), of: task)
            complete(.cancelAuthenticationChallenge, nil)
        }
    }

    private func note(_ error: any Error, of task: URLSessionTask) {
        self.state.withLock { $0.errors[task.taskIdentifier] = error }
    }

    /// AFURLSessionManager.m `serverTrustErrorForServerTrust:url:`.
    private static func untrusted(_ trust: SecTrust, _ url: URL?, _ cause: any Error) -> NSError {
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: "\(cause)", NSUnderlyingErrorKey: cause,
            NSURLErrorFailingURLPeerTrustErrorKey: trust,
        ]
        info[NSURLErrorFailingURLErrorKey] = url
        return NSError(domain: NSURLErrorDomain, code: Self.serverCertificateUntrusted, userInfo: info)
    }

    /// `NSURLErrorServerCertificateUntrusted`
    private static let serverCertificateUntrusted = -1202
}

/// The delegate of a session, which does not keep its manager.
private final class Forwarder: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    private weak var manager: AFURLSessionManager?

    init(_ manager: AFURLSessionManager) { self.manager = manager }

    /// AFNetworking hides the method of sessions where there is no block, so that the method of tasks is asked. The block counts
    /// whenever it was set.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let manager else { return completionHandler(.cancelAuthenticationChallenge, nil) }
        guard let block = manager.sessionChallengeBlock else {
            return completionHandler(.performDefaultHandling, .noMethod)
        }
        var credential: URLCredential?
        let disposition = block(session, challenge, &credential)
        completionHandler(disposition, credential)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let manager else { return completionHandler(.cancelAuthenticationChallenge, nil) }
        manager.answer(challenge, session, task: task, completionHandler)
    }
}
