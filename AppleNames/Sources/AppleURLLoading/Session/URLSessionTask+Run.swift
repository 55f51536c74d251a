//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import AppleChallenges
import AppleSecurity
import Foundation
import FoundationNetworking
import HTTPSession
import HTTPTypes
import NIOCore
import ServerTrustNIO

extension URLSessionTask {
    /// The most requests that delegates can substitute for redirects.
    private static let maximumReplacements = 20

    /// Runs the task from its request to the last call of the delegate.
    func run() async {
        do {
            try await self.load()
            await self.deliverEnd(nil)
        } catch {
            let isCancelled = self.isRefusedByDelegate || self.state == .canceling
            await self.deliverEnd(
                URLError(error, at: self.currentRequest?.url, about: self.trust, isCancelled: isCancelled))
        }
        self.session.finish(self)
    }

    private func load() async throws {
        guard let original = self.originalRequest else { throw URLError(.cancelled) }
        var request = original
        for _ in 0...Self.maximumReplacements {
            try Task.checkCancellation()
            self.begin(request)
            // A redirect that keeps the method keeps the content (RFC 9110 §15.4.8).
            let (response, content) = try await self.open(
                request, sendsUpload: request.httpMethod == original.httpMethod)
            guard let replacement = self.replacement else { return try await self.receive(response, content) }
            self.replacement = nil
            request = replacement
        }
        throw URLError(.httpTooManyRedirects)
    }

    // MARK: The request

    /// Sends a request, and repeats it with an identity of the delegate if the server requires one.
    private func open(_ request: URLRequest, sendsUpload: Bool) async throws -> (HTTPSessionResponse, HTTPContent) {
        let sent = try self.httpRequest(request, sendsUpload: sendsUpload)
        do {
            return try await self.send(sent)
        } catch let error as HTTPSessionError where error.code == .clientCertificateRejected {
            // The next request asks the delegate again.
            self.session.setIdentity(nil, for: self.identityKey(sent.url.origin))
            throw error
        } catch let error as HTTPSessionError where error.code == .clientCertificateRequired {
            // A server that the first one redirects to must not receive the identity for the first server.
            guard error.url?.origin == sent.url.origin, let identity = await self.identity(for: sent.url.origin) else {
                throw error
            }
            self.session.setIdentity(identity, for: self.identityKey(sent.url.origin))
            return try await self.send(sent)
        }
    }

    /// Returns the key under which an identity is stored: for all tasks of the session, or for one task with its own delegate.
    private func identityKey(_ origin: HTTPURL.Origin) -> String {
        self.delegate == nil ? "\(origin)" : "\(self.taskIdentifier) \(origin)"
    }

    private func send(_ request: HTTPSessionRequest) async throws -> (HTTPSessionResponse, HTTPContent) {
        try await HTTPSession(self.configuration(for: request.url.origin)).bytes(for: request)
    }

    private func configuration(for origin: HTTPURL.Origin) -> HTTPSessionConfiguration {
        var configuration = self.session.http
        if let interval = self.originalRequest?.timeoutInterval, interval != URLRequest.usualTimeout {
            configuration.timeouts.idle = Duration(interval: interval)
            configuration.timeouts.head = configuration.timeouts.idle
        }
        if let identity = self.session.identity(for: self.identityKey(origin)) {
            configuration.trust.identity = identity.identity
        }
        if origin != self.originalRequest?.url.flatMap({ try? HTTPURL($0.absoluteString) })?.origin {
            for name in HTTPRedirect.boundFields.compactMap({ HTTPField.Name($0) }) {
                configuration.additionalFields[name] = nil
            }
        }
        guard self.delegate != nil || self.session.delegate != nil else { return configuration }
        configuration.trust.handler = TaskTrustHandler(self)
        configuration.challenges = TaskChallengeHandler(self)
        return configuration
    }

    private func httpRequest(_ request: URLRequest, sendsUpload: Bool) throws -> HTTPSessionRequest {
        let body: HTTPRequestBody? =
            switch sendsUpload ? self.uploaded : nil {
            case .data(let data)?: .octets(ByteBuffer(bytes: data))
            case .file(let path)?: try .file(path)
            case nil: nil
            }
        var sent = try HTTPSessionRequest(request, body: body)
        sent.followsRedirect = { await self.follows($0) }
        return sent
    }

    // MARK: Redirects

    private func follows(_ redirect: HTTPRedirect) async -> Bool {
        guard let (response, proposed) = self.currentRequest.flatMap({ redirect.foundation(after: $0) }) else {
            return false
        }
        let session = self.session
        // A task's delegate without this method leaves the decision to the session's delegate. Each of them can refuse.
        for delegate in [self.delegate, session.delegate as? any URLSessionTaskDelegate].compactMap({ $0 }) {
            let answer = await session.ask(or: URLRequest?.none) { complete in
                delegate.urlSession(
                    session, task: self, willPerformHTTPRedirection: response, newRequest: proposed,
                    completionHandler: complete)
            }
            guard let answer else { return false }
            guard answer.isLike(proposed) else {
                self.replacement = answer
                return false
            }
        }
        self.begin(proposed)
        return true
    }

    // MARK: The response

    private func receive(_ response: HTTPSessionResponse, _ content: HTTPContent) async throws {
        guard let head = response.foundationResponse else { throw URLError(.badServerResponse) }
        self.begin(head)
        switch (self.receiver, self) {
        case (.data(let complete), _): try await self.collect(head, content, complete)
        case (.file(let complete), _): try await self.save(content) { complete($0, head, nil) }
        case (.delegate, let task as URLSessionDownloadTask):
            guard let delegate = self.session.delegate as? any URLSessionDownloadDelegate else {
                return try await self.drain(content)
            }
            try await self.save(content) {
                delegate.urlSession(task.session, downloadTask: task, didFinishDownloadingTo: $0)
            }
        case (.delegate, let task as URLSessionDataTask): try await self.handOn(task, head, content)
        case (.delegate, _): try await self.drain(content)
        }
    }

    private func collect(
        _ response: HTTPURLResponse, _ content: HTTPContent,
        _ complete: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) async throws {
        var data = Data()
        while let octets = try await content.next() {
            guard octets.readableBytes <= self.session.http.limits.dataSize - data.count else {
                throw URLError(.dataLengthExceedsMaximum)
            }
            data.append(contentsOf: octets.readableBytesView)
            _ = self.receive(octets.readableBytes)
        }
        let collected = data
        await self.session.call { complete(collected, response, nil) }
    }

    private func handOn(_ task: URLSessionDataTask, _ response: HTTPURLResponse, _ content: HTTPContent) async throws {
        guard let delegate = self.session.delegate as? any URLSessionDataDelegate else {
            return try await self.drain(content)
        }
        let session = self.session
        let disposition = await session.ask(or: URLSession.ResponseDisposition.cancel) { complete in
            delegate.urlSession(session, dataTask: task, didReceive: response, completionHandler: complete)
        }
        guard disposition == .allow else { throw URLError(.cancelled) }
        while let octets = try await content.next() {
            let data = Data(octets.readableBytesView)
            _ = self.receive(data.count)
            await session.call { delegate.urlSession(session, dataTask: task, didReceive: data) }
        }
    }

    private func drain(_ content: HTTPContent) async throws {
        while let octets = try await content.next() { _ = self.receive(octets.readableBytes) }
    }

    /// Writes a file that only its owner can read, and deletes it after the call.
    private func save(_ content: HTTPContent, _ complete: @escaping @Sendable (URL) -> Void) async throws {
        let location = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).tmp")
        guard
            FileManager.default.createFile(atPath: location.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else {
            throw URLError(.cannotCreateFile)
        }
        defer { try? FileManager.default.removeItem(at: location) }
        let file = try FileHandle(forWritingTo: location)
        defer { try? file.close() }
        while let octets = try await content.next() {
            try file.write(contentsOf: Data(octets.readableBytesView))
            await self.report(octets.readableBytes)
        }
        await self.session.call { complete(location) }
    }

    private func report(_ count: Int) async {
        let (total, expected) = self.receive(count)
        guard case .delegate = self.receiver, let task = self as? URLSessionDownloadTask,
            let delegate = self.session.delegate as? any URLSessionDownloadDelegate
        else { return }
        let session = self.session
        await session.call {
            delegate.urlSession(
                session, downloadTask: task, didWriteData: Int64(count), totalBytesWritten: total,
                totalBytesExpectedToWrite: expected)
        }
    }

    // MARK: The end

    private func deliverEnd(_ error: URLError?) async {
        self.complete(error)
        let (session, response) = (self.session, self.response)
        switch self.receiver {
        case .data(let complete):
            guard let error else { return }
            await session.call { complete(nil, response, error) }
        case .file(let complete):
            guard let error else { return }
            await session.call { complete(nil, response, error) }
        case .delegate:
            guard let delegate = self.delegate ?? session.delegate as? any URLSessionTaskDelegate else { return }
            await session.call { delegate.urlSession(session, task: self, didCompleteWithError: error) }
        }
    }
}
