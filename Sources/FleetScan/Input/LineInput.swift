//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import Synchronization
import SystemPackage

/// The lines of a file or pipe, read on demand on a queue that may block.
package actor LineInput {
    /// The maximum length of a line of a list, in bytes.
    static let lineLimit = 1 << 16
    private static let chunk = 1 << 16

    /// The size of the input in bytes, or `nil` for a pipe.
    nonisolated let size: Int?

    private let source: Descriptor
    private let closesSource: Bool
    private let queue = DispatchQueue(label: "servertrust.input")
    private nonisolated let alarm: Alarm
    private var splitter: LineSplitter
    private var isAtEnd = false

    /// Creates the lines of an open descriptor.
    ///
    /// - Parameters:
    ///   - source: The descriptor to read from.
    ///   - closing: `true` to close the descriptor on deinitialization.
    ///   - limit: The maximum length of a line, in bytes.
    package init(_ source: Descriptor, closing: Bool = false, limit: Int = LineInput.lineLimit) throws(SystemError) {
        self.source = source
        self.closesSource = closing
        self.size = source.size
        self.alarm = try Alarm()
        self.splitter = LineSplitter(limit: limit)
    }

    /// Returns the next line, or `nil` at the end and after ``stop()``.
    ///
    /// - Throws: `SystemError` if the input cannot be read.
    func next() async throws -> LineSplitter.Line? {
        while !self.alarm.hasRung {
            if let line = self.splitter.next() { return line }
            guard !self.isAtEnd else { return nil }
            guard let bytes = try await self.bytes() else { return nil }
            if bytes.isEmpty {
                self.isAtEnd = true
                self.splitter.finish()
            } else {
                self.splitter.append(bytes)
            }
        }
        return nil
    }

    deinit {
        if self.closesSource { try? self.source.close() }
    }

    nonisolated func stop() { self.alarm.ring() }

    private func bytes() async throws -> [UInt8]? {
        let (source, alarm) = (self.source, self.alarm)
        return try await withCheckedThrowingContinuation { continuation in
            self.queue.async {
                let ready = Descriptor.waitForInput([source, alarm.bell])
                guard !ready[1] else { return continuation.resume(returning: nil) }
                continuation.resume(with: Result { try source.read(Self.chunk) })
            }
        }
    }
}

/// A pipe that a thread waits for together with its input, so that the wait can be canceled.
private final class Alarm: Sendable {
    let bell: Descriptor
    private let rope: Descriptor
    private let rung = Atomic(false)

    init() throws(SystemError) {
        (self.bell, self.rope) = try Descriptor.makePipe()
    }

    var hasRung: Bool { self.rung.load(ordering: .acquiring) }

    func ring() {
        guard !self.rung.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // One byte fits into an empty pipe. It is never read, so that the pipe stays readable.
        try? self.rope.write([1])
    }

    deinit {
        try? self.bell.close()
        try? self.rope.close()
    }
}
