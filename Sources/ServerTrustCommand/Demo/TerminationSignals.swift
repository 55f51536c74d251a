//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// SIGINT, SIGTERM and SIGHUP as something to wait for, so that there is time to clean up.
struct TerminationSignals {
    private let arrivals: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    /// Takes the signals over from now on: they no longer end the process.
    init() {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        self.arrivals = stream
        self.sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield() }
            source.activate()
            return source
        }
    }

    /// Waits for the first of the signals; returns at once if one has already come.
    func wait() async {
        for await _ in self.arrivals { break }
        for source in self.sources { source.cancel() }
    }
}
