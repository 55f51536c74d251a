//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A progress display on standard error: one line that is redrawn on a terminal, or a line every ten seconds elsewhere.
package final class ScanProgress: Sendable {
    private let isShown: Bool
    private let complain: Complaint
    private let isTerminal = Descriptor.standardError.isTerminal
    private let isDrawn = Mutex(false)

    /// Creates a progress display.
    ///
    /// - Parameters:
    ///   - isShown: `false` to show nothing.
    ///   - complain: A closure that receives the progress if standard error is not a terminal.
    package init(isShown: Bool, complain: @escaping Complaint) {
        self.isShown = isShown
        self.complain = complain
    }

    /// Shows the progress of a scan until the task is canceled, and then clears the line.
    ///
    /// - Parameters:
    ///   - session: The scan.
    ///   - size: The size of its list in bytes, or `nil` if it is not known.
    func run(_ session: ScanSession, size: Int?) async {
        guard self.isShown else { return }
        let start = ContinuousClock.now
        while (try? await Task.sleep(for: self.isTerminal ? .milliseconds(250) : .seconds(10))) != nil {
            let text = ProgressText(
                state: await session.state, elapsed: start.duration(to: .now), size: size)
            self.show(text)
        }
        self.makeRoom()
    }

    /// Clears the drawn line, so that other text can be written to the terminal.
    func makeRoom() {
        self.isDrawn.withLock { isDrawn in
            if isDrawn { try? Descriptor.standardError.write(Array("\r\u{1B}[K".utf8)) }
            isDrawn = false
        }
    }

    private func show(_ text: ProgressText) {
        guard self.isTerminal else { return self.complain(text.plain) }
        let line = text.line(width: Descriptor.standardError.terminalWidth ?? 80)
        self.isDrawn.withLock { isDrawn in
            try? Descriptor.standardError.write(Array("\r\(line)\u{1B}[K".utf8))
            isDrawn = true
        }
    }
}
