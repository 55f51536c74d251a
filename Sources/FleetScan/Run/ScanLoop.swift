//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Works on a list: as many hosts at a time as there is room for, and no line is read before its turn.
package struct ScanLoop: Sendable {
    let work: ScanWork
    let defaults: ScanTarget.Defaults
    let hostsAtOnce: Int

    /// A loop.
    ///
    /// - Parameters:
    ///   - work: What is done with each host.
    ///   - defaults: What is asked of a host whose line says nothing else.
    ///   - hostsAtOnce: How many hosts are asked at the same time.
    package init(work: ScanWork, defaults: ScanTarget.Defaults, hostsAtOnce: Int) {
        self.work = work
        self.defaults = defaults
        self.hostsAtOnce = hostsAtOnce
    }

    /// Works on all lines.
    ///
    /// - Parameters:
    ///   - input: The list. Stopping it ends the loop when the hosts that were begun are finished; cancelling the task ends
    ///     them, too.
    ///   - session: Receives the results, each as soon as it is there.
    /// - Throws: `SystemError` when the list cannot be read, ``StarvedProbe`` when no more connections can be opened.
    func run(_ input: LineInput, _ session: ScanSession) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var begun = 0
            while let line = try await input.next() {
                guard let entry = ScanEntry(line, self.defaults), await session.begin(entry, upTo: line.end) else {
                    continue
                }
                if begun == self.hostsAtOnce {
                    try await group.next()
                    begun -= 1
                }
                begun += 1
                group.addTask { try await self.finish(entry, session) }
            }
            try await group.waitForAll()
        }
    }

    private func finish(_ entry: ScanEntry, _ session: ScanSession) async throws {
        guard let result = try await self.work.result(for: entry) else { return }
        await session.finish(result)
    }
}
