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

/// Says on standard error how a scan is getting on: one line that is drawn again and again on a terminal, a line every now
/// and then elsewhere.
package final class ScanProgress: Sendable {
    private let isShown: Bool
    private let complain: Complaint
    private let isTerminal = Descriptor.standardError.isTerminal
    private let isDrawn = Mutex(false)

    /// - Parameters:
    ///   - isShown: Whether anything is said at all.
    ///   - complain: Is told how the scan is getting on where there is no terminal.
    package init(isShown: Bool, complain: @escaping Complaint) {
        self.isShown = isShown
        self.complain = complain
    }

    /// Shows a scan until the task is cancelled, and then takes away what was drawn.
    ///
    /// - Parameters:
    ///   - session: The scan.
    ///   - size: The bytes of its list; `nil` where its length is not known.
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

    /// Takes the drawn line away, so that something else can be written on the terminal.
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
