//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import FoundationNetworking
import HTTPSession
import Synchronization

/// Foundation's session, served by `HTTPSession`: its delegates are asked about servers, and what they refuse gets no octet of a
/// request.
public final class URLSession: NSObject, Sendable {
    /// The outcome of a challenge.
    public enum AuthChallengeDisposition: Int, Sendable {
        /// The credential is used.
        case useCredential
        /// As if there were no method.
        case performDefaultHandling
        /// The request fails, and nothing is sent.
        case cancelAuthenticationChallenge
        /// The next challenge is tried; a server in question is refused.
        case rejectProtectionSpace
    }

    /// The outcome of a response.
    public enum ResponseDisposition: Int, Sendable {
        /// The task is cancelled.
        case cancel
        /// The content comes.
        case allow
    }

    struct State: Sendable {
        var delegate: (any URLSessionDelegate)?
        var tasks: [Int: URLSessionTask] = [:]
        var lastIdentifier = 0
        var isInvalid = false
        var isInvalidationTold = false
        /// True if every task asks the same about servers, so that tasks share connections.
        var asksForAllTasks = false
        /// Identities that delegates gave, by server, and by task where the task has a delegate of its own.
        var identities: [String: SecIdentity] = [:]
    }

    /// A session with the defaults and without a delegate.
    public static let shared = URLSession(configuration: .default)

    /// The queue that delegates and closures are called on.
    public let delegateQueue: OperationQueue
    let http: HTTPSessionConfiguration
    private let state: Mutex<State>
    /// A copy that nothing changes.
    private nonisolated(unsafe) let settings: URLSessionConfiguration

    /// A session.
    ///
    /// - Parameters:
    ///   - configuration: The settings, which are copied.
    ///   - delegate: The delegate, which is kept until the session is invalidated; `nil` for none.
    ///   - queue: The queue for the delegate, which must do one thing at a time; `nil` for one of its own.
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)? = nil,
        delegateQueue queue: OperationQueue? = nil
    ) {
        let own = OperationQueue()
        own.maxConcurrentOperationCount = 1
        self.delegateQueue = queue ?? own
        self.http = configuration.http
        self.settings = configuration.copied()
        self.state = Mutex(State(delegate: delegate))
    }

    /// A copy of the settings.
    public var configuration: URLSessionConfiguration { self.settings.copied() }

    /// The delegate; `nil` without one, and once the session is invalid.
    public var delegate: (any URLSessionDelegate)? { self.state.withLock { $0.delegate } }

    /// The tasks that are not at their end.
    public var allTasks: [URLSessionTask] {
        get async { self.state.withLock { $0.tasks.values.sorted { $0.taskIdentifier < $1.taskIdentifier } } }
    }

    /// Lets the tasks come to their end, and begins no more.
    public func finishTasksAndInvalidate() {
        self.state.withLock { $0.isInvalid = true }
        self.tellInvalidation()
    }

    /// Cancels the tasks, and begins no more.
    public func invalidateAndCancel() {
        let tasks = self.state.withLock { state in
            state.isInvalid = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        self.tellInvalidation()
    }
}

// MARK: - Tasks

extension URLSession {
    /// Makes a task whose content the delegate is given.
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        self.task { URLSessionDataTask(self, identifier: $0, request: request, receiver: .delegate) }
    }

    /// Makes a task whose content the delegate is given.
    public func dataTask(with url: URL) -> URLSessionDataTask { self.dataTask(with: URLRequest(url: url)) }

    /// Makes a task whose content a closure is given.
    public func dataTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        self.task { URLSessionDataTask(self, identifier: $0, request: request, receiver: .data(completionHandler)) }
    }

    /// Makes a task whose content a closure is given.
    public func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        self.dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Makes a task that sends content.
    public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        self.task {
            URLSessionUploadTask(self, identifier: $0, request: request, receiver: .delegate, upload: .data(bodyData))
        }
    }

    /// Makes a task that sends a file.
    public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        self.task {
            URLSessionUploadTask(
                self, identifier: $0, request: request, receiver: .delegate, upload: .file(fileURL.path))
        }
    }

    /// Makes a task that sends content.
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        self.task {
            URLSessionUploadTask(
                self, identifier: $0, request: request, receiver: .data(completionHandler),
                upload: bodyData.map { .data($0) })
        }
    }

    /// Makes a task that sends a file.
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        self.task {
            URLSessionUploadTask(
                self, identifier: $0, request: request, receiver: .data(completionHandler), upload: .file(fileURL.path))
        }
    }

    /// Makes a task whose content becomes a file that the delegate is given.
    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        self.task { URLSessionDownloadTask(self, identifier: $0, request: request, receiver: .delegate) }
    }

    /// Makes a task whose content becomes a file that the delegate is given.
    public func downloadTask(with url: URL) -> URLSessionDownloadTask { self.downloadTask(with: URLRequest(url: url)) }

    /// Makes a task whose content becomes a file that a closure is given. It is gone when the closure returns.
    public func downloadTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        self.task { URLSessionDownloadTask(self, identifier: $0, request: request, receiver: .file(completionHandler)) }
    }

    /// Makes a task whose content becomes a file that a closure is given. It is gone when the closure returns.
    public func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        self.downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Makes a task that goes on with a download.
    @available(*, unavailable, message: "Use HTTPSession.download(for:to:), which goes on where it ended.")
    public func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        self.downloadTask(with: URL(fileURLWithPath: "/"))
    }

    private func task<Made: URLSessionTask>(_ make: (Int) -> Made) -> Made {
        let identifier = self.state.withLock { state in
            state.lastIdentifier += 1
            return state.lastIdentifier
        }
        let task = make(identifier)
        let isLate = self.state.withLock { state in
            if !state.isInvalid { state.tasks[identifier] = task }
            return state.isInvalid
        }
        // Tasks that were made before go on to their end.
        if isLate { task.cancel() }
        return task
    }
}

// MARK: - For tasks

extension URLSession {
    var isInvalid: Bool { self.state.withLock { $0.isInvalid } }

    var asksForAllTasks: Bool {
        get { self.state.withLock { $0.asksForAllTasks } }
        set { self.state.withLock { $0.asksForAllTasks = newValue } }
    }

    func identity(for key: String) -> SecIdentity? { self.state.withLock { $0.identities[key] } }

    func setIdentity(_ identity: SecIdentity?, for key: String) {
        self.state.withLock { $0.identities[key] = identity }
    }

    /// Calls on the queue, and waits until it was called.
    func call(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            self.delegateQueue.addOperation {
                body()
                continuation.resume()
            }
        }
    }

    /// Calls on the queue, and waits for what the closure is given.
    ///
    /// - Parameters:
    ///   - fallback: The answer where the closure is gone without one.
    ///   - body: Is given a closure for the answer. The first answer counts.
    func ask<Value: Sendable>(
        or fallback: Value, _ body: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value {
        await withCheckedContinuation { continuation in
            let answer = Answer(continuation, fallback)
            self.delegateQueue.addOperation { body { answer.give($0) } }
        }
    }

    func finish(_ task: URLSessionTask) {
        self.state.withLock { $0.tasks[task.taskIdentifier] = nil }
        self.tellInvalidation()
    }

    private func tellInvalidation() {
        let delegate = self.state.withLock { state -> (any URLSessionDelegate)? in
            guard state.isInvalid, state.tasks.isEmpty, !state.isInvalidationTold else { return nil }
            state.isInvalidationTold = true
            defer { state.delegate = nil }
            return state.delegate
        }
        guard let delegate else { return }
        self.delegateQueue.addOperation { delegate.urlSession(self, didBecomeInvalidWithError: nil) }
    }
}

/// The one answer to a question.
private final class Answer<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value, Never>?>
    private let fallback: Value

    init(_ continuation: CheckedContinuation<Value, Never>, _ fallback: Value) {
        self.continuation = Mutex(continuation)
        self.fallback = fallback
    }

    deinit { self.give(self.fallback) }

    func give(_ value: Value) {
        let continuation = self.continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        continuation?.resume(returning: value)
    }
}
