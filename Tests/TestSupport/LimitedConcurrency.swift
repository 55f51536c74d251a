//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization
package import Testing

/// A limit on how many of the suites that start servers or processes run at once.
///
/// Swift Testing starts all tests of all suites together. Hundreds of servers and processes then share few cores: what a test
/// gives a second waits for minutes, and so many files are open that Foundation crashes when it starts a process, its copy of
/// the folder of open files being read past its end. While the tests of other suites wait for their turn, each step of a test
/// waits behind thousands of theirs. A suite waits before its tests start, so that the waiting counts in none of
/// their time limits.
package struct LimitedConcurrency: SuiteTrait, TestScoping {
    @concurrent
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await RunningSuites.shared.take()
        defer { RunningSuites.shared.pass() }
        try await Self.waitForTurns()
        try await function()
    }

    /// Waits until tasks have their turn soon, some times in a row: the tests that start together are over.
    private static func waitForTurns() async throws {
        var turns = 0
        while turns < 10 {
            let time = await ContinuousClock().measure { await Task.yield() }
            turns = time < .milliseconds(100) ? turns + 1 : 0
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

extension Trait where Self == LimitedConcurrency {
    /// The suite waits until few of those that start servers or processes run.
    package static var limitedConcurrency: Self { Self() }
}

/// How many suites may run, and which wait, in the order of arrival.
private final class RunningSuites: Sendable {
    /// More than one, as much of what servers and processes do is waiting.
    static let shared = RunningSuites(free: 2)

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
