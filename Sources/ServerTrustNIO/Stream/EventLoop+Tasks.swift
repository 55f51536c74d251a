//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore

extension EventLoop {
    /// Runs something on the event loop: at once for a task of this event loop, which waits for no turn then. Tasks that keep to
    /// this have everything run in the order in which they ask for it. Not from within what a handler does.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        if self.inEventLoop { body() } else { self.execute(body) }
    }
}

extension EventLoopFuture where Value: Sendable {
    /// What came of it; `nil` where that is still to come, or the caller is not on the event loop.
    package var outcomeAtHand: Result<Value, any Error>? {
        guard self.eventLoop.inEventLoop else { return nil }
        let outcome = Outcome<Value>()
        self.assumeIsolated().whenComplete { outcome.value = $0 }
        return outcome.value
    }
}

private final class Outcome<Value> {
    var value: Result<Value, any Error>?
}
