//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Logging
import Synchronization

/// A clock whose sleepers wake when the test ticks.
final class TickedClock: Clock {
    struct Instant: InstantProtocol {
        var offset = Duration.zero

        func advanced(by duration: Duration) -> Instant { Instant(offset: self.offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - self.offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let sleepers = AsyncStream.makeStream(of: Void.self)
    private let ticks = AsyncStream.makeStream(of: Void.self)

    var now: Instant { Instant() }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        self.sleepers.continuation.yield()
        var ticks = self.ticks.stream.makeAsyncIterator()
        guard await ticks.next() != nil, !Task.isCancelled else { throw CancellationError() }
    }

    func isSleptOn() async {
        var sleepers = self.sleepers.stream.makeAsyncIterator()
        _ = await sleepers.next()
    }

    /// Wakes the sleeper, and waits until it sleeps again.
    func tick() async {
        self.ticks.continuation.yield()
        await self.isSleptOn()
    }
}

/// The lines of a logger.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { self.lines.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let reason = event.metadata?["reason"].map { " \($0)" } ?? ""
            self.lines.lines.withLock { $0.append("\(event.level): \(event.message)\(reason)") }
        }
    }
}

/// Runs a test with a folder of its own.
func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "server-integrations-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { _ = try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
}
