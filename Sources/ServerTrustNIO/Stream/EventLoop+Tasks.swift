//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore

extension EventLoop {
    /// Runs a closure on the event loop: at once if the caller is on it, otherwise in a later turn. If all tasks of a connection
    /// use this method, their closures run in the order of the calls. Do not call it from within a handler's method.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        if self.inEventLoop { body() } else { self.execute(body) }
    }
}

extension EventLoopFuture where Value: Sendable {
    /// The result if the caller is on the event loop and the future is complete, `nil` otherwise.
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
