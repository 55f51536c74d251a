//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import Synchronization
import SystemPackage

/// The lines of a file or pipe, read as they are asked for and never further, by a thread that may wait.
package actor LineInput {
    /// The bytes a line of a list may have.
    static let lineLimit = 1 << 16
    private static let chunk = 1 << 16

    /// The bytes of all of it; `nil` for a pipe.
    nonisolated let size: Int?

    private let source: Descriptor
    private let closesSource: Bool
    private let queue = DispatchQueue(label: "servertrust.input")
    private nonisolated let alarm: Alarm
    private var splitter: LineSplitter
    private var isAtEnd = false

    /// Lines of something that is open.
    ///
    /// - Parameter closing: Whether it is closed when it is not needed any more.
    package init(_ source: Descriptor, closing: Bool = false, limit: Int = LineInput.lineLimit) throws(SystemError) {
        self.source = source
        self.closesSource = closing
        self.size = source.size
        self.alarm = try Alarm()
        self.splitter = LineSplitter(limit: limit)
    }

    /// The next line, as soon as there is one; `nil` at the end, and after ``stop()``.
    ///
    /// - Throws: `SystemError` when the input cannot be read.
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

    /// Ends the input at once, also while something waits for it.
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

/// Something that a thread waits for with its input, so that it can be called off.
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
        // One byte fits into an empty pipe; it is never read, so that the bell keeps ringing.
        try? self.rope.write([1])
    }

    deinit {
        try? self.bell.close()
        try? self.rope.close()
    }
}
