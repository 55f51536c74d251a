//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import FoundationNetworking
import Synchronization

/// A task that loads one request.
///
/// A ``URLSession`` creates tasks in the state ``State/suspended``. ``resume()`` starts a task.
public class URLSessionTask: NSObject, @unchecked Sendable {
    /// The state of a task.
    public enum State: Int, Sendable {
        /// The task is running.
        case running
        /// The task has not started.
        case suspended
        /// The task is being cancelled.
        case canceling
        /// The task has completed.
        case completed
    }

    /// The receiver of the content.
    enum Receiver: Sendable {
        /// The delegate receives the content in pieces.
        case delegate
        /// A closure receives the whole content.
        case data(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
        /// A closure receives a file.
        case file(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
    }

    private struct Values: Sendable {
        var state = State.suspended
        var response: URLResponse?
        var error: (any Error)?
        var delegate: (any URLSessionTaskDelegate)?
        var taskDescription: String?
        var currentRequest: URLRequest?
        var received: Int64 = 0
        var expected: Int64 = -1
        var sent: Int64 = 0
        var work: Task<Void, Never>?
        /// The request that a delegate substitutes for a redirect.
        var replacement: URLRequest?
        var isRefusedByDelegate = false
        var trust: SecTrust?
    }

    /// The number of the task, which is unique in its session.
    public let taskIdentifier: Int
    /// The request with which the task was created.
    public let originalRequest: URLRequest?
    let session: URLSession
    let receiver: Receiver
    let uploaded: Upload?
    private let values: Mutex<Values>

    /// The content that is not part of the request.
    enum Upload: Sendable {
        case data(Data)
        case file(String)
    }

    init(
        _ session: URLSession, identifier: Int, request: URLRequest, receiver: Receiver, upload: Upload? = nil
    ) {
        self.session = session
        self.taskIdentifier = identifier
        self.originalRequest = request
        self.receiver = receiver
        self.uploaded = upload
        self.values = Mutex(Values(currentRequest: request))
    }

    /// The state of the task.
    public var state: State { self.values.withLock { $0.state } }
    /// The response, or `nil` until its head is received.
    public var response: URLResponse? { self.values.withLock { $0.response } }
    /// The error of the task, or `nil` before its end and after success.
    public var error: (any Error)? { self.values.withLock { $0.error } }
    /// The current request, after redirects.
    public var currentRequest: URLRequest? { self.values.withLock { $0.currentRequest } }
    /// The number of bytes of content received.
    public var countOfBytesReceived: Int64 { self.values.withLock { $0.received } }
    /// The number of bytes of content to receive, or -1 if the server does not announce it.
    public var countOfBytesExpectedToReceive: Int64 { self.values.withLock { $0.expected } }
    /// The number of bytes of content sent.
    public var countOfBytesSent: Int64 { self.values.withLock { $0.sent } }
    /// The delegate of this task, which takes precedence over the session's delegate. Set it before ``resume()``.
    public var delegate: (any URLSessionTaskDelegate)? {
        get { self.values.withLock { $0.delegate } }
        set { self.values.withLock { $0.delegate = newValue } }
    }
    /// A description for use by the program.
    public var taskDescription: String? {
        get { self.values.withLock { $0.taskDescription } }
        set { self.values.withLock { $0.taskDescription = newValue } }
    }

    /// Starts the task.
    public func resume() {
        self.values.withLock { values in
            guard values.state == .suspended else { return }
            values.state = .running
            values.work = Task { await self.run() }
        }
    }

    /// Ends the task with `NSURLErrorCancelled`.
    public func cancel() {
        let work = self.values.withLock { values -> Task<Void, Never>? in
            guard values.state == .running || values.state == .suspended else { return nil }
            if values.state == .suspended { values.work = Task { await self.run() } }
            values.state = .canceling
            return values.work
        }
        work?.cancel()
    }

    /// Has no effect, because a request that has started cannot be suspended.
    public func suspend() {}
}

extension URLSessionTask {
    var replacement: URLRequest? {
        get { self.values.withLock { $0.replacement } }
        set { self.values.withLock { $0.replacement = newValue } }
    }

    /// `true` if the delegate or the session's rules refused the server.
    var isRefusedByDelegate: Bool { self.values.withLock { $0.isRefusedByDelegate } }

    var trust: SecTrust? { self.values.withLock { $0.trust } }

    func noteChallenge(_ trust: SecTrust) { self.values.withLock { $0.trust = trust } }

    func noteRefusal() { self.values.withLock { $0.isRefusedByDelegate = true } }

    func begin(_ request: URLRequest) { self.values.withLock { $0.currentRequest = request } }

    func begin(_ response: HTTPURLResponse) {
        self.values.withLock { values in
            values.response = response
            values.expected = response.expectedContentLength
        }
    }

    func receive(_ count: Int) -> (total: Int64, expected: Int64) {
        self.values.withLock { values in
            values.received += Int64(count)
            return (values.received, values.expected)
        }
    }

    /// Records the total of sent bytes and returns the increase.
    func send(_ total: Int64) -> Int64 {
        self.values.withLock { values in
            defer { values.sent = total }
            return total - values.sent
        }
    }

    func complete(_ error: (any Error)?) {
        self.values.withLock { values in
            (values.state, values.error, values.work) = (.completed, error, nil)
        }
    }
}

/// A task that collects its content or delivers it in pieces.
public class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// A data task that uploads content.
public final class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}

/// A task that downloads its content to a file.
public final class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {}
