//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import NIOCore
import Synchronization

/// Hands a response from its event loop to the task that reads it. The task wakes the event loop only where so much lay here that
/// the event loop stopped.
///
/// One task reads.
final class ResponseBuffer: Sendable {
    private struct State {
        var parts: [ResponsePart] = []
        var isReusable = false
        var size = 0
        /// Why nothing more comes. What came before it is handed over first.
        var failure: (any Error)?
        /// Whether the event loop puts in what comes.
        var isFilled = true
        var reader: (continuation: CheckedContinuation<Void, Never>, since: NIODeadline)?

        /// What is here, and whether the event loop has to be told to put in more; `nil` where nothing is here.
        mutating func take() throws -> (parts: ResponseParts, isStopped: Bool)? {
            guard self.parts.isEmpty else {
                let isStopped = !self.isFilled && self.failure == nil
                defer { (self.parts, self.size, self.isFilled) = ([], 0, self.isFilled || isStopped) }
                return (ResponseParts(parts: self.parts, isReusable: self.isReusable), isStopped)
            }
            if let failure { throw failure }
            return nil
        }
    }

    /// The octets of content that may lie here before the event loop stops.
    private static let limit = 128 << 10

    private let state = Mutex(State())

    /// Since when the task waits; `nil` where it does not.
    var waitsSince: NIODeadline? { self.state.withLock { $0.reader?.since } }

    // MARK: The event loop

    /// Takes what came, or why nothing more comes.
    ///
    /// - Returns: Whether more is taken. Otherwise the task says when that is so again.
    func put(_ result: Result<ResponseParts, any Error>) -> Bool {
        let (goesOn, reader) = self.state.withLock { state in
            let goesOn = Self.add(result, to: &state)
            let reader = state.reader?.continuation
            if reader != nil { state.reader = nil }
            return (goesOn, reader)
        }
        reader?.resume()
        return goesOn
    }

    private static func add(_ result: Result<ResponseParts, any Error>, to state: inout State) -> Bool {
        switch result {
        case .failure(let error):
            (state.failure, state.isFilled) = (error, false)
        case .success(let came):
            if state.parts.isEmpty {
                state.parts = came.parts
            } else {
                for part in came.parts { state.parts.appendJoined(part) }
            }
            state.isReusable = came.isReusable
            for case .content(let octets) in came.parts { state.size += octets.readableBytes }
            if case .end? = came.parts.last { return false }
            // A task that waits takes all of it at once.
            state.isFilled = state.reader != nil || state.size < Self.limit
        }
        return state.isFilled
    }

    // MARK: The task

    /// What came since the last call; waits for it where nothing did.
    ///
    /// - Parameter fill: Has the event loop put in more, where it stopped.
    func next(fill: () -> Void) async throws -> ResponseParts {
        while true {
            if let (parts, isStopped) = try self.state.withLock({ try $0.take() }) {
                if isStopped { fill() }
                return parts
            }
            await withCheckedContinuation { continuation in
                let isReady = self.state.withLock { state in
                    guard state.parts.isEmpty, state.failure == nil else { return true }
                    state.reader = (continuation, .now())
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }
}
