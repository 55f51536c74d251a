//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import FoundationNetworking
import HTTPSession
import Synchronization

/// Foundation's session on top of `HTTPSession`. Its delegates are asked about servers, and a refused server receives no byte of
/// a request.
///
/// The interface is that of Foundation on Apple's systems. ``URLSessionConfiguration`` has additional settings for trust and App
/// Transport Security.
public final class URLSession: NSObject, Sendable {
    /// The disposition of a challenge.
    public enum AuthChallengeDisposition: Int, Sendable {
        /// The credential is used.
        case useCredential
        /// The challenge is handled as if the delegate had no method for it.
        case performDefaultHandling
        /// The request fails, and nothing is sent.
        case cancelAuthenticationChallenge
        /// The next challenge is tried. In a challenge about the trust of a server, the server is refused.
        case rejectProtectionSpace
    }

    /// The disposition of a response.
    public enum ResponseDisposition: Int, Sendable {
        /// The task is cancelled.
        case cancel
        /// The content is received.
        case allow
    }

    struct State: Sendable {
        var delegate: (any URLSessionDelegate)?
        var tasks: [Int: URLSessionTask] = [:]
        var lastIdentifier = 0
        var isInvalid = false
        var isInvalidationTold = false
        /// `true` if all tasks ask the same delegate about servers, so that they can share connections.
        var asksForAllTasks = false
        /// The identities that delegates provided, by server, and by task if the task has its own delegate.
        var identities: [String: SecIdentity] = [:]
    }

    /// The session with the default configuration and without a delegate.
    public static let shared = URLSession(configuration: .default)

    /// The queue for delegates and closures.
    public let delegateQueue: OperationQueue
    let http: HTTPSessionConfiguration
    private let state: Mutex<State>
    /// A copy that is never changed.
    private nonisolated(unsafe) let settings: URLSessionConfiguration

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - configuration: The configuration, which is copied.
    ///   - delegate: The delegate, which is retained until the session is invalidated, or `nil` if there is none.
    ///   - queue: The serial queue for the delegate, or `nil` to create one.
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

    /// A copy of the configuration.
    public var configuration: URLSessionConfiguration { self.settings.copied() }

    /// The delegate, or `nil` if there is none or the session is invalid.
    public var delegate: (any URLSessionDelegate)? { self.state.withLock { $0.delegate } }

    /// The tasks that are not completed.
    public var allTasks: [URLSessionTask] {
        get async { self.state.withLock { $0.tasks.values.sorted { $0.taskIdentifier < $1.taskIdentifier } } }
    }

    /// Invalidates the session. Its tasks run to their end, and no new tasks start.
    public func finishTasksAndInvalidate() {
        self.state.withLock { $0.isInvalid = true }
        self.tellInvalidation()
    }

    /// Cancels all tasks and invalidates the session.
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
    /// Creates a task that delivers its content to the delegate.
    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        self.task { URLSessionDataTask(self, identifier: $0, request: request, receiver: .delegate) }
    }

    /// Creates a task that delivers its content to the delegate.
    public func dataTask(with url: URL) -> URLSessionDataTask { self.dataTask(with: URLRequest(url: url)) }

    /// Creates a task that delivers its content to a closure.
    public func dataTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        self.task { URLSessionDataTask(self, identifier: $0, request: request, receiver: .data(completionHandler)) }
    }

    /// Creates a task that delivers its content to a closure.
    public func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        self.dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Creates a task that uploads data.
    public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        self.task {
            URLSessionUploadTask(self, identifier: $0, request: request, receiver: .delegate, upload: .data(bodyData))
        }
    }

    /// Creates a task that uploads a file.
    public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        self.task {
            URLSessionUploadTask(
                self, identifier: $0, request: request, receiver: .delegate, upload: .file(fileURL.path))
        }
    }

    /// Creates a task that uploads data.
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

    /// Creates a task that uploads a file.
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        self.task {
            URLSessionUploadTask(
                self, identifier: $0, request: request, receiver: .data(completionHandler), upload: .file(fileURL.path))
        }
    }

    /// Creates a task that downloads its content to a file for the delegate.
    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        self.task { URLSessionDownloadTask(self, identifier: $0, request: request, receiver: .delegate) }
    }

    /// Creates a task that downloads its content to a file for the delegate.
    public func downloadTask(with url: URL) -> URLSessionDownloadTask { self.downloadTask(with: URLRequest(url: url)) }

    /// Creates a task that downloads its content to a file for a closure. The file is deleted when the closure returns.
    public func downloadTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        self.task { URLSessionDownloadTask(self, identifier: $0, request: request, receiver: .file(completionHandler)) }
    }

    /// Creates a task that downloads its content to a file for a closure. The file is deleted when the closure returns.
    public func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        self.downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    /// Creates a task that resumes a download.
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
        // Tasks that were created earlier run to their end.
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

    /// Calls a closure on the queue and waits until it returns.
    func call(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            self.delegateQueue.addOperation {
                body()
                continuation.resume()
            }
        }
    }

    /// Calls a closure on the queue and waits for an answer.
    ///
    /// - Parameters:
    ///   - fallback: The answer if the completion is released without a call.
    ///   - body: Receives the completion. Only its first call counts.
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

/// The single answer to a question.
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
