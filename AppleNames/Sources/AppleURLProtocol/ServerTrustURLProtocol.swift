//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleChallenges
import AppleSecurity
import Foundation
import FoundationNetworking
import HTTPSession
import NIOCore
import ServerTrust
import ServerTrustNIO
import Synchronization

/// A protocol that loads with `HTTPSession` for the sessions of Foundation that ``ServerTrustLoading`` prepared.
class ServerTrustURLProtocol: URLProtocol {
    private enum State: Sendable {
        case waiting
        case loading(Task<Void, Never>)
        /// Foundation has stopped the load.
        case stopped
        /// The end of the load has been reported.
        case told
    }

    private let state = Mutex(State.waiting)

    var entry: LoadingEntry? { nil }

    /// Accepts every request, so that nothing is loaded without the delegate's decision.
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canInit(with task: URLSessionTask) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// The client, which is hidden after the end of a task. Foundation would otherwise report a cancellation to it and terminate
    /// the process.
    override var client: (any URLProtocolClient)? {
        get {
            self.state.withLock { state in
                if case .told = state { return nil }
                return super.client
            }
        }
        set { super.client = newValue }
    }

    override func startLoading() {
        // Foundation calls the method on one thread, and its client accepts answers on any thread.
        nonisolated(unsafe) let loader = self
        self.state.withLock { state in
            guard case .waiting = state else { return }
            state = .loading(Task { await loader.load() })
        }
    }

    override func stopLoading() {
        let task = self.state.withLock { state -> Task<Void, Never>? in
            defer { if case .told = state {} else { state = .stopped } }
            guard case .loading(let task) = state else { return nil }
            return task
        }
        task?.cancel()
    }

    private func load() async {
        let loading = self.task.flatMap { task in self.entry.map { Loading(task, $0, self.request) } }
        do {
            guard let loading, loading.isSupported else { throw URLError(.unsupportedURL) }
            let (response, data) = try await loading.run()
            self.tell { client in
                client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
                if !data.isEmpty { client.urlProtocol(self, didLoad: data) }
                client.urlProtocolDidFinishLoading(self)
            }
        } catch {
            let isRefused = loading?.isRefusedByDelegate ?? false
            let error = URLError(error, at: self.request.url, about: loading?.trust, isCancelled: isRefused)
            self.tell { $0.urlProtocol(self, didFailWithError: error) }
        }
    }

    /// Reports the end of the load, unless Foundation has stopped it.
    private func tell(_ body: (any URLProtocolClient) -> Void) {
        let client = self.client
        let mayTell = self.state.withLock { state in
            guard case .loading = state else { return false }
            state = .told
            return true
        }
        if mayTell, let client { body(client) }
    }
}

/// The load of one task of Foundation, with the delegates that it asks.
final class Loading: Sendable {
    let task: URLSessionTask
    private let entry: LoadingEntry
    private let request: URLRequest
    private let state = Mutex<(trust: SecTrust?, isRefused: Bool)>((nil, false))

    init(_ task: URLSessionTask, _ entry: LoadingEntry, _ request: URLRequest) {
        self.task = task
        self.entry = entry
        self.request = request
    }

    var trust: SecTrust? { self.state.withLock { $0.trust } }
    var isRefusedByDelegate: Bool { self.state.withLock { $0.isRefused } }
    var url: URL? { self.request.url }

    /// `true` if the task is supported. Foundation hides the content of uploads and the files of downloads from protocols.
    var isSupported: Bool {
        !(self.task is URLSessionDownloadTask) && !(self.task is URLSessionUploadTask && self.request.httpBody == nil)
    }

    func run() async throws -> (HTTPURLResponse, Data) {
        // The configuration may have been copied to another session with another delegate.
        guard let session = self.entry.session, self.entry.delegate != nil,
            await self.isOf(session)
        else { throw URLError(.cancelled) }
        var configuration = self.entry.http
        if self.request.timeoutInterval != URLRequest.usualTimeout {
            configuration.timeouts.idle = Duration(interval: self.request.timeoutInterval)
            configuration.timeouts.head = configuration.timeouts.idle
        }
        configuration.trust.handler = LoadingTrustHandler(self, self.entry)
        configuration.challenges = LoadingChallengeHandler(loading: self)
        var sent = try HTTPSessionRequest(self.request)
        sent.followsRedirect = { await self.follows($0) }
        let (response, content) = try await HTTPSession(configuration).data(for: sent)
        guard let head = response.foundationResponse else { throw URLError(.badServerResponse) }
        return (head, Data(content.readableBytesView))
    }

    private func isOf(_ session: URLSession) async -> Bool {
        await withCheckedContinuation { continuation in
            session.getAllTasks { tasks in continuation.resume(returning: tasks.contains { $0 === self.task }) }
        }
    }

    // MARK: The delegate

    func ask(about challenge: ServerTrustChallenge) async -> ServerTrustDisposition {
        let trust = SecTrust(challenge.trust, result: challenge.result)
        self.state.withLock { $0.trust = trust }
        let asked = challenge.asked(about: trust)
        var answer = await self.answer(to: asked, by: .session)
        if answer.disposition == .performDefaultHandling { answer = await self.answer(to: asked, by: .task) }
        let disposition = challenge.disposition(answer)
        if case .cancelAuthenticationChallenge = disposition { self.state.withLock { $0.isRefused = true } }
        return disposition
    }

    func ask(about challenge: AuthenticationChallenge) async -> AuthenticationDisposition {
        let disposition = challenge.disposition(
            await self.answer(to: challenge.asked(at: self.request.url), by: .task))
        if disposition == .cancelAuthenticationChallenge { self.state.withLock { $0.isRefused = true } }
        return disposition
    }

    private enum Method { case session, task }

    /// Asks a delegate. A deallocated delegate, or one that never answers, refuses. Foundation's own methods answer with default
    /// handling.
    private func answer(to challenge: URLAuthenticationChallenge, by method: Method) async -> AskedAnswer {
        guard let session = self.entry.session, let delegate = self.entry.delegate else { return .refusal }
        let task = self.task
        return await Self.call(on: session.delegateQueue) { answer in
            let complete: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
                kind, credential in
                answer.give(
                    AskedAnswer(AskedDisposition(rawValue: kind.rawValue) ?? .cancelAuthenticationChallenge, credential)
                )
            }
            switch method {
            case .session: delegate.urlSession(session, didReceive: challenge, completionHandler: complete)
            case .task:
                guard let delegate = delegate as? any URLSessionTaskDelegate else { return answer.give(.byDefault) }
                delegate.urlSession(session, task: task, didReceive: challenge, completionHandler: complete)
            }
        } ?? .refusal
    }

    private func follows(_ redirect: HTTPRedirect) async -> Bool {
        guard let (response, proposed) = redirect.foundation(after: self.request), let session = self.entry.session
        else {
            return false
        }
        guard let delegate = self.entry.delegate as? any URLSessionTaskDelegate else { return true }
        let task = self.task
        let answer = await Self.call(on: session.delegateQueue) { answer in
            delegate.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: proposed) {
                answer.give($0)
            }
        }
        // If the delegate answers with another request than the proposed one, the redirect is delivered instead.
        return answer.flatMap { $0 }?.isLike(proposed) == true
    }

    /// Calls a closure on the queue and waits for the answer, which is `nil` if the completion is released without a call.
    private static func call<Value: Sendable>(
        on queue: OperationQueue, _ body: @escaping @Sendable (PendingAnswer<Value>) -> Void
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            let answer = PendingAnswer(continuation)
            queue.addOperation { body(answer) }
        }
    }
}

/// The first answer to a question.
private final class PendingAnswer<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value?, Never>?>

    init(_ continuation: CheckedContinuation<Value?, Never>) { self.continuation = Mutex(continuation) }

    deinit { self.resume(nil) }

    func give(_ value: Value) { self.resume(value) }

    private func resume(_ value: Value?) {
        let continuation = self.continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        continuation?.resume(returning: value)
    }
}

/// The trust handler of a load. All tasks of a session share connections, because they have the same delegate.
private struct LoadingTrustHandler: ServerTrustHandler, Hashable {
    private let loading: Loading
    private let scope: ObjectIdentifier

    init(_ loading: Loading, _ entry: LoadingEntry) {
        self.loading = loading
        self.scope = ObjectIdentifier(entry)
    }

    static func == (left: Self, right: Self) -> Bool { left.scope == right.scope }
    func hash(into hasher: inout Hasher) { hasher.combine(self.scope) }
    func respond(to challenge: ServerTrustChallenge) async -> ServerTrustDisposition {
        await self.loading.ask(about: challenge)
    }
}

/// The challenge handler of a load.
private struct LoadingChallengeHandler: ChallengeHandler {
    let loading: Loading

    func respond(to challenge: AuthenticationChallenge) async -> AuthenticationDisposition {
        await self.loading.ask(about: challenge)
    }
}
