//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization
package import Testing

/// Lets few of the suites that start servers or processes run at once.
///
/// Swift Testing starts all tests of all suites together. Hundreds of servers and processes then share few cores: what a test
/// gives a second waits for minutes, and so many files are open that Foundation crashes when it starts a process, its copy of
/// the folder of open files being read past its end. The turn is taken before the tests of a suite start, and so counts in none
/// of their time limits.
package struct TurnTaking: SuiteTrait, TestScoping {
    @concurrent
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Turns.shared.take()
        defer { Turns.shared.pass() }
        try await function()
    }
}

extension Trait where Self == TurnTaking {
    /// The suite waits for its turn among those that start servers or processes.
    package static var takingTurns: Self { Self() }
}

/// Who may run, and who waits, in the order of arrival.
private final class Turns: Sendable {
    /// More than one, as much of what servers and processes do is waiting.
    static let shared = Turns(free: 2)

    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    private init(free: Int) {
        self.state = Mutex(State(free: free))
    }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = self.state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func pass() {
        let next = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
