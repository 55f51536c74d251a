//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppleURLLoading
public import Foundation
import Synchronization

/// The part of AFNetworking's manager that answers challenges: a session with a policy that evaluates servers.
///
/// Complete all settings before the first task.
public final class AFURLSessionManager: NSObject, @unchecked Sendable {
    /// A handler for challenges about a server or an identity, which replaces the policy. The credential applies with
    /// `.useCredential`.
    public typealias SessionChallengeBlock =
        @Sendable (URLSession, URLAuthenticationChallenge, inout URLCredential?) -> URLSession.AuthChallengeDisposition

    /// A handler for challenges of a task.
    public typealias ChallengeHandler =
        @Sendable (URLSession, URLSessionTask, URLAuthenticationChallenge, @escaping Completion) -> ChallengeAnswer

    /// The completion of a challenge.
    public typealias Completion = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    /// The return value of a handler for tasks.
    public enum ChallengeAnswer: Sendable {
        /// The handler calls the completion later. In AFNetworking this is `nil`.
        case later
        /// The request fails with an error.
        case error(any Error)
        /// The credential is used.
        case credential(URLCredential)
        /// The disposition is used, which is a number in AFNetworking. For a server, default handling means the policy.
        case disposition(URLSession.AuthChallengeDisposition)
    }

    /// The policy that evaluates servers. Replace it to change it while tasks run.
    public var securityPolicy: AFSecurityPolicy {
        get { self.settings.withLock { $0.policy.value } }
        set { self.settings.withLock { [box = Unshared(newValue)] in $0.policy = box } }
    }
    fileprivate var sessionChallengeBlock: SessionChallengeBlock? { self.settings.withLock { $0.sessionBlock } }
    private let settings = Mutex(Settings())
    private let state = Mutex(State())
    private let configuration: URLSessionConfiguration

    /// A value that is protected by the enclosing lock.
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
        /// The errors that replace those of cancelled tasks, by the number of the task.
        var errors: [Int: any Error] = [:]
    }

    /// Creates a manager.
    ///
    /// - Parameter configuration: The configuration of the session, or `nil` for the default.
    public init(sessionConfiguration configuration: URLSessionConfiguration? = nil) {
        self.configuration = configuration ?? .default
    }

    deinit { self.state.withLock { $0.session }?.finishTasksAndInvalidate() }

    /// The session, which is created at the first access.
    public var session: URLSession {
        let delegate = Forwarder(self)
        return self.state.withLock { state in
            if let session = state.session { return session }
            let session = URLSession(configuration: self.configuration, delegate: delegate, delegateQueue: nil)
            state.session = session
            return session
        }
    }

    /// Sets the handler for challenges of the session. It replaces the policy, as in AFNetworking.
    public func setSessionDidReceiveAuthenticationChallenge(_ block: SessionChallengeBlock?) {
        self.settings.withLock { $0.sessionBlock = block }
    }

    /// Sets the handler for challenges of tasks.
    public func setAuthenticationChallengeHandler(_ handler: @escaping ChallengeHandler) {
        self.settings.withLock { $0.handler = handler }
    }

    /// Creates a task.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - completionHandler: Receives the response, the content and the error.
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

    /// Invalidates the session. The next task creates a new one.
    ///
    /// - Parameter cancelPendingTasks: `true` to cancel the tasks.
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

/// The number of a task that has not been created yet.
private final class TaskNumber: Sendable {
    private let number = Mutex(0)

    var value: Int {
        get { self.number.withLock { $0 } }
        set { self.number.withLock { $0 = newValue } }
    }
}

// MARK: - Challenges

extension AFURLSessionManager {
    /// Answers a challenge like AFURLSessionManager.m `URLSession:task:didReceiveChallenge:completionHandler:`.
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

    /// Returns an error like AFURLSessionManager.m `serverTrustErrorForServerTrust:url:`.
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

/// The delegate of a session. It has no strong reference to its manager.
private final class Forwarder: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    private weak var manager: AFURLSessionManager?

    init(_ manager: AFURLSessionManager) { self.manager = manager }

    /// Answers a challenge of the session. AFNetworking hides this method if there is no handler, so that the method for tasks is
    /// called. Here the handler applies even if it was set after the session was created.
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
