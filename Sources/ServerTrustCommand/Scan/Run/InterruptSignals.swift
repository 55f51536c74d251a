//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// SIGINT, SIGTERM and SIGHUP as a request to stop; the second one ends the process at once.
final class InterruptSignals: Sendable {
    /// The first signal, when it comes.
    let arrivals: AsyncStream<Int32>
    private let received = Mutex<Int32?>(nil)

    /// Takes the signals over from now on: they no longer end the process.
    init() {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        self.arrivals = stream
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            // The source keeps itself alive, as long as the process is.
            source.setEventHandler { [self, source] in
                _ = source
                let isFirst = self.received.withLock { first in
                    defer { first = first ?? number }
                    return first == nil
                }
                // Whoever asks twice does not want to wait, whatever this process is waiting for.
                if !isFirst { _exit(128 + number) }
                continuation.yield(number)
            }
            source.activate()
        }
    }

    /// The exit code that the first signal means; `nil` when there was none.
    var exitCode: Int32? { self.received.withLock { $0 }.map { 128 + $0 } }
}
