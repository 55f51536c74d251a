//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import ServerTrustCommand

@Suite("The progress of a download")
struct GetProgressTests {
    @Test("It is shown now and then, on one line, and is gone at the end")
    func lines() {
        var now = ContinuousClock.now
        var written: [String] = []
        var progress = TransferProgress(from: 1_000, announced: 3_000, clock: { now }, write: { written.append($0) })
        progress.add(500)
        #expect(written.isEmpty)
        now += .seconds(1)
        progress.add(500)
        progress.add(500)
        #expect(written == ["\r\u{1B}[K[##########..........] 50 % of 4.0 kB, 1.0 kB/s"])
        progress.end()
        #expect(written.last == "\r\u{1B}[K")
    }

    @Test("Without a length there is no share, and numbers of any size are shown", arguments: [nil, 0, Int.max])
    func lengths(announced: Int?) {
        var now = ContinuousClock.now
        var written: [String] = []
        var progress = TransferProgress(from: 5, announced: announced, clock: { now }, write: { written.append($0) })
        now += .milliseconds(250)
        progress.add(2_500_000)
        #expect(written.count == 1 && written[0].contains("MB"))
    }
}
