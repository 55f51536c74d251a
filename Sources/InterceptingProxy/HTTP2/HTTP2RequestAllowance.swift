//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

/// The allowance of requests that a client cancels or sends malformed.
///
/// Such a request is cheap to send and expensive to start (CVE-2023-44487), even if the proxy is the one that
/// ends it (CVE-2025-8671).
struct HTTP2RequestAllowance: Sendable {
    private static let most = 1_000
    /// The number of requests regained a second. A program that searches while its user types cancels most of its requests.
    private static let perSecond = 20

    private var left = Self.most
    private var lastReturn = NIODeadline.now()

    mutating func answered() { self.left = min(self.left + 1, Self.most) }

    /// Counts a request that was canceled, or ended because of an error.
    ///
    /// - Returns: `true` if the allowance is exceeded.
    mutating func gaveUp(at now: NIODeadline) -> Bool {
        let seconds = max((now - self.lastReturn).nanoseconds / 1_000_000_000, 0)
        if seconds > 0 {
            self.left = min(self.left + Int(min(seconds, 3_600)) * Self.perSecond, Self.most)
            self.lastReturn = now
        }
        self.left -= 1
        return self.left < 0
    }
}
