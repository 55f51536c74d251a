//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust

/// A loop over the lines of a list that scans a bounded number of hosts at a time and reads no line in advance.
package struct ScanLoop: Sendable {
    let work: ScanWork
    let defaults: ScanTarget.Defaults
    let hostsAtOnce: Int

    /// The origin and date of the public roots and logs.
    package var publicTrust: PublicTrustBasis? { self.work.publicTrust }

    /// Creates a loop.
    ///
    /// - Parameters:
    ///   - work: The work for each host.
    ///   - defaults: The settings for hosts that their line does not override.
    ///   - hostsAtOnce: The maximum number of hosts scanned at the same time.
    package init(work: ScanWork, defaults: ScanTarget.Defaults, hostsAtOnce: Int) {
        self.work = work
        self.defaults = defaults
        self.hostsAtOnce = hostsAtOnce
    }

    /// Scans all lines.
    ///
    /// - Parameters:
    ///   - input: The list. If it is stopped, the loop ends after the hosts in progress. Canceling the task ends them, too.
    ///   - session: The session that receives each result as soon as it is available.
    /// - Throws: `SystemError` if the list cannot be read, or ``StarvedProbe`` if no more connections can be opened.
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
