//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import NIOCore
import Synchronization

/// A buffer that passes a response from its event loop to the task that reads it.
///
/// The task wakes the event loop only if the event loop has stopped because the buffer was full. Only one task may read.
final class ResponseBuffer: Sendable {
    private struct State {
        var parts: [ResponsePart] = []
        var isReusable = false
        var size = 0
        /// The error that ended the response. The parts before it are delivered first.
        var failure: (any Error)?
        /// `true` if the event loop adds new parts to the buffer.
        var isFilled = true
        var reader: (continuation: CheckedContinuation<Void, Never>, since: NIODeadline)?

        /// Removes the stored parts, or returns `nil` if there are none. `isStopped` is `true` if the event loop must be woken.
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

    /// The number of octets of content at which the event loop stops.
    private static let limit = 128 << 10

    private let state = Mutex(State())

    /// The time at which the task started to wait, or `nil` if it does not wait.
    var waitsSince: NIODeadline? { self.state.withLock { $0.reader?.since } }

    // MARK: The event loop

    /// Stores parts of the response or the error that ends it.
    ///
    /// - Returns: `true` if the buffer accepts more. Otherwise the task calls `fill` when it does.
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
            // A waiting task takes all parts at once.
            state.isFilled = state.reader != nil || state.size < Self.limit
        }
        return state.isFilled
    }

    // MARK: The task

    /// Returns the parts received since the last call, and waits for some if there are none.
    ///
    /// - Parameter fill: A closure that wakes the event loop if it has stopped.
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
