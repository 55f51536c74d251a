//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import FoundationNetworking
import Synchronization

/// A request on its way.
public class URLSessionTask: NSObject, @unchecked Sendable {
    /// The state of a task.
    public enum State: Int, Sendable {
        /// It is on its way.
        case running
        /// It has not begun.
        case suspended
        /// It is being cancelled.
        case canceling
        /// It is at its end.
        case completed
    }

    /// The receiver of the content.
    enum Receiver: Sendable {
        /// The delegate is given it in pieces.
        case delegate
        /// A closure is given all of it.
        case data(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
        /// A closure is given a file.
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
        /// The request that a delegate wants in place of a redirect.
        var replacement: URLRequest?
        var isRefusedByDelegate = false
        var trust: SecTrust?
    }

    /// The number of the task, which no other task of its session has.
    public let taskIdentifier: Int
    /// The request that the task was made with.
    public let originalRequest: URLRequest?
    let session: URLSession
    let receiver: Receiver
    let uploaded: Upload?
    private let values: Mutex<Values>

    /// Content that is no part of the request.
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
    /// The response, once its head is there.
    public var response: URLResponse? { self.values.withLock { $0.response } }
    /// The error of the task; `nil` before its end and after success.
    public var error: (any Error)? { self.values.withLock { $0.error } }
    /// The request that is on its way, after redirects.
    public var currentRequest: URLRequest? { self.values.withLock { $0.currentRequest } }
    /// The octets of content that have come.
    public var countOfBytesReceived: Int64 { self.values.withLock { $0.received } }
    /// The octets of content that will come; -1 where the server does not say.
    public var countOfBytesExpectedToReceive: Int64 { self.values.withLock { $0.expected } }
    /// The octets of content that are sent.
    public var countOfBytesSent: Int64 { self.values.withLock { $0.sent } }
    /// Answers in place of the session's delegate; to be set before ``resume()``.
    public var delegate: (any URLSessionTaskDelegate)? {
        get { self.values.withLock { $0.delegate } }
        set { self.values.withLock { $0.delegate = newValue } }
    }
    /// A text of the program's.
    public var taskDescription: String? {
        get { self.values.withLock { $0.taskDescription } }
        set { self.values.withLock { $0.taskDescription = newValue } }
    }

    /// Begins.
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

    /// Nothing: a request that has begun goes on.
    public func suspend() {}
}

extension URLSessionTask {
    var replacement: URLRequest? {
        get { self.values.withLock { $0.replacement } }
        set { self.values.withLock { $0.replacement = newValue } }
    }

    /// True if the delegate or the session's rules refused the server.
    var isRefusedByDelegate: Bool { self.values.withLock { $0.isRefusedByDelegate } }

    /// The server in question.
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

    /// Returns the part of the total that is new.
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

/// A task whose content is collected, or handed on in pieces.
public class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// A data task that sends content.
public final class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}

/// A task whose content becomes a file.
public final class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {}
