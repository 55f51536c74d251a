//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import FoundationNetworking
import Synchronization

extension URLSession {
    /// Loads the contents of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - delegate: The delegate of this task, which takes precedence over the session's delegate, or `nil` if there is none.
    /// - Returns: The content and the response, whatever its status is.
    /// - Throws: `URLError` if the load fails.
    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await self.result(delegate) { self.dataTask(with: request, completionHandler: $0) }
    }

    /// Loads the contents of a URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - delegate: The delegate of this task, which takes precedence over the session's delegate, or `nil` if there is none.
    /// - Returns: The content and the response, whatever its status is.
    /// - Throws: `URLError` if the load fails.
    public func data(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await self.data(for: URLRequest(url: url), delegate: delegate)
    }

    /// Uploads data.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - bodyData: The content.
    ///   - delegate: The delegate of this task, which takes precedence over the session's delegate, or `nil` if there is none.
    /// - Returns: The content and the response, whatever its status is.
    /// - Throws: `URLError` if the load fails.
    public func upload(
        for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await self.result(delegate) { self.uploadTask(with: request, from: bodyData, completionHandler: $0) }
    }

    /// Uploads a file.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - fileURL: The file.
    ///   - delegate: The delegate of this task, which takes precedence over the session's delegate, or `nil` if there is none.
    /// - Returns: The content and the response, whatever its status is.
    /// - Throws: `URLError` if the load fails.
    public func upload(
        for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await self.result(delegate) { self.uploadTask(with: request, fromFile: fileURL, completionHandler: $0) }
    }

    /// Downloads the contents of a request to a file, which the caller owns.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - delegate: The delegate of this task, which takes precedence over the session's delegate, or `nil` if there is none.
    /// - Returns: The file and the response, whatever its status is.
    /// - Throws: `URLError` if the load fails.
    public func download(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await self.result(delegate) { complete in
            self.downloadTask(with: request) { location, response, error in
                // The file of a closure is deleted when the closure returns.
                guard let location else { return complete(nil, response, error) }
                let kept = location.appendingPathExtension("download")
                do {
                    try FileManager.default.moveItem(at: location, to: kept)
                    complete(kept, response, nil)
                } catch {
                    complete(nil, response, error)
                }
            }
        }
    }

    /// Downloads the contents of a URL to a file, which the caller owns.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - delegate: The delegate of this task, which takes precedence over the session's delegate, or `nil` if there is none.
    /// - Returns: The file and the response, whatever its status is.
    /// - Throws: `URLError` if the load fails.
    public func download(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) {
        try await self.download(for: URLRequest(url: url), delegate: delegate)
    }

    private func result<Value: Sendable>(
        _ delegate: (any URLSessionTaskDelegate)?,
        _ make: (@escaping @Sendable (Value?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
    ) async throws -> (Value, URLResponse) {
        let box = TaskBox()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = make { value, response, error in
                    guard let value, let response else {
                        return continuation.resume(throwing: error ?? URLError(.badServerResponse))
                    }
                    continuation.resume(returning: (value, response))
                }
                task.delegate = delegate
                task.resume()
                box.hold(task)
            }
        } onCancel: {
            box.cancel()
        }
    }
}

/// A task that may be cancelled before it is created.
private final class TaskBox: Sendable {
    private let state = Mutex<(task: URLSessionTask?, isCancelled: Bool)>((nil, false))

    func hold(_ task: URLSessionTask) {
        let isCancelled = self.state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = self.state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
