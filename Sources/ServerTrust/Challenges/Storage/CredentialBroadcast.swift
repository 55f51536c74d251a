//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// A sender of changes to all open streams.
final class CredentialBroadcast: Sendable {
    private struct Listeners: Sendable {
        var next: UInt64 = 0
        var sinks: [UInt64: AsyncStream<CredentialChange>.Continuation] = [:]
    }

    private let listeners = Mutex(Listeners())

    private static let bufferSize = 256

    deinit {
        for sink in self.listeners.withLock({ Array($0.sinks.values) }) { sink.finish() }
    }

    /// Returns a stream of changes from now on.
    func stream() -> AsyncStream<CredentialChange> {
        let (stream, sink) = AsyncStream.makeStream(
            of: CredentialChange.self, bufferingPolicy: .bufferingNewest(Self.bufferSize))
        let number = self.listeners.withLock { listeners in
            listeners.next &+= 1
            listeners.sinks[listeners.next] = sink
            return listeners.next
        }
        sink.onTermination = { [weak self] _ in
            _ = self?.listeners.withLock { $0.sinks.removeValue(forKey: number) }
        }
        return stream
    }

    /// Sends a change, outside the lock, as a stream that has ended takes it.
    func send(_ change: CredentialChange) {
        for sink in self.listeners.withLock({ Array($0.sinks.values) }) { sink.yield(change) }
    }
}
